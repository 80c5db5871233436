/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DFTracer's output (.pfw), which DLIO and MLPerf Storage write: a JSON object on each line.
 * doc/formats/others.md.
 * {"id":4,"name":"pread","cat":"POSIX","pid":1,"tid":1,"ts":2000,"dur":10,"ph":"X",
 *  "args":{"fhash":"9a","ret":1024,"count":1024,"offset":0}} */
#include <jansson.h>

#include "capture/formats/blanks.h"
#include "capture/formats/foreign.h"
#include "capture/number.h"
#include "capture/op.h"
#include "common/fnv1a.h"

struct dftracer {
	struct foreign base;
	struct u64_map files; /* maps a file's hash to its object */
	int64_t first_us;
	bool has_first;
};

/* Calls of category POSIX that become requests. The others are skipped. */
static const struct {
	const char *name;
	enum trace_op op;
} calls[] = {
    {"read", OP_READ},	     {"write", OP_WRITE},     {"pread", OP_PREAD},
    {"pread64", OP_PREAD},   {"pwrite", OP_PWRITE},   {"pwrite64", OP_PWRITE},
    {"open", OP_OPEN},	     {"open64", OP_OPEN},     {"openat", OP_OPEN},
    {"creat", OP_OPEN},	     {"creat64", OP_OPEN},    {"close", OP_CLOSE},
    {"lseek", OP_LSEEK},     {"lseek64", OP_LSEEK},   {"fsync", OP_FSYNC},
    {"fdatasync", OP_FDATASYNC}, {"stat", OP_STAT},   {"__xstat", OP_STAT},
    {"__xstat64", OP_STAT},  {"unlink", OP_UNLINK},   {"mkdir", OP_MKDIR},
    {"rmdir", OP_RMDIR},
};

static enum trace_op call_find(const char *name)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (!strcmp(calls[i].name, name))
			return calls[i].op;
	return OP_INVALID;
}

/* Reads a member that is a whole number, or a string of one, as some versions write it. */
static bool number_of(const json_t *o, const char *key, int64_t *v)
{
	const json_t *x = json_object_get(o, key);
	const char *s = json_string_value(x);
	if (json_is_integer(x))
		*v = json_integer_value(x);
	return json_is_integer(x) || (s && *s && scan_i64(&s, s + strlen(s), v) && !*s);
}

static int number_require(struct dftracer *t, const json_t *o, const char *key, int64_t min,
			  int64_t max, int64_t *v, struct err *e)
{
	if (number_of(o, key, v) && *v >= min && *v <= max)
		return 0;
	return foreign_at(&t->base, t->base.line, e, "\"%s\" is missing or out of range", key);
}

/* Reads a hash, which is a string or a number. False: there is none. */
static bool hash_of(const json_t *o, const char *key, uint64_t *hash)
{
	const json_t *x = json_object_get(o, key);
	char text[24];
	const char *s = json_string_value(x);
	if (json_is_integer(x)) {
		snprintf(text, sizeof text, "%lld", (long long)json_integer_value(x));
		s = text;
	}
	if (!s)
		return false;
	*hash = fnv1a_text(s);
	return true;
}

static int path_intern(struct dftracer *t, const char *path, uint32_t *id, struct err *e)
{
	while (*path == '/') /* makes the path relative to the root */
		path++;
	return foreign_object(&t->base, OBJECT_PATH, path, strlen(path), id, e);
}

/* "FH" gives the name of a file; later events refer to it by its hash. Aggregated events represent
 * calls that the trace does not contain. */
static int take_other(struct dftracer *t, const json_t *o, bool metadata, const char *cat,
		      const json_t *args, struct err *e)
{
	const char *name = json_string_value(json_object_get(o, "name"));
	const char *path = json_string_value(json_object_get(args, "name"));
	uint64_t hash;
	uint32_t object;
	int64_t n = 1;
	if (!metadata) {
		if (cat && !strcmp(cat, "POSIX"))
			foreign_lost(&t->base, number_of(args, "dft_cnt", &n) && n > 0
						   ? (uint64_t)n : 1);
		return 0;
	}
	if (!name || strcmp(name, "FH") || !path || !hash_of(args, "value", &hash))
		return 0;
	int ret = path_intern(t, path, &object, e);
	if (!ret)
		*u64_map_at(&t->files, hash, object) = object;
	return ret;
}

static int take_object(struct dftracer *t, const json_t *args, struct trace_record *r,
		       struct err *e)
{
	const char *path = json_string_value(json_object_get(args, "fname"));
	uint64_t hash;
	if (path)
		return path_intern(t, path, &r->object, e);
	const uint32_t *object =
	    hash_of(args, "fhash", &hash) ? u64_map_find(&t->files, hash) : NULL;
	if (!object)
		return foreign_at(&t->base, t->base.line, e, "the call names no "
			"file: it needs \"fname\", or the \"fhash\" of an earlier event \"FH\"");
	r->object = *object;
	return 0;
}

static int take_args(struct dftracer *t, const json_t *args, struct trace_record *r, struct err *e)
{
	const unsigned int uses = op_info(r->op)->uses;
	int64_t length = 0, offset = 0, v = 0;
	int ret = take_object(t, args, r, e);
	if (!ret && (uses & OP_HAS_LENGTH))
		ret = number_require(t, args, number_of(args, "count", &v) ? "count" : "size", 0,
				     INT64_MAX, &length, e);
	if (!ret && (uses & OP_HAS_OFFSET))
		ret = number_require(t, args, "offset", r->op == OP_LSEEK ? INT64_MIN : 0,
				     INT64_MAX, &offset, e);
	if (!ret && r->op == OP_LSEEK)
		ret = number_require(t, args, "whence", 0, 2, &v, e);
	if (ret)
		return ret;
	r->length = (uint64_t)length;
	r->offset = uses & OP_KNOWS_OFFSET ? OFFSET_NONE : (uint64_t)offset;
	r->flags = r->op == OP_LSEEK				       ? (uint32_t)v
		   : number_of(args, "flags", &v) && r->op == OP_OPEN ? (uint32_t)v
								       : 0;
	if (!number_of(args, "ret", &r->rvalue))
		r->rvalue = uses & OP_RETURNS_BYTES ? length : 0;
	if (uses & OP_RETURNS_FD)
		r->fd = r->rvalue >= 0 && r->rvalue <= INT32_MAX ? (int32_t)r->rvalue : -1;
	return 0;
}

static int take_call(struct dftracer *t, const json_t *o, const json_t *args, enum trace_op op,
		     struct err *e)
{
	struct trace_record r = record_unknown();
	int64_t pid = 0, tid = 0, ts = 0, dur = 0;
	int ret = number_require(t, o, "pid", 0, UINT32_MAX, &pid, e);
	ret = ret ? ret : number_require(t, o, "tid", 0, UINT32_MAX, &tid, e);
	ret = ret ? ret : number_require(t, o, "ts", 0, INT64_MAX / 4000, &ts, e);
	ret = ret ? ret : number_require(t, o, "dur", 0, INT64_MAX / 4000, &dur, e);
	r.op = (uint16_t)op;
	ret = ret ? ret : take_args(t, args, &r, e);
	if (ret)
		return ret;
	if (!t->has_first) {
		t->has_first = true;
		t->first_us = ts;
		t->base.base.meta.meta.wall_epoch_ns = ts * 1000;
	}
	r.pid = (uint32_t)pid;
	r.tid = (uint32_t)tid;
	r.begin_ns = (ts - t->first_us) * 1000;
	r.end_ns = r.begin_ns + dur * 1000;
	return foreign_add(&t->base, &r, e);
}

static int take_event(struct dftracer *t, const json_t *o, struct err *e)
{
	const json_t *ph = json_object_get(o, "ph"), *args = json_object_get(o, "args");
	const char *letter = json_string_value(ph), *cat, *name;
	cat = json_string_value(json_object_get(o, "cat"));
	name = json_string_value(json_object_get(o, "name"));
	if ((!letter && !json_is_integer(ph)) || !name)
		return foreign_at(&t->base, t->base.line, e,
				  "not an event: it has no \"name\" or no \"ph\"");
	/* letters; since version 3, also numbers: complete 1, counter 2, aggregated 3, metadata
	 * 4 */
	const bool complete = letter ? !strcmp(letter, "X") : json_integer_value(ph) == 1;
	const bool metadata = letter ? !strcmp(letter, "M") : json_integer_value(ph) == 4;
	if (!complete)
		return take_other(t, o, metadata, cat, args, e);
	const enum trace_op op = cat && !strcmp(cat, "POSIX") ? call_find(name) : OP_INVALID;
	if (op != OP_INVALID)
		return take_call(t, o, args, op, e);
	/* phases of the program and events of the tracer itself are not requests */
	t->base.base.notes.n_not_requests +=
	    cat && (!strcmp(cat, "POSIX") || !strcmp(cat, "STDIO"));
	return 0;
}

static int dftracer_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct dftracer *t = (struct dftracer *)f;
	const char *end = s + len;
	json_error_t je;
	s = skip_blanks(s, end);
	while (end > s && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == ','))
		end--;
	if (s == end || (end - s == 1 && (*s == '[' || *s == ']')))
		return 0;
	json_auto_t *o = json_loadb(s, (size_t)(end - s), 0, &je);
	return json_is_object(o)
		   ? take_event(t, o, e)
		   : foreign_at(f, s, e, "not a JSON object: %s",
				o ? "a value of another type" : je.text);
}

static void dftracer_reset(struct foreign *f)
{
	struct dftracer *t = (struct dftracer *)f;
	t->has_first = false;
	u64_map_release(&t->files);
	t->files = (struct u64_map){0};
}

static void dftracer_release(struct foreign *f)
{
	u64_map_release(&((struct dftracer *)f)->files);
}

static void dftracer_setup(struct foreign *f, const struct trace_open_options *o)
{
	(void)o;
	f->base.meta.meta.root = "/";
	f->base.meta.meta.clock_resolution_ns = 1000;
}

static const struct foreign_reader reader = {.clock = "wall",
					     .captured_by = "DFTracer",
					     .level = LEVEL_SYSCALL,
					     .size = sizeof(struct dftracer),
					     .setup = dftracer_setup,
					     .line = dftracer_line,
					     .reset = dftracer_reset,
					     .release = dftracer_release};

static int dftracer_bid(const unsigned char *head, size_t len, const char *path)
{
	(void)path;
	const char *s = skip_blanks((const char *)head, (const char *)head + len);
	if (s == (const char *)head + len || (*s != '{' && *s != '['))
		return 0;
	return memmem(head, len, "\"cat\":", 6) && memmem(head, len, "\"ph\":", 5) &&
		       memmem(head, len, "\"tid\":", 6)
		   ? 50
		   : 0;
}

const struct trace_format format_dftracer = {.name = "dftracer",
					     .help = ".pfw files of DFTracer (DLIO, MLPerf "
						     "Storage)",
					     .bid = dftracer_bid,
					     .reader = &reader};
