/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/slice.h"

#include "capture/op.h"
#include "capture/unseen.h"
#include "common/sort.h"

struct slice_join {
	const struct trace *below;
	uint32_t *pid; /* pid[n_pids], ascending: processes of the program's trace */
	size_t n_pids, pids_cap;
	const char **name; /* name[n_names], ascending: files of the program's trace; borrowed */
	size_t n_names;
	/* faults of the program; its pages; faults and pages of other processes or files */
	uint64_t n_faults, n_pages, n_elsewhere;
};

static bool same_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* --- opening ------------------------------------------------------------- */

static int of_one_run(const struct trace_set *set, struct err *e)
{
	const struct trace_meta *a = trace_meta(set->t[0]), *b = trace_meta(set->t[1]);
	if (!a->epoch_ns || !b->epoch_ns)
		return err_set(e, EINVAL,
			       "%s cannot be joined: its metadata has no start time on the "
			       "monotonic clock; join only traces from \"validate capture app\" "
			       "and \"validate capture vfs\"",
			       set->path[a->epoch_ns ? 1 : 0]);
	if (!same_text(a->host, b->host))
		return err_set(e, EINVAL, "%s and %s were captured on different hosts: %s and %s",
			       set->path[0], set->path[1], a->host ? a->host : "unknown",
			       b->host ? b->host : "unknown");
	if (!same_text(a->root, b->root))
		return err_set(e, EINVAL,
			       "%s and %s name files relative to different directories: %s and %s",
			       set->path[0], set->path[1], a->root ? a->root : "unknown",
			       b->root ? b->root : "unknown");
	return 0;
}

static void pid_note(struct slice_join *j, uint32_t pid)
{
	size_t at = j->n_pids;
	if (at && bsearch(&pid, j->pid, at, sizeof *j->pid, order_u32))
		return;
	GROW(j->pid, j->n_pids, j->pids_cap);
	for (; at && j->pid[at - 1] > pid; at--)
		j->pid[at] = j->pid[at - 1];
	j->pid[at] = pid;
	j->n_pids++;
}

static int processes_find(struct slice_join *j, struct trace *t, struct err *e)
{
	const struct trace_record *r;
	size_t n;
	int ret;
	uint32_t last = 0;
	while ((ret = trace_next_batch(t, &r, &n, e)) > 0)
		for (size_t i = 0; i < n; i++) {
			if (j->n_pids && r[i].pid == last)
				continue;
			last = r[i].pid;
			pid_note(j, last);
		}
	return ret;
}

static void names_find(struct slice_join *j, const struct trace *t)
{
	const uint32_t n = trace_n_objects(t);
	j->name = xcalloc((size_t)n + 1, sizeof *j->name);
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_object *o = trace_object(t, i);
		if (o && o->kind == OBJECT_PATH && o->name)
			j->name[j->n_names++] = o->name;
	}
	qsort(j->name, j->n_names, sizeof *j->name, order_text);
}

/* Checks that the second trace has page-cache data of a process of the first trace. */
static int pages_check(const struct slice_join *j, struct trace_set *set, struct err *e)
{
	const struct trace_record *r;
	size_t n;
	bool pages = false, process = false;
	int ret;
	while (!(pages && process) && (ret = trace_next_batch(set->t[1], &r, &n, e)) != 0) {
		if (ret < 0)
			return ret;
		for (size_t i = 0; i < n; i++) {
			pages |= op_info(r[i].op)->family == FAMILY_PAGE;
			process |= bsearch(&r[i].pid, j->pid, j->n_pids, sizeof *j->pid,
					   order_u32) != NULL;
		}
	}
	if (!process)
		return err_set(e, EINVAL, "%s and %s have no common process: they are traces of "
			"different runs", set->path[1], set->path[0]);
	if (pages)
		return 0;
	return err_set(e, EINVAL, "%s has no records of the page cache (\"validate capture vfs\" "
		"makes them)", set->path[1]);
}

int slice_join_open(struct slice_join **out, struct trace_set *set, struct err *e)
{
	int ret = of_one_run(set, e);
	if (ret)
		return ret;
	struct slice_join *j = *out = xcalloc(1, sizeof *j);
	const struct trace_meta *above = trace_meta(set->t[0]), *below = trace_meta(set->t[1]);
	j->below = set->t[1];
	set->shift_ns[0] = 0;
	set->shift_ns[1] = below->epoch_ns - above->epoch_ns;
	ret = processes_find(j, set->t[0], e);
	names_find(j, set->t[0]);
	return ret ? ret : pages_check(j, set, e);
}

void slice_join_close(struct slice_join *j)
{
	if (!j)
		return;
	FREE_EACH(j->pid, (void *)j->name, j);
}

/* --- records ------------------------------------------------------------- */

static bool file_is_known(const struct slice_join *j, uint32_t object)
{
	const struct trace_object *o = trace_object(j->below, object);
	return o && o->kind == OBJECT_PATH && o->name &&
	       bsearch(&o->name, j->name, j->n_names, sizeof *j->name, order_text);
}

bool slice_join_pass(struct slice_join *j, const struct trace *t, const struct trace_record *r)
{
	if (t != j->below)
		return true;
	if (op_info(r->op)->family != FAMILY_PAGE)
		return false;
	const bool ours = bsearch(&r->pid, j->pid, j->n_pids, sizeof *j->pid, order_u32) &&
			  file_is_known(j, r->object);
	j->n_elsewhere += !ours;
	j->n_faults += ours && r->op == OP_PAGE_FAULT;
	j->n_pages += ours && r->op == OP_PAGE_CACHE_ADD;
	return ours;
}

void slice_join_finish(const struct slice_join *j, json_t *extra)
{
	const char *by = trace_meta(j->below)->captured_by;
	json_object_set_new(extra, "joined", json_pack("{s:s, s:I, s:I, s:I}", "captured_by",
		by ? by : "unknown", "n_faults", (json_int_t)j->n_faults, "n_page_cache_adds",
		(json_int_t)j->n_pages, "n_elsewhere", (json_int_t)j->n_elsewhere));
	json_auto_t *below = trace_extra(j->below);
	unseen_add(extra, below);
}

void slice_join_print(const struct slice_join *j)
{
	printf("joined: %" PRIu64 " page faults and %" PRIu64 " insertions into the page cache; "
	       "records left out because their process or file is not in the first trace: %" PRIu64
	       "\n",
	       j->n_faults, j->n_pages, j->n_elsewhere);
}
