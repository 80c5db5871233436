/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/collect_runs.h"

#include "common/files.h"
#include "common/json_members.h"

#define FORMAT 4

char *kept_path(const struct kept_runs *k, const char *name, const char *ending)
{
	return xasprintf("%s/%s%s", k->dir, name, ending);
}

/* --- runs.json ----------------------------------------------------------- */

static const struct json_member of_node[] = {
    MEMBER(watch_thread, HASH, key),
    MEMBER(watch_thread, WHOLE, pid),
    MEMBER(watch_thread, WHOLE, tid),
    MEMBER(watch_thread, WHOLE, parent),
    MEMBER(watch_thread, INTEGER, rank),
    MEMBER(watch_thread, BOOL, sends),
    MEMBER_AS("requests", watch_thread, COUNT, n_requests),
    MEMBER(watch_thread, INTEGER, compute_max_ns),
    MEMBER(watch_thread, INTEGER, blocked_max_ns),
    MEMBER(watch_thread, INTEGER, phase_max_ns),
    MEMBER(watch_thread, INTEGER, request_max_ns),
    MEMBER_AS("compute_ns", watch_thread, INTEGER, compute_sum_ns),
    MEMBER_AS("blocked_ns", watch_thread, INTEGER, blocked_sum_ns),
    MEMBER_AS("request_ns", watch_thread, INTEGER, request_sum_ns),
    {0}};

static const struct json_member of_run[] = {
    MEMBER(kept_run, STRING, name),
    MEMBER(kept_run, INTEGER, throttled),
    MEMBER(kept_run, COUNT, period),
    MEMBER(kept_run, INTEGER, took_ns),
    MEMBER_AS("edges", kept_run, COUNT, n_edges),
    MEMBER_AS("edges_computing", kept_run, COUNT, n_computing),
    MEMBER_AS("held", kept_run, COUNT, n_held),
    MEMBER(kept_run, INTEGER, held_ns),
    {0}};

static const struct json_member of_all[] = {
    MEMBER(kept_runs, INTEGER, application_ns),
    MEMBER_AS("threads_outside", kept_runs, WHOLE, n_outside),
    MEMBER(kept_runs, BOOL, cpu_time),
    MEMBER(kept_runs, BOOL, without_senders),
    MEMBER(kept_runs, REAL, scale),
    {0}};

static void item_add(json_t *list, const void *item, const struct json_member *table)
{
	json_t *o = json_object();
	json_members_put(o, item, table);
	json_array_append_new(list, o);
}

int kept_runs_save(const struct kept_runs *k, struct err *e)
{
	json_t *nodes = json_array(), *runs = json_array();
	for (uint32_t i = 0; i < k->n_nodes; i++)
		item_add(nodes, &k->node[i], of_node);
	for (uint32_t i = 0; i < k->n_runs; i++)
		item_add(runs, &k->run[i], of_run);
	json_auto_t *top = json_pack("{s:i,s:s}", "format", FORMAT, "of", k->what);
	json_members_put(top, k, of_all);
	json_object_set_new(top, "nodes", nodes);
	json_object_set_new(top, "runs", runs);
	char *text = json_dumps(top, JSON_INDENT(1)), *path = kept_path(k, "runs", ".json");
	int ret =
	    text ? file_write_atomic(path, text, strlen(text), e) : err_set(e, ENOMEM, "%s", path);
	FREE_EACH(text, path);
	return ret;
}

static bool run_load(struct kept_runs *k, json_t *o)
{
	struct err e = ERR_INIT;
	struct kept_run r = {.name = NULL};
	const bool good = !json_members_get(&r, of_run, o, &e) && !strchr(r.name, '/') &&
			  r.throttled >= -1 && r.throttled < (int64_t)k->n_nodes;
	if (good)
		kept_run_add(k, &r);
	else
		free(r.name);
	return good;
}

static bool runs_load(struct kept_runs *k, json_t *top)
{
	const json_t *nodes = json_object_get(top, "nodes"), *runs = json_object_get(top, "runs");
	struct err e = ERR_INIT;
	size_t i;
	json_t *item;
	if (json_integer_value(json_object_get(top, "format")) != FORMAT ||
	    json_members_get(k, of_all, top, &e) || !json_is_array(nodes) ||
	    !json_is_array(runs) || json_array_size(nodes) > CAUSALITY_MAX_NODES)
		return false;
	k->n_nodes = (uint32_t)json_array_size(nodes);
	k->node = xcalloc(k->n_nodes + 1, sizeof *k->node);
	json_array_foreach(nodes, i, item)
		if (json_members_get(&k->node[i], of_node, item, &e))
			return false;
	json_array_foreach(runs, i, item)
		if (!run_load(k, item))
			return false;
	return !k->n_runs || k->run[0].throttled < 0;
}

int kept_runs_open(struct kept_runs *k, const char *dir, const char *what, bool resume,
		   struct err *e)
{
	*k = (struct kept_runs){.dir = xstrdup(dir), .what = xstrdup(what), .scale = 1};
	SCOPED_FREE char *path = kept_path(k, "runs", ".json");
	json_error_t where;
	int ret = dir_create(dir, e), there = ret ? 0 : path_is_there(path, e);
	ret = there < 0 ? there : ret;
	if (there > 0) {
		json_t *top = json_load_file(path, 0, &where);
		const char *of = top ? json_string_value(json_object_get(top, "of")) : NULL;
		if (!resume)
			ret = err_set(e, EEXIST, "%s already contains runs: add --resume to "
				"continue, or choose another --runs-dir", dir);
		else if (!of)
			ret = err_set(e, EILSEQ, "%s cannot be read (%s): remove the directory of "
				"this file and record again", path,
				      top ? "it is not a list of runs" : where.text);
		else if (strcmp(of, what))
			ret = err_set(e, ESTALE, "%s contains runs of another command, or runs "
				"with other options: repeat that command, or choose another "
				"--runs-dir (runs: %s; this command: %s)", path, of, what);
		else if (!runs_load(k, top))
			ret = err_set(e, EILSEQ, "%s is damaged, or another version of validate "
				"wrote it: remove the directory of this file and record "
				"again", path);
		json_decref(top);
	}
	return ret;
}

void kept_runs_release(struct kept_runs *k)
{
	for (uint32_t i = 0; i < k->n_runs; i++)
		free(k->run[i].name);
	FREE_EACH(k->run, k->node, k->dir, k->what);
}

const struct kept_run *kept_run_find(const struct kept_runs *k, int64_t node, uint64_t period)
{
	for (uint32_t i = 0; i < k->n_runs; i++)
		if (k->run[i].throttled == node && (node < 0 || k->run[i].period == period))
			return &k->run[i];
	return NULL;
}

void kept_run_add(struct kept_runs *k, const struct kept_run *r)
{
	GROW(k->run, k->n_runs, k->cap);
	k->run[k->n_runs++] = *r;
}

void kept_runs_forget(struct kept_runs *k, uint32_t n_left)
{
	static const char *const endings[] = {".trace", ".edges", ".log"};
	while (k->n_runs > n_left) {
		struct kept_run *r = &k->run[--k->n_runs];
		for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
			char *path = kept_path(k, r->name, endings[i]);
			unlink(path);
			free(path);
		}
		free(r->name);
	}
}

/* --- edges: one per line: signaller:request waiter:request computed_ppm n_later signalled_ppm
 * uncertain --- */

int edges_save(const char *path, const struct causality_edge *edge, uint64_t n, struct err *e)
{
	SCOPED_STRBUF b = STRBUF_INIT;
	for (uint64_t i = 0; i < n; i++)
		strbuf_addf(&b,
			    "%" PRIu32 ":%" PRIu64 " %" PRIu32 ":%" PRIu64 " %" PRIu32 " %" PRIu64
			    " %" PRIu32 " %d\n",
			    edge[i].signaller, edge[i].signaller_request, edge[i].waiter,
			    edge[i].waiter_request, edge[i].computed_ppm, edge[i].n_later,
			    edge[i].signalled_ppm, edge[i].uncertain);
	return file_write_atomic(path, b.s, b.len, e);
}

int edges_load(const char *path, struct causality_edge **edge, uint64_t *n, struct err *e)
{
	FILE *f = fopen(path, "re");
	uint64_t cap = 0;
	char line[200];
	int ret = f ? 0 : err_sys(e, errno, "cannot open %s", path);
	*edge = NULL;
	*n = 0;
	while (!ret && fgets(line, sizeof line, f)) {
		struct causality_edge x;
		int uncertain, end = 0;
		if (sscanf(line,
			   "%" SCNu32 ":%" SCNu64 " %" SCNu32 ":%" SCNu64 " %" SCNu32 " %" SCNu64
			   " %" SCNu32 " %d%n",
			   &x.signaller, &x.signaller_request, &x.waiter, &x.waiter_request,
			   &x.computed_ppm, &x.n_later, &x.signalled_ppm, &uncertain, &end) != 8 ||
		    line[end] != '\n' || x.computed_ppm > COMPUTED_ALL ||
		    x.signalled_ppm > COMPUTED_ALL) {
			ret = err_set(e, EILSEQ,
				      "%s: line %" PRIu64
				      " is not a dependency: remove the directory of this file and "
				      "record again",
				      path, *n + 1);
			break;
		}
		x.uncertain = uncertain;
		GROW(*edge, *n, cap);
		(*edge)[(*n)++] = x;
	}
	if (!ret && ferror(f))
		ret = err_sys(e, errno ? errno : EIO, "cannot read %s", path);
	if (f)
		fclose(f);
	return ret;
}
