/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blkreplay 0.1: several processes, each with one request at a time, get their requests through
 * pipes. blkreplay reads its trace from standard input, and prints each completed request with its
 * delay and its duration. */

#include "replay/engines/adapters/outputs.h"

#define SECTOR 512
/* blkreplay prints this text for a request that ends at the end of the device, and still issues the
 * request. */
#define HARMLESS "ERROR: trying to position at "

static const char *const conflicts_words[] = {"--with-partial", "--with-conflicts", "--with-drop",
					      "--with-ordering"};

/* --- its output: a heading, requests, a line of dashes, numbers ---------- */

struct blkreplay_table {
	const struct request_taker *taker;
	enum { BEFORE, WITHIN, BEHIND } where;
};

static int request_read(struct blkreplay_table *t, char *line, struct err *e)
{
	char *field[6];
	int64_t start_ns, sector, n_sectors, late_ns, took_ns;
	struct adapter_request q = ADAPTER_REQUEST_INIT;
	if (!line_fields(line, ';', field, 6, 6))
		return err_set(e, EBADMSG,
			       "\"%.60s\": expected start, sector, length, R or W, delay and "
			       "duration",
			       line);
	int ret = field_number(field[0], "start", 9, &start_ns, e);
	ret = ret ? ret : field_number(field[1], "sector", 0, &sector, e);
	ret = ret ? ret : field_number(field[2], "length", 0, &n_sectors, e);
	ret = ret ? ret : field_number(field[4], "delay", 9, &late_ns, e);
	ret = ret ? ret : field_number(field[5], "duration", 9, &took_ns, e);
	if (ret)
		return ret;
	if (strcmp(field[3], "R") && strcmp(field[3], "W"))
		return err_set(e, EBADMSG, "operation \"%.20s\" is neither R nor W", field[3]);
	if (sector < 0 || sector > INT64_MAX / SECTOR || n_sectors < 0 ||
	    n_sectors > INT64_MAX / SECTOR || took_ns < 0)
		return err_set(e, EBADMSG,
			       "sector %lld, length %lld or duration %lld ns is out of range",
			       (long long)sector, (long long)n_sectors, (long long)took_ns);
	q.op = *field[3] == 'R' ? OP_PREAD : OP_PWRITE;
	q.offset = (uint64_t)sector * SECTOR;
	q.length = (uint64_t)n_sectors * SECTOR;
	if (__builtin_add_overflow(start_ns, late_ns, &q.begin_ns) ||
	    __builtin_add_overflow(q.begin_ns, took_ns, &q.end_ns))
		return err_set(e, EBADMSG, "the sum of start, delay and duration is out of range");
	return t->taker->take(t->taker->ctx, &q, e);
}

static int table_line(void *ctx, char *line, struct err *e)
{
	struct blkreplay_table *t = ctx;
	if (!strncmp(line, HARMLESS, strlen(HARMLESS)))
		return 0;
	if (t->where == BEFORE && !strncmp(line, "ERROR: ", 7))
		return err_set(e, EBADMSG, "blkreplay: %.200s", line);
	if (t->where == BEFORE)
		t->where = strncmp(line, "orig_start ;", 12) ? BEFORE : WITHIN;
	else if (t->where == WITHIN && *line == '-')
		t->where = BEHIND;
	else if (t->where == WITHIN)
		return request_read(t, line, e);
	return 0;
}

int blkreplay_output_read(const char *path, const struct request_taker *taker, struct err *e)
{
	struct blkreplay_table t = {.taker = taker};
	int ret = lines_read(path, table_line, &t, e);
	if (!ret && t.where != BEHIND)
		ret = err_set(e, EBADMSG, "%s: %s", path,
			      t.where == BEFORE ? "it contains no table of requests"
						: "it ends within the table of requests");
	return ret;
}

/* --- the adapter --------------------------------------------------------- */

static int blkreplay_words(struct adapter_run *r, struct err *e)
{
	const struct known_options *o = &r->config->adapter.known;
	(void)e;
	adapter_word(r, "--threads=%llu", (unsigned long long)o->blkreplay_threads);
	adapter_word(r, "%s", conflicts_words[o->blkreplay_conflicts]);
	if (r->config->speed != 1)
		adapter_word(r, "--speedup=%g", r->config->speed);
	adapter_word(r, "{device}");
	return 0;
}

/* The exit status of blkreplay is 0 even if it cannot open the device, so its text is examined. */
static int blkreplay_ended(struct adapter_run *r, struct err *e)
{
	SCOPED_STRBUF error = STRBUF_INIT;
	int ret = -EAGAIN;
	if (printed_says(r, "ERROR: ", HARMLESS, &error))
		ret = err_set(e, EPROTO, "blkreplay: ERROR: %.200s", error.s);
	return ret;
}

static int blkreplay_parse(struct adapter_run *r, struct err *e)
{
	const struct request_taker taker = {request_seen, r};
	return blkreplay_output_read(r->output, &taker, e);
}

static const struct adapter adapter_blkreplay = {
	.name = "blkreplay",
	.program = "blkreplay",
	.format = "blkreplay",
	.suffix = ".load",
	.command = (const char *const[]){NULL},
	.stdin_trace = true,
	.times = ADAPTER_SELF | ADAPTER_BLOCK,
	.usual = ADAPTER_BLOCK,
	.timed = true,
	.takes = (const char *const[]){"speed", "blkreplay-threads", "blkreplay-conflicts", NULL},
	.words = blkreplay_words,
	.ended = blkreplay_ended,
	.parse = blkreplay_parse,
	.unversioned = "blkreplay (version unknown)",
};

ADAPTER_ENGINE(blkreplay, LEVEL_BLOCK,
	       "blkreplay: requests on a device; each of its processes makes one request at a "
	       "time");
