/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_facts.h"

#include "capture/command_facts.h"
#include "common/hex.h"
#include "common/json_count.h"
#include "common/sort.h"

void memory_init(struct app_memory *m, int64_t interval_ns)
{
	m->interval_ns = interval_ns;
	m->next_ns = INT64_MIN;
	m->n = 0;
}

void memory_add(struct app_memory *m, int64_t now_ns, uint64_t bytes)
{
	if (m->n == MEMORY_SAMPLES_MAX) {
		for (size_t i = 0; i < m->n / 2; i++)
			m->sample[i] = m->sample[2 * i];
		m->n /= 2;
		m->interval_ns *= 2;
	}
	m->sample[m->n++] = (struct app_memory_sample){now_ns, bytes};
	/* keeps the rhythm of the interval if this sample is late */
	if (m->next_ns == INT64_MIN)
		m->next_ns = now_ns;
	m->next_ns += ((now_ns - m->next_ns) / m->interval_ns + 1) * m->interval_ns;
}

static json_t *text_json(const char *text)
{
	json_t *o = json_string(text);
	return o ? o : json_string("?"); /* no UTF-8 */
}

static bool path_begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const char *kind_of(const char *path, uint64_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return path_begins(path, "/memfd:") ? "other" : "file";
	case S_IFDIR:
		return "directory";
	case S_IFIFO:
		return "pipe";
	case S_IFSOCK:
		return "socket";
	case S_IFCHR:
		return path_begins(path, "/dev/pts/") || path_begins(path, "/dev/tty") ? "terminal"
										       : "device";
	case S_IFBLK:
		return "device";
	default:
		return "other";
	}
}

void facts_descriptor_add(json_t *table, uint32_t pid, const struct log_record *r, const char *full,
			  const char *name)
{
	if (json_array_size(table) >= DESCRIPTORS_MAX)
		return;
	const char *kind = kind_of(full, r->length);
	json_t *row = json_pack("{s:I,s:i,s:s,s:I,s:I}", "pid", (json_int_t)pid, "fd", r->fd,
				"kind", kind, "flags", (json_int_t)r->flags, "position",
				(json_int_t)(r->offset & INT64_MAX));
	json_object_set_new(row, "path", text_json(name));
	json_array_append_new(table, row);
}

static void programs_set(json_t *facts, const char *count, const char *names,
			 const struct app_programs *p)
{
	json_t *list = json_array();
	for (int i = 0; i < APP_NAMES_SHOWN && p->name[i]; i++)
		json_array_append_new(list, text_json(p->name[i]));
	json_object_set_new(facts, count, json_integer((json_int_t)p->n));
	json_object_set_new(facts, names, list);
}

static json_t *samples_json(const struct app_memory *m, int64_t epoch_ns)
{
	json_t *list = json_array();
	for (size_t i = 0; i < m->n; i++)
		json_array_append_new(list, json_pack("{s:I,s:I}", "t_ns",
						      (json_int_t)(m->sample[i].ns - epoch_ns),
						      "bytes", (json_int_t)m->sample[i].bytes));
	return list;
}

static json_t *content_json(const struct app_outcome *o)
{
	char name[2 * sizeof o->content_name + 1];
	hex_write(name, o->content_name, sizeof o->content_name);
	return json_pack("{s:s,s:I,s:I,s:I,s:I}", "name", name, "requests",
			 (json_int_t)o->n_content_requests, "bytes", (json_int_t)o->n_content_bytes,
			 "stored_bytes", (json_int_t)o->n_content_stored_bytes, "requests_without",
			 (json_int_t)o->n_without_content);
}

struct told_cpus {
	uint32_t pid, tid;
	const struct spool_window *window; /* later windows have higher addresses */
};

ORDER_BY(by_thread, struct told_cpus, pid, tid, window)

json_t *facts_affinity(const struct spool *s)
{
	SCOPED_FREE struct told_cpus *told = xmalloc((s->n_windows + 1) * sizeof *told);
	size_t n = 0;
	for (size_t i = 0; i < s->n_windows; i++) {
		const struct spool_window *w = &s->window[i];
		if (w->cpus_known)
			told[n++] = (struct told_cpus){w->pid, w->tid, w};
	}
	qsort(told, n, sizeof *told, by_thread);
	json_t *rows = n ? json_array() : NULL;
	for (const struct told_cpus *t = told; t < told + n; t++)
		if (t + 1 == told + n || t[1].pid != t->pid || t[1].tid != t->tid) /* its last */
			affinity_add(rows, t->pid, t->tid, t->window->cpus);
	return rows;
}

char *facts_text(const struct app_config *c, const struct app_outcome *o, const json_t *descriptors,
		 const json_t *processes, const json_t *threads, const json_t *affinity,
		 const struct app_memory *m, int64_t epoch_ns)
{
	json_t *facts = json_pack(
	    "{s:s,s:I,s:I,s:I,s:I,s:I,s:i,s:I,s:o*,s:o*,s:o*,s:o*,s:o*}", "method", "preload",
	    "processes", (json_int_t)o->n_processes, "threads", (json_int_t)o->n_threads,
	    "requests_outside_root", (json_int_t)o->n_outside, "records_torn",
	    (json_int_t)o->n_torn, "ring_entries", (json_int_t)o->n_ring_entries, "wait_status",
	    o->status, "records_garbled", (json_int_t)o->n_garbled, "n_mounts",
	    json_of_some(o->n_mounts), "n_unshared", json_of_some(o->n_unshared), "n_file_actions",
	    json_of_some(o->n_file_actions), "interrupted", o->interrupted ? json_true() : NULL,
	    "snapshot", c->snapshot || c->digests ? json_true() : NULL);
	programs_set(facts, "programs_unseen", "unseen", &o->unseen);
	programs_set(facts, "programs_own_calls", "own_calls", &o->own_calls);
	programs_set(facts, "programs_own_rings", "own_rings", &o->own_rings);
#if defined(__x86_64__) /* on other architectures, code was not searched (code_scan.h) */
	programs_set(facts, "programs_made_code", "made_code", &o->made_code);
	programs_set(facts, "programs_replaced", "replaced", &o->replaced);
#endif
	json_auto_t *top = json_pack(
	    "{s:o,s:o*,s:O*,s:O*,s:O*,s:O*,s:o*,s:o*}", "capture", facts, "command",
	    command_facts((const char *const *)c->command), "descriptors",
	    json_array_size(descriptors) ? descriptors : NULL, "processes", processes, "threads",
	    threads, "affinity", affinity, "anonymous_memory",
	    m && m->interval_ns ? samples_json(m, epoch_ns) : NULL, "content",
	    c->content ? content_json(o) : NULL);
	return json_dumps(top, JSON_COMPACT);
}
