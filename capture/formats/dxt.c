/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the output of darshan-dxt-parser, which lists the segments file by file.
 * doc/formats/others.md. " X_POSIX 0 write 0 0 4096 0.0012 0.0014 [ 3]" */

#include "capture/formats/blanks.h"
#include "capture/formats/foreign.h"
#include "capture/number.h"

struct dxt {
	struct foreign base;
	uint32_t object;
};

static int take_comment(struct dxt *t, const char *s, const char *end, struct err *e)
{
	static const char file[] = "file_name: ", start[] = "# start_time: ";
	const char *name = memmem(s, (size_t)(end - s), file, sizeof file - 1);
	uint64_t v;
	/* "# *WARNING*: DXT_POSIX module contains incomplete data!": an unknown number of segments
	 * is missing */
	if (memmem(s, (size_t)(end - s), "DXT_POSIX", 9) &&
	    memmem(s, (size_t)(end - s), "incomplete data", 15))
		foreign_lost(&t->base, 1);
	if (name) {
		name += sizeof file - 1;
		while (name < end && *name == '/') /* makes the name relative to the root */
			name++;
		return foreign_object(&t->base, OBJECT_PATH, name, (size_t)(end - name), &t->object,
				      e);
	}
	if ((size_t)(end - s) > sizeof start && !memcmp(s, start, sizeof start - 1) &&
	    (s += sizeof start - 1, scan_u64(&s, end, &v)) && v < 4000000000u)
		t->base.base.meta.meta.wall_epoch_ns = (int64_t)v * 1000000000;
	return 0;
}

static int take_number(struct dxt *t, const char **s, const char *end, const char *what,
		       uint64_t *v, struct err *e)
{
	*s = skip_blanks(*s, end);
	if (scan_u64(s, end, v) && (*s == end || **s == ' ' || **s == '\t') && *v <= INT64_MAX)
		return 0;
	return foreign_at(&t->base, *s, e, "the %s is missing", what);
}

static int take_time(struct dxt *t, const char **s, const char *end, int64_t *ns, struct err *e)
{
	*s = skip_blanks(*s, end);
	const char *at = *s;
	*s += *s < end && **s == '-';
	if (scan_decimal(s, end, 1000000000, ns, NULL) && *ns <= TRACE_TIME_MAX) {
		*ns = *at == '-' ? -*ns : *ns;
		return 0;
	}
	return foreign_at(&t->base, at, e, "the time in seconds is missing");
}

static int dxt_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct dxt *t = (struct dxt *)f;
	const char *end = s + len, *module = s = skip_blanks(s, end);
	struct trace_record r = record_unknown();
	uint64_t rank = 0, segment;
	if (s == end)
		return 0;
	if (*s == '#')
		return take_comment(t, s, end, e);
	s = word_end(s, end);
	if (s - module < 3 || memcmp(module, "X_", 2))
		return foreign_at(f, module, e, "neither a comment nor a segment (X_POSIX ...)");
	/* MPI-IO calls appear again as POSIX calls */
	if (s - module != 7 || memcmp(module, "X_POSIX", 7)) {
		f->base.notes.n_not_requests++;
		return 0;
	}
	int ret = take_number(t, &s, end, "rank", &rank, e);
	const char *op = s = skip_blanks(s, end);
	s = word_end(s, end);
	if (!ret && !(s - op == 5 && !memcmp(op, "write", 5)) &&
	    !(s - op == 4 && !memcmp(op, "read", 4)))
		ret = foreign_at(f, op, e, "neither write nor read");
	r.op = op < end && *op == 'w' ? OP_PWRITE : OP_PREAD;
	ret = ret ? ret : take_number(t, &s, end, "number of the segment", &segment, e);
	ret = ret ? ret : take_number(t, &s, end, "offset", &r.offset, e);
	ret = ret ? ret : take_number(t, &s, end, "length", &r.length, e);
	ret = ret ? ret : take_time(t, &s, end, &r.begin_ns, e);
	ret = ret ? ret : take_time(t, &s, end, &r.end_ns, e);
	if (ret)
		return ret;
	if (rank > UINT32_MAX || t->object == OBJECT_NONE)
		return foreign_at(f, module, e,
				  t->object == OBJECT_NONE
				      ? "a segment comes before the first line with \"file_name:\""
				      : "the rank is not a number below 2^32");
	r.object = t->object;
	r.pid = r.tid = (uint32_t)rank;
	r.rvalue = (int64_t)r.length;
	return foreign_add(f, &r, e);
}

static void dxt_reset(struct foreign *f)
{
	((struct dxt *)f)->object = OBJECT_NONE;
}

static void dxt_setup(struct foreign *f, const struct trace_open_options *o)
{
	(void)o;
	f->base.meta.meta.root = "/";
	f->base.meta.meta.clock_resolution_ns = 100000;
	dxt_reset(f);
}

static const struct foreign_reader reader = {.clock = "darshan",
					     .captured_by = "Darshan DXT",
					     .level = LEVEL_SYSCALL,
					     .size = sizeof(struct dxt),
					     .setup = dxt_setup,
					     .line = dxt_line,
					     .reset = dxt_reset};

static int dxt_bid(const unsigned char *head, size_t len, const char *path)
{
	(void)path;
	if (!len || *head != '#')
		return 0;
	return memmem(head, len, "# DXT, ", 7) || memmem(head, len, "darshan", 7) ? 60 : 0;
}

const struct trace_format format_dxt = {
    .name = "dxt", .help = "output of darshan-dxt-parser", .bid = dxt_bid, .reader = &reader};
