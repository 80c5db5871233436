/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/trace_split.h"

#include <jansson.h>

#include "capture/format.h"
#include "common/units.h"

#define BYTES_LEAST (64u << 10)
#define NS_LEAST 1000000

struct trace_split {
	struct trace *from;
	const char *path;
	const struct trace_parts *size;
	bool compress;
	struct trace_writer *to; /* NULL between two parts */
	uint32_t n;		 /* number of parts so far */
	uint32_t n_objects;	 /* number of objects of the input that this part already has */
	uint64_t n_bytes;	 /* bytes of this part */
	int64_t first_ns, end_ns; /* first begin of the trace; end of the current part */
};

int trace_parts_parse(struct trace_parts *p, const char *text, struct err *e)
{
	struct err ignored = ERR_INIT;
	*p = (struct trace_parts){0};
	if (parse_duration(text, &p->ns, &ignored) && parse_size(text, &p->bytes, &ignored))
		return err_set(e, EINVAL, "%s: expected a size such as 64M or a duration such as "
			"1h", text);
	if (p->ns ? p->ns < NS_LEAST : p->bytes < BYTES_LEAST)
		return err_set(e, ERANGE, "%s is too small: a part needs at least 64 KiB or 1 ms",
			       text);
	return 0;
}

char *trace_part_name(const char *path, uint32_t index)
{
	return xasprintf("%s.%03u", path, index);
}

int64_t trace_part_index(const struct trace_meta *meta)
{
	json_auto_t *extra = meta->extra_json ? json_loads(meta->extra_json, 0, NULL) : NULL;
	const json_t *index = json_object_get(json_object_get(extra, "part"), "index");
	return json_is_integer(index) ? json_integer_value(index) : -1;
}

static char *extra_of_part(const struct trace_split *s)
{
	const char *text = trace_meta(s->from)->extra_json, *slash = strrchr(s->path, '/');
	json_auto_t *extra = text ? json_loads(text, 0, NULL) : NULL;
	extra = extra ? extra : json_object();
	json_object_set_new(extra, "part",
			    json_pack("{s:s%,s:I}", "of", slash ? slash + 1 : s->path,
				      strlen(slash ? slash + 1 : s->path), "index",
				      (json_int_t)s->n));
	return json_dumps(extra, JSON_COMPACT);
}

static int part_begin(struct trace_split *s, struct err *e)
{
	struct trace_meta meta = *trace_meta(s->from);
	const struct trace_write_options how = {.compress = s->compress};
	char *name = trace_part_name(s->path, s->n), *extra = extra_of_part(s);
	meta.extra_json = extra;
	if (s->n)
		meta.files = (struct fileset){0};
	int ret = trace_writer_open(&s->to, name, &meta, &how, e);
	s->n++;
	s->n_objects = 0;
	s->n_bytes = 0;
	FREE_EACH(extra, name);
	return ret;
}

static int part_end(struct trace_split *s, struct err *e)
{
	struct trace_writer *to = s->to;
	s->to = NULL;
	return to ? trace_writer_close(to, e) : 0;
}

static bool is_full(struct trace_split *s, const struct trace_record *r, size_t bytes)
{
	if (s->size->bytes)
		return s->n_bytes && s->n_bytes + bytes > s->size->bytes;
	return r->begin_ns != TIME_NONE && r->begin_ns >= s->end_ns;
}

/* Finds the end of the part: a multiple of the duration, counted from the first request of the
 * trace. */
static void end_find(struct trace_split *s, const struct trace_record *r)
{
	if (r->begin_ns == TIME_NONE || !s->size->ns)
		return;
	if (s->n == 1 && s->first_ns == TIME_NONE)
		s->first_ns = r->begin_ns;
	s->end_ns = r->begin_ns + s->size->ns - (r->begin_ns - s->first_ns) % s->size->ns;
}

/* Every part has the object ids of the input, because heap items refer to objects by id. */
static int record_write(struct trace_split *s, const struct trace_record *from, struct err *e)
{
	struct trace_record r = *from;
	size_t len = 0;
	const void *data;
	int ret = trace_heap(s->from, r.heap, &data, &len, e);
	if (!ret && s->to && is_full(s, &r, sizeof r + len))
		ret = part_end(s, e);
	if (!ret && !s->to) {
		ret = part_begin(s, e);
		end_find(s, &r);
	}
	s->n_bytes += sizeof r + len;
	ret = ret ? ret : trace_copy_objects(s->from, s->to, &s->n_objects, e);
	ret = ret ? ret : trace_copy_heap(s->from, s->to, &r.heap, e);
	return ret ? ret : trace_writer_append(s->to, &r, 1, e);
}

int trace_split(const char *path, const struct trace_parts *p, bool compress, uint32_t *n,
		struct err *e)
{
	struct trace_split s = {.path = path, .size = p, .compress = compress,
				.first_ns = TIME_NONE};
	const struct trace_record *r;
	int ret = trace_file_open(&s.from, path, e);
	while (!ret && (ret = trace_next(s.from, &r, e)) == 1)
		ret = record_write(&s, r, e);
	if (!ret && !s.n)
		ret = part_begin(&s, e); /* a trace without requests becomes one part */
	if (ret)
		trace_writer_abort(s.to);
	else
		ret = part_end(&s, e);
	trace_close(s.from);
	if (!ret && unlink(path))
		ret = err_sys(e, errno, "cannot remove %s", path);
	*n = s.n;
	return ret;
}
