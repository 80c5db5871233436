/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/trace_meta.h"

#include "common/hex.h"
#include "common/json_count.h"

#define PARTS_MAX 1000000u

struct meta_memory {
	char **string;
	size_t n, cap;
	struct fileset_entry *entry;
	struct fileset_detail *detail;
};

static const char *const level_names[] = {[LEVEL_SYSCALL] = "syscall", [LEVEL_BLOCK] = "block"};

/* String members and their JSON keys, for writing and reading. */
static const struct {
	const char *key;
	size_t offset;
} string_fields[] = {
    {"clock", offsetof(struct trace_meta, clock)},
    {"host", offsetof(struct trace_meta, host)},
    {"command", offsetof(struct trace_meta, command)},
    {"captured_by", offsetof(struct trace_meta, captured_by)},
    {"root", offsetof(struct trace_meta, root)},
};
/* Times and properties of the clock. */
static const struct {
	const char *key;
	size_t offset;
	int64_t most;
} time_fields[] = {
    {"epoch_ns", offsetof(struct trace_meta, epoch_ns), TRACE_TIME_MAX},
    {"wall_epoch_ns", offsetof(struct trace_meta, wall_epoch_ns), TRACE_WALL_MAX},
};
static const struct {
	const char *key;
	size_t offset;
} clock_fields[] = {
    {"clock_resolution_ns", offsetof(struct trace_meta, clock_resolution_ns)},
    {"clock_read_cost_ns", offsetof(struct trace_meta, clock_read_cost_ns)},
};
#define N_ROWS(table) (sizeof(table) / sizeof *(table))
#define TIME_FIELD(meta, i) (*(int64_t *)(void *)((char *)(meta) + time_fields[i].offset))
#define CLOCK_FIELD(meta, i) (*(double *)(void *)((char *)(meta) + clock_fields[i].offset))
#define N_STRINGS (sizeof string_fields / sizeof *string_fields)
#define STRING_FIELD(meta, i) (*(const char **)((char *)(meta) + string_fields[i].offset))

void meta_store_release(struct meta_store *m)
{
	if (m->memory) {
		for (size_t i = 0; i < m->memory->n; i++)
			free(m->memory->string[i]);
		FREE_EACH(m->memory->string, m->memory->entry, m->memory->detail, m->memory);
	}
	meta_store_init(m);
}

/* Takes ownership of `s`. */
static const char *string_keep(struct meta_store *m, char *s)
{
	struct meta_memory *mem = m->memory;
	GROW(mem->string, mem->n, mem->cap);
	mem->string[mem->n++] = s;
	return s;
}

/* --- to JSON ------------------------------------------------------------- */

/* A JSON string for UTF-8 text; otherwise {"base16": ...}. */
static json_t *json_bytes(const char *s)
{
	json_t *plain = json_string(s);
	if (plain)
		return plain;
	size_t len = strlen(s);
	SCOPED_FREE char *hex = xmalloc(2 * len + 1);
	hex_write(hex, s, len);
	return json_pack("{s:s}", "base16", hex);
}

/* One list of alternating offsets and lengths: a list for each hole would exceed the limit of
 * lists. */
static json_t *json_holes(const struct fileset_detail *f)
{
	json_t *a = json_array();
	for (size_t i = 0; i < f->n_holes; i++) {
		json_array_append_new(a, json_of_count(f->hole[i].offset));
		json_array_append_new(a, json_of_count(f->hole[i].length));
	}
	return a;
}

static json_t *json_digest(const uint8_t *digest)
{
	char text[2 * FILESET_DIGEST + 1];
	hex_write(text, digest, FILESET_DIGEST);
	return json_string(text);
}

static void json_detail(json_t *o, const struct fileset_detail *d)
{
	if (d->mode)
		json_object_set_new(o, "mode", json_integer(d->mode));
	if (d->link)
		json_object_set_new(o, "link", json_bytes(d->link));
	if (d->n_holes)
		json_object_set_new(o, "holes", json_holes(d));
	if (d->holes_cut)
		json_object_set_new(o, "holes_cut", json_true());
	if (d->has_digest)
		json_object_set_new(o, "sha256", json_digest(d->digest));
	if (d->same_file)
		json_object_set_new(o, "same_file", json_integer(d->same_file));
}

static json_t *json_files(const struct fileset *s)
{
	json_t *a = json_array();
	for (size_t i = 0; i < s->n; i++) {
		json_t *o = json_object();
		json_object_set_new(o, "path", json_bytes(s->entry[i].path));
		if (s->entry[i].directory)
			json_object_set_new(o, "directory", json_true());
		else
			json_object_set_new(o, "size", json_of_count(s->entry[i].size));
		if (s->detail)
			json_detail(o, &s->detail[i]);
		json_array_append_new(a, o);
	}
	return a;
}

static int set_extra(json_t *top, const char *extra, struct err *e)
{
	json_error_t je;
	json_t *o = json_loads(extra, JSON_REJECT_DUPLICATES, &je);
	if (!o)
		return err_set(e, EINVAL, "the trace's extra metadata is not JSON: column %d: %s",
			       je.column, je.text);
	if (!json_is_object(o)) {
		json_decref(o);
		return err_set(e, EINVAL, "the trace's extra metadata is not a JSON object");
	}
	json_object_set_new(top, "extra", o);
	return 0;
}

int meta_to_json(const struct trace_meta *meta, char **text, size_t *len, struct err *e)
{
	if (meta->level != LEVEL_SYSCALL && meta->level != LEVEL_BLOCK)
		return err_set(e, EINVAL, "trace level %d does not exist: a trace holds "
			"system calls or requests of a block device", (int)meta->level);
	json_t *top = json_object();
	json_object_set_new(top, "level", json_string(level_names[meta->level]));
	for (size_t i = 0; i < N_ROWS(time_fields); i++)
		json_object_set_new(top, time_fields[i].key, json_integer(TIME_FIELD(meta, i)));
	for (size_t i = 0; i < N_ROWS(clock_fields); i++)
		if (isfinite(CLOCK_FIELD(meta, i)))
			json_object_set_new(top, clock_fields[i].key,
					    json_real(CLOCK_FIELD(meta, i)));
	for (size_t i = 0; i < N_STRINGS; i++)
		if (STRING_FIELD(meta, i))
			json_object_set_new(top, string_fields[i].key,
					    json_bytes(STRING_FIELD(meta, i)));
	json_object_set_new(top, "n_events_lost", json_of_count(meta->n_events_lost));
	if (meta->cut)
		json_object_set_new(top, "cut", json_true());
	json_object_set_new(top, "seed", json_of_count(meta->seed));
	if (meta->files.n)
		json_object_set_new(top, "files", json_files(&meta->files));
	int ret = meta->extra_json ? set_extra(top, meta->extra_json, e) : 0;
	*text = ret ? NULL : json_dumps(top, JSON_COMPACT);
	json_decref(top);
	if (!ret && !*text)
		ret = err_set(e, ENOMEM, "the trace's metadata cannot be written as JSON");
	*len = *text ? strlen(*text) : 0;
	return ret;
}

/* --- from JSON ----------------------------------------------------------- */

/* Inverse of json_bytes(). NULL: the value has neither form. */
static char *bytes_from_json(const json_t *v)
{
	if (json_is_string(v))
		return xstrdup(json_string_value(v));
	const json_t *hex = json_object_get(v, "base16");
	if (!json_is_string(hex) || json_string_length(hex) % 2)
		return NULL;
	size_t len = json_string_length(hex) / 2;
	const char *s = json_string_value(hex);
	char *out = xmalloc(len + 1);
	if (!hex_read(out, s, len) || memchr(out, 0, len)) {
		free(out);
		return NULL;
	}
	out[len] = 0;
	return out;
}

static int value_refuse(const char *key, const char *wanted, struct err *e)
{
	return err_set(e, EINVAL, "metadata: the value of \"%s\" is not %s", key, wanted);
}

static int get_u64(const json_t *o, const char *key, uint64_t *v, struct err *e)
{
	const json_t *j = json_object_get(o, key);
	if (!j)
		return 0;
	if (json_is_integer(j) && json_integer_value(j) >= 0) {
		*v = (uint64_t)json_integer_value(j);
		return 0;
	}
	const char *s = json_is_string(j) ? json_string_value(j) : "";
	char *end;
	errno = 0;
	unsigned long long u = strtoull(s, &end, 10);
	if (*s < '0' || *s > '9' || *end || errno)
		return value_refuse(key, "a whole number of 0 or more", e);
	*v = u;
	return 0;
}

static int get_times(struct trace_meta *meta, const json_t *o, struct err *e)
{
	for (size_t i = 0; i < N_ROWS(time_fields); i++) {
		const char *key = time_fields[i].key;
		const int64_t most = time_fields[i].most;
		const json_t *j = json_object_get(o, key);
		if (j && !json_is_integer(j))
			return value_refuse(key, "a whole number", e);
		if (j && (json_integer_value(j) > most || json_integer_value(j) < -most))
			return value_refuse(key, "a time that a trace can hold", e);
		if (j)
			TIME_FIELD(meta, i) = json_integer_value(j);
	}
	for (size_t i = 0; i < N_ROWS(clock_fields); i++) {
		const json_t *j = json_object_get(o, clock_fields[i].key);
		const double ns = json_number_value(j);
		if (j && (!json_is_number(j) || !(ns >= 0) || !isfinite(ns)))
			return value_refuse(clock_fields[i].key, "a number of 0 or more", e);
		if (j)
			CLOCK_FIELD(meta, i) = ns;
	}
	return 0;
}

static int get_strings(struct meta_store *m, const json_t *top, struct err *e)
{
	for (size_t i = 0; i < N_STRINGS; i++) {
		const json_t *j = json_object_get(top, string_fields[i].key);
		char *s = j ? bytes_from_json(j) : NULL;
		if (j && !s)
			return value_refuse(string_fields[i].key, "a string", e);
		STRING_FIELD(&m->meta, i) = s ? string_keep(m, s) : NULL;
	}
	return 0;
}

static int get_level(struct trace_meta *meta, const json_t *top, struct err *e)
{
	const json_t *j = json_object_get(top, "level");
	for (enum trace_level l = LEVEL_SYSCALL; l <= LEVEL_BLOCK; l++)
		if (json_is_string(j) && !strcmp(json_string_value(j), level_names[l])) {
			meta->level = l;
			return 0;
		}
	return value_refuse("level", "\"syscall\" or \"block\"", e);
}

static int get_holes(struct meta_store *m, const json_t *o, struct fileset_detail *f, struct err *e)
{
	const json_t *a = json_object_get(o, "holes");
	size_t n = json_array_size(a) / 2;
	if (!a)
		return 0;
	struct fileset_hole *hole = xcalloc(n + 1, sizeof *hole);
	string_keep(m, (char *)hole);
	for (size_t i = 0; i < 2 * n; i++) {
		const json_t *v = json_array_get(a, i);
		if (!json_is_integer(v) || json_integer_value(v) < 0)
			return value_refuse("holes", "a list of offsets and lengths", e);
		uint64_t *to = i % 2 ? &hole[i / 2].length : &hole[i / 2].offset;
		*to = (uint64_t)json_integer_value(v);
	}
	f->hole = hole;
	f->n_holes = n;
	f->holes_cut = json_is_true(json_object_get(o, "holes_cut"));
	return 0;
}

static int get_digest(const json_t *o, struct fileset_detail *f, struct err *e)
{
	const json_t *v = json_object_get(o, "sha256");
	const char *text = json_string_value(v);
	if (!v)
		return 0;
	if (!text || strlen(text) != 2 * FILESET_DIGEST ||
	    !hex_read(f->digest, text, FILESET_DIGEST))
		return value_refuse("sha256", "64 hexadecimal digits", e);
	f->has_digest = true;
	return 0;
}

static int get_same_file(const json_t *o, bool is_file, struct fileset_detail *f, struct err *e)
{
	const json_t *v = json_object_get(o, "same_file");
	if (!v)
		return 0;
	if (!is_file)
		return err_set(e, EINVAL, "metadata: only a regular file can have \"same_file\"");
	if (!json_is_integer(v) || json_integer_value(v) < 1 || json_integer_value(v) > UINT32_MAX)
		return value_refuse("same_file", "a whole number from 1 to 4294967295", e);
	f->same_file = (uint32_t)json_integer_value(v);
	return 0;
}

static int get_mode_and_link(struct meta_store *m, const json_t *o, struct fileset_detail *f,
			     struct err *e)
{
	const json_t *mode = json_object_get(o, "mode"), *link = json_object_get(o, "link");
	if (mode && (!json_is_integer(mode) || json_integer_value(mode) < 0 ||
		     json_integer_value(mode) > 07777))
		return value_refuse("mode", "a number from 0 to 4095 (permissions)", e);
	f->mode = (uint32_t)json_integer_value(mode);
	char *target = link ? bytes_from_json(link) : NULL;
	if (link && (!target || !*target)) {
		free(target);
		return value_refuse("link", "a path", e);
	}
	f->link = target ? string_keep(m, target) : NULL;
	return get_holes(m, o, f, e);
}

static int get_files(struct meta_store *m, const json_t *top, struct err *e)
{
	const json_t *a = json_object_get(top, "files");
	if (!a)
		return 0;
	if (!json_is_array(a))
		return value_refuse("files", "a list", e);
	size_t n = json_array_size(a);
	struct fileset_entry *entry = m->memory->entry = xcalloc(n ? n : 1, sizeof *entry);
	struct fileset_detail *detail = m->memory->detail = xcalloc(n ? n : 1, sizeof *detail);
	for (size_t i = 0; i < n; i++) {
		const json_t *o = json_array_get(a, i);
		char *path = bytes_from_json(json_object_get(o, "path"));
		if (!path || !*path) {
			free(path);
			return value_refuse("files", "a list in which each entry has a \"path\"",
					    e);
		}
		entry[i].path = string_keep(m, path);
		entry[i].directory = json_is_true(json_object_get(o, "directory"));
		int ret = get_u64(o, "size", &entry[i].size, e);
		ret = ret ? ret : get_mode_and_link(m, o, &detail[i], e);
		ret = ret ? ret : get_digest(o, &detail[i], e);
		ret = ret ? ret
			: get_same_file(o, !entry[i].directory && !detail[i].link, &detail[i], e);
		if (ret)
			return err_context(e, "files[%zu]", i);
	}
	m->meta.files = (struct fileset){.entry = entry, .n = n, .detail = detail};
	return 0;
}

static int get_extra(struct meta_store *m, const json_t *top, struct err *e)
{
	const json_t *o = json_object_get(top, "extra");
	if (!o)
		return 0;
	char *text = json_is_object(o) ? json_dumps(o, JSON_COMPACT) : NULL;
	if (!text)
		return value_refuse("extra", "an object", e);
	m->meta.extra_json = string_keep(m, text);
	return 0;
}

static int get_all(struct meta_store *m, const json_t *top, struct err *e)
{
	struct trace_meta *meta = &m->meta;
	int ret = get_level(meta, top, e);
	ret = ret ? ret : get_times(meta, top, e);
	ret = ret ? ret : get_u64(top, "n_events_lost", &meta->n_events_lost, e);
	meta->cut = json_is_true(json_object_get(top, "cut"));
	ret = ret ? ret : get_u64(top, "seed", &meta->seed, e);
	ret = ret ? ret : get_strings(m, top, e);
	ret = ret ? ret : get_files(m, top, e);
	return ret ? ret : get_extra(m, top, e);
}

/* Limits the memory for untrusted text: a parsed list or object needs some hundred bytes. */
static bool has_too_many_parts(const char *text, size_t len)
{
	size_t n = 0;
	for (size_t i = 0; i < len; i++)
		n += text[i] == '[' || text[i] == '{';
	return n > PARTS_MAX;
}

int meta_from_json(struct meta_store *m, const char *text, size_t len, struct err *e)
{
	json_error_t je;
	if (has_too_many_parts(text, len))
		return err_set(e, EINVAL, "the metadata has more than %u JSON arrays and objects",
			       PARTS_MAX);
	json_t *top = json_loadb(text, len, JSON_REJECT_DUPLICATES, &je);
	if (!top)
		return err_set(e, EINVAL, "metadata is not JSON: line %d column %d: %s", je.line,
			       je.column, je.text);
	struct meta_store fresh;
	meta_store_init(&fresh);
	fresh.memory = xcalloc(1, sizeof *fresh.memory);
	int ret = json_is_object(top) ? get_all(&fresh, top, e)
				     : err_set(e, EINVAL, "metadata is not a JSON object");
	json_decref(top);
	struct meta_store unwanted = ret ? fresh : *m;
	if (!ret)
		*m = fresh;
	meta_store_release(&unwanted);
	return ret;
}
