/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads cache traces in libCacheSim's format oracleGeneral. Each request has 24 bytes: u32 seconds,
 * u64 object, u32 size, i64 next. There is no operation and no offset. doc/formats/others.md. */

#include "capture/formats/foreign.h"

#define ITEM_BYTES 24u

struct oracle {
	struct foreign base;
	enum trace_op op;
	int64_t first_s;
	bool has_first;
};

static int oracle_piece(struct foreign *f, struct err *e)
{
	struct oracle *t = (struct oracle *)f;
	const char *s;
	size_t len;
	uint32_t seconds, size;
	uint64_t object;
	char name[24];
	int ret = text_input_peek(&f->in, ITEM_BYTES, &s, &len, e);
	if (ret || !len)
		return ret;
	if (len < ITEM_BYTES) {
		text_input_take(&f->in, len);
		return err_set(e, EILSEQ, "the file ends within a request");
	}
	memcpy(&seconds, s, 4);
	memcpy(&object, s + 4, 8);
	memcpy(&size, s + 12, 4);
	text_input_take(&f->in, ITEM_BYTES);
	if (!t->has_first) {
		t->has_first = true;
		t->first_s = seconds;
		f->base.meta.meta.wall_epoch_ns =
		    seconds > 1000000000 ? (int64_t)seconds * 1000000000 : 0;
	}
	struct trace_record r = record_unknown();
	r.op = (uint16_t)t->op;
	r.begin_ns = ((int64_t)seconds - t->first_s) * 1000000000;
	r.length = size;
	r.rvalue = size;
	int n = snprintf(name, sizeof name, "%llu", (unsigned long long)object);
	ret = foreign_object(f, OBJECT_PATH, name, (size_t)n, &r.object, e);
	ret = ret ? ret : foreign_add(f, &r, e);
	return ret ? ret : 1;
}

static void oracle_reset(struct foreign *f)
{
	((struct oracle *)f)->has_first = false;
}

static void oracle_setup(struct foreign *f, const struct trace_open_options *o)
{
	((struct oracle *)f)->op = !strcmp(o->as, "write") ? OP_PWRITE : OP_PREAD;
	f->base.meta.meta.clock_resolution_ns = 1e9;
}

static const struct foreign_reader reader = {.clock = "seconds",
					     .captured_by = "unknown (oracleGeneral)",
					     .level = LEVEL_SYSCALL,
					     .size = sizeof(struct oracle),
					     .setup = oracle_setup,
					     .piece = oracle_piece,
					     .reset = oracle_reset};

static int oracle_open(struct trace **out, const char *path, const struct trace_open_options *o,
		       struct err *e)
{
	if (!o->as)
		return err_set(e, EINVAL,
			"%s: oracleGeneral has no operations: add --as read or --as write", path);
	return foreign_open(out, &reader, path, o, e);
}

/* Decides by the name, because the format has no magic number. Published traces are compressed. */
static int oracle_bid(const unsigned char *head, size_t len, const char *path)
{
	const bool zstd = len > 4 && !memcmp(head, "\x28\xb5\x2f\xfd", 4),
		   gzip = len > 2 && !memcmp(head, "\x1f\x8b\x08", 3);
	return !zstd && !gzip && len >= ITEM_BYTES && strcasestr(path, "oraclegeneral") ? 20 : 0;
}

const struct trace_format format_oraclegeneral = {
    .name = "oraclegeneral",
    .help = "oracleGeneral of libCacheSim; needs --as read or --as write",
    .bid = oracle_bid,
    .open = oracle_open,
};
