/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/trace_set.h"

#include "capture/processes.h"
#include "capture/trace_split.h"
#include "capture/unseen.h"
#include "common/files.h"

static bool all_have_clock(const struct trace_set *m, bool wall)
{
	bool all = true;
	for (size_t i = 0; i < m->n; i++)
		all &= (wall ? trace_meta(m->t[i])->wall_epoch_ns
			     : trace_meta(m->t[i])->epoch_ns) != 0;
	return all;
}

static void epochs_align(struct trace_set *m)
{
	bool wall = all_have_clock(m, true);
	if (m->n < 2 || (!wall && !all_have_clock(m, false)))
		return;
	for (size_t i = 0; i < m->n; i++) {
		const struct trace_meta *a = trace_meta(m->t[0]), *b = trace_meta(m->t[i]);
		int64_t shift =
		    wall ? b->wall_epoch_ns - a->wall_epoch_ns : b->epoch_ns - a->epoch_ns;
		m->shift_ns[i] =
		    shift > TRACE_TIME_MAX / 2 || shift < -TRACE_TIME_MAX / 2 ? 0 : shift;
	}
}

/* Checks that no input has the name of the output, because the output replaces that file. */
static int output_check_inputs(const char *output, const char *const *path, size_t n, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; i < n && !ret; i++)
		ret = output_check_input(output, path[i], e);
	return ret;
}

/* If a name has no file, replaces it by the parts of a capture (--rotate). */
static void parts_find(struct trace_set *m, const char *const *path, size_t n)
{
	size_t n_given = 0, cap = 0;
	for (size_t i = 0; i < n; i++) {
		char *part = access(path[i], F_OK) ? trace_part_name(path[i], 0) : NULL;
		if (!part || access(part, F_OK)) {
			free(part);
			part = xstrdup(path[i]);
			APPEND(m->given, n_given, cap, part);
			continue;
		}
		for (uint32_t k = 0; !access(part, F_OK); part = trace_part_name(path[i], ++k))
			APPEND(m->given, n_given, cap, part);
		free(part);
	}
	m->n_given = n_given;
}

/* Refuses traces in which equal names or numbers mean different things. */
static int merge_check(const struct trace_set *m, struct err *e)
{
	const struct trace_meta *a = m->n ? trace_meta(m->t[0]) : NULL;
	for (size_t i = 1; i < m->n; i++) {
		const struct trace_meta *b = trace_meta(m->t[i]);
		if (a->level != b->level)
			return err_set(e, EINVAL, "%s and %s cannot be merged: one has requests of "
				"a block device, and the other has system calls",
				m->path[0], m->path[i]);
		if (a->level == LEVEL_SYSCALL && a->root && b->root && strcmp(a->root, b->root))
			return err_set(e, EINVAL, "%s and %s cannot be merged: their names are "
				"relative to different directories, %s and %s (capture both with "
				"the same --root)", m->path[0], m->path[i], a->root, b->root);
	}
	return 0;
}

int trace_set_open(struct trace_set *m, const struct open_options *o, const char *const *names,
		   size_t n_names, const char *output, struct err *e)
{
	struct trace_set found = {0};
	parts_find(&found, names, n_names);
	const size_t n = found.n_given;
	const char *const *path = (const char *const *)found.given;
	*m = (struct trace_set){.t = xcalloc(n, sizeof *m->t), .path = xcalloc(n, sizeof *m->path),
		.shift_ns = xcalloc(n, sizeof *m->shift_ns), .given = found.given, .n_given = n};
	const struct trace_format *f = NULL;
	int ret = output_check_inputs(output, path, n, e);
	ret = ret ? ret : output_check_input(output, o->mapping, e);
	if (!ret && o->from)
		ret = find_format(&f, "validate import --from", o->from, e);
	else if (!ret && !o->mapping)
		ret = trace_format_detect(&f, path[0], e);
	/* formats in which several files are parts of one trace */
	bool one = f && (!strcmp(f->name, "blktrace") || !strcmp(f->name, "parallel"));
	for (size_t i = 0; i < (one ? 1 : n) && !ret; i++) {
		ret = open_trace(&m->t[i], o, path[i], path + 1, one ? n - 1 : 0, e);
		m->path[i] = path[i];
		m->n += !ret;
	}
	ret = ret ? ret : merge_check(m, e);
	if (!ret)
		epochs_align(m);
	return ret;
}

void trace_set_close(struct trace_set *m)
{
	for (size_t i = 0; i < m->n; i++)
		trace_close(m->t[i]);
	free(m->t);
	for (size_t i = 0; i < m->n_given; i++)
		free(m->given[i]);
	FREE_EACH(m->given, m->path, m->shift_ns, m->names);
	memset(m, 0, sizeof *m);
}

static bool files_equal(const struct fileset *a, const struct fileset *b)
{
	bool equal = a->n == b->n;
	for (size_t i = 0; i < a->n && equal; i++)
		equal = !strcmp(a->entry[i].path, b->entry[i].path) &&
			a->entry[i].size == b->entry[i].size &&
			a->entry[i].directory == b->entry[i].directory;
	return equal;
}

/* Returns the initial files that all traces state; NULL: they differ. Only part 0 of a capture
 * states files. */
static const struct fileset *files_common(const struct trace_set *m, size_t n)
{
	const struct fileset *files = NULL;
	json_auto_t *first = trace_extra(m->t[0]);
	const json_t *of = json_object_get(json_object_get(first, "part"), "of");
	bool common = true, begun = false, continued = false;
	for (size_t i = 0; i < n && common; i++) {
		const struct trace_meta *meta = trace_meta(m->t[i]);
		json_auto_t *extra = trace_extra(m->t[i]);
		const json_t *part = json_object_get(extra, "part");
		const bool is_same = of && json_equal(of, json_object_get(part, "of"));
		if (is_same && trace_part_index(meta) > 0) {
			continued = true;
			continue;
		}
		begun |= is_same;
		common = !files || files_equal(files, &meta->files);
		files = &meta->files;
	}
	return common && (begun || !continued) ? files : NULL;
}

void trace_set_meta(const struct trace_set *m, size_t n, struct trace_meta *meta)
{
	*meta = *trace_meta(m->t[0]);
	const struct fileset *files = files_common(m, n);
	meta->files = files ? *files : (struct fileset){0};
	for (size_t i = 1; i < m->n; i++) {
		const struct trace_meta *x = trace_meta(m->t[i]);
		if (x->clock_resolution_ns > meta->clock_resolution_ns)
			meta->clock_resolution_ns = x->clock_resolution_ns;
		if (x->clock_read_cost_ns > meta->clock_read_cost_ns)
			meta->clock_read_cost_ns = x->clock_read_cost_ns;
		meta->cut |= x->cut;
	}
	meta->n_events_lost = trace_set_events_lost(m);
}

uint64_t trace_set_events_lost(const struct trace_set *m)
{
	uint64_t n = 0;
	/* each part of a capture states the total number, so it is counted once */
	bool counted = false;
	for (size_t i = 0; i < m->n; i++) {
		const bool is_part = trace_part_index(trace_meta(m->t[i])) >= 0;
		if (!is_part || !counted)
			n += trace_meta(m->t[i])->n_events_lost;
		counted |= is_part;
	}
	return n;
}

const char *trace_set_format_names(struct trace_set *m)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < m->n; i++) {
		const char *name = trace_format_of(m->t[i])->name;
		if (!i || strcmp(name, trace_format_of(m->t[i - 1])->name))
			strbuf_addf(&b, "%s%s", i ? ", " : "", name);
	}
	free(m->names);
	m->names = strbuf_detach(&b);
	return m->names;
}

static json_t *one_source(const struct trace_set *m, size_t i)
{
	const struct trace_notes *n = trace_notes(m->t[i]);
	const char *slash = strrchr(m->path[i], '/');
	json_t *o = json_object();
	char text[1000];
	json_t *name = json_string(slash ? slash + 1 : m->path[i]), *notes = json_array();
	json_object_set_new(o, "file", name ? name : json_string("(its name is not UTF-8)"));
	json_object_set_new(o, "format", json_string(trace_format_of(m->t[i])->name));
	json_object_set_new(o, "n_left_out", json_integer((json_int_t)n->n_skipped));
	for (unsigned int k = 0; trace_note(m->t[i], k, text, sizeof text); k++) {
		json_t *note = json_string(text);
		json_array_append_new(notes, note ? note : json_string("(not UTF-8)"));
	}
	json_object_set_new(o, "notes", notes);
	return o;
}

json_t *trace_extra(const struct trace *t)
{
	const char *text = trace_meta(t)->extra_json;
	json_t *top = text ? json_loads(text, 0, NULL) : NULL;
	if (json_is_object(top))
		return top;
	json_decref(top);
	return json_object();
}

bool trace_set_kin(const struct trace_set *m, size_t n, json_t *top,
		   void (*retime)(json_t *rows, const void *x), const void *x)
{
	SCOPED(processes_release) struct processes processes, threads;
	processes_init(&processes);
	threads_init(&threads);
	for (size_t i = 0; i < n; i++) {
		json_auto_t *one = trace_extra(m->t[i]);
		processes_add(&processes, json_object_get(one, "processes"), m->shift_ns[i]);
		processes_add(&threads, json_object_get(one, "threads"), m->shift_ns[i]);
	}
	json_t *lists[] = {processes_list(&processes), processes_list(&threads)};
	static const char *const keys[] = {"processes", "threads"};
	for (size_t i = 0; i < 2; i++) {
		if (lists[i] && retime)
			retime(lists[i], x);
		if (lists[i])
			json_object_set_new(top, keys[i], lists[i]);
	}
	return lists[0] || lists[1];
}

/* Whether one of the files is that of thread `tid`, which strace -ff names FILE.TID. */
static bool has_thread(const struct trace_set *m, json_int_t tid)
{
	char suffix[24];
	snprintf(suffix, sizeof suffix, ".%" JSON_INTEGER_FORMAT, tid);
	for (size_t i = 0; i < m->n; i++)
		if (strlen(m->path[i]) > strlen(suffix) &&
		    !strcmp(m->path[i] + strlen(m->path[i]) - strlen(suffix), suffix))
			return true;
	return false;
}

/* Number of threads whose start is in this file of strace -ff, and whose own file is in the set. */
static uint64_t n_traced(const struct trace_set *m, const json_t *extra)
{
	uint64_t n = 0;
	size_t i;
	const json_t *tid;
	json_array_foreach(json_object_get(json_object_get(extra, "capture"), "untraced"), i, tid)
		n += has_thread(m, json_integer_value(tid));
	return n;
}

void trace_set_unseen(const struct trace_set *m, size_t n_traces, json_t *top)
{
	uint64_t traced = n_traced(m, top);
	for (size_t i = 0; i < n_traces; i++) {
		json_auto_t *extra = trace_extra(m->t[i]);
		if (i && trace_part_index(trace_meta(m->t[i])) < 0) {
			unseen_add(top, extra);
			traced += n_traced(m, extra);
		}
		unseen_count_add(top, "n_unread", trace_notes(m->t[i])->n_skipped);
	}
	json_t *capture = json_object_get(top, "capture");
	const uint64_t n = unseen_count(capture, "n_untraced");
	if (traced)
		json_object_set_new(capture, "n_untraced",
				    json_integer((json_int_t)(n > traced ? n - traced : 0)));
	json_object_del(capture, "untraced");
}

/* Appends the list `key` of another trace, unless the first trace has the same list. */
static void rows_add(const char *key, json_t *top, const json_t *first, const json_t *other)
{
	json_t *rows = json_object_get(top, key), *more = json_object_get(other, key);
	if (!json_is_array(more) || json_equal(json_object_get(first, key), more))
		return;
	if (rows)
		json_array_extend(rows, more);
	else
		json_object_set(top, key, more);
}

void trace_set_facts(const struct trace_set *m, size_t n, json_t *top)
{
	json_auto_t *first = trace_extra(m->t[0]);
	for (size_t i = 1; i < n; i++) {
		json_auto_t *other = trace_extra(m->t[i]);
		if (!json_equal(json_object_get(first, "anonymous_memory"),
				json_object_get(other, "anonymous_memory")))
			json_object_del(top, "anonymous_memory");
		rows_add("descriptors", top, first, other);
		rows_add("affinity", top, first, other);
	}
	if (!files_common(m, n))
		json_object_del(json_object_get(top, "capture"), "snapshot");
}

char *trace_set_extra_json(const struct trace_set *m)
{
	json_auto_t *top = trace_extra(m->t[0]);
	if (m->n > 1) {
		trace_set_facts(m, m->n, top);
		trace_set_kin(m, m->n, top, NULL, NULL);
		json_object_del(top, "part");
	}
	trace_set_unseen(m, m->n, top);
	json_t *list = json_array();
	for (size_t i = 0; i < m->n; i++)
		json_array_append_new(list, one_source(m, i));
	json_object_set_new(top, "imported", list);
	return json_dumps(top, JSON_COMPACT);
}
