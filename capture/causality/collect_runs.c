/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/collect_runs.h"

#include <jansson.h>

#include "common/files.h"

#define FORMAT 4

char *kept_path(const struct kept_runs *k, const char *name, const char *ending)
{
	return xasprintf("%s/%s%s", k->dir, name, ending);
}

/* --- writing ------------------------------------------------------------- */

static json_t *node_json(const struct watch_thread *t)
{
	char key[20];
	snprintf(key, sizeof key, "%016" PRIx64, t->key);
	return json_pack("{s:s,s:I,s:I,s:I,s:i,s:b,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "key", key,
		"pid", (json_int_t)t->pid, "tid", (json_int_t)t->tid, "parent",
		(json_int_t)t->parent, "rank", (int)t->rank, "sends", (int)t->sends, "requests",
		(json_int_t)t->n_requests, "compute_max_ns",
		(json_int_t)t->compute_max_ns, "blocked_max_ns", (json_int_t)t->blocked_max_ns,
		"phase_max_ns", (json_int_t)t->phase_max_ns, "request_max_ns",
		(json_int_t)t->request_max_ns, "compute_ns", (json_int_t)t->compute_sum_ns,
		"blocked_ns", (json_int_t)t->blocked_sum_ns, "request_ns",
		(json_int_t)t->request_sum_ns);
}

static json_t *run_json(const struct kept_run *r)
{
	return json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "name", r->name, "throttled",
			 (json_int_t)r->throttled, "period", (json_int_t)r->period, "took_ns",
			 (json_int_t)r->took_ns, "edges", (json_int_t)r->n_edges, "edges_computing",
			 (json_int_t)r->n_computing, "held", (json_int_t)r->n_held, "held_ns",
			 (json_int_t)r->held_ns);
}

int kept_runs_save(const struct kept_runs *k, struct err *e)
{
	json_t *nodes = json_array(), *runs = json_array();
	for (uint32_t i = 0; i < k->n_nodes; i++)
		json_array_append_new(nodes, node_json(&k->node[i]));
	for (uint32_t i = 0; i < k->n_runs; i++)
		json_array_append_new(runs, run_json(&k->run[i]));
	json_auto_t *top = json_pack(
	    "{s:i,s:s,s:I,s:I,s:b,s:b,s:f,s:o,s:o}", "format", FORMAT, "of", k->what,
	    "application_ns", (json_int_t)k->application_ns, "threads_outside",
	    (json_int_t)k->n_outside, "cpu_time", (int)k->cpu_time, "without_senders",
	    (int)k->without_senders, "scale", k->scale, "nodes", nodes, "runs", runs);
	char *text = json_dumps(top, JSON_INDENT(1)), *path = kept_path(k, "runs", ".json");
	int ret =
	    text ? file_write_atomic(path, text, strlen(text), e) : err_set(e, ENOMEM, "%s", path);
	FREE_EACH(text, path);
	return ret;
}

/* --- reading ------------------------------------------------------------- */

static bool node_load(struct watch_thread *t, json_t *o)
{
	const char *key;
	json_int_t pid, tid, parent, requests, max[4], sum[3];
	int rank, sends;
	if (json_unpack(o, "{s:s,s:I,s:I,s:I,s:i,s:b,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "key", &key,
			"pid", &pid, "tid", &tid, "parent", &parent, "rank", &rank, "sends",
			&sends, "requests", &requests, "compute_max_ns", &max[0],
			"blocked_max_ns", &max[1], "phase_max_ns", &max[2], "request_max_ns",
			&max[3], "compute_ns", &sum[0], "blocked_ns", &sum[1], "request_ns",
			&sum[2]))
		return false;
	*t = (struct watch_thread){strtoull(key, NULL, 16),
				   (uint32_t)pid,
				   (uint32_t)tid,
				   (uint32_t)parent,
				   rank,
				   (uint64_t)requests,
				   sends,
				   max[0],
				   max[1],
				   max[2],
				   max[3],
				   sum[0],
				   sum[1],
				   sum[2]};
	return true;
}

static bool run_load(struct kept_runs *k, json_t *o)
{
	const char *name;
	json_int_t throttled, period, took, edges, computing, held, held_ns;
	if (json_unpack(o, "{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "name", &name, "throttled",
			&throttled, "period", &period, "took_ns", &took, "edges", &edges,
			"edges_computing", &computing, "held", &held, "held_ns", &held_ns) ||
	    strchr(name, '/') || throttled < -1 || throttled >= (json_int_t)k->n_nodes)
		return false;
	const struct kept_run r = {throttled,           (uint64_t)period, took,    (uint64_t)edges,
				   (uint64_t)computing, (uint64_t)held,   held_ns, xstrdup(name)};
	kept_run_add(k, &r);
	return true;
}

static bool runs_load(struct kept_runs *k, json_t *top)
{
	json_t *nodes, *runs, *item;
	size_t i;
	int cpu, without, format;
	json_int_t application, outside;
	if (json_unpack(top, "{s:i,s:I,s:I,s:b,s:b,s:F,s:o,s:o}", "format", &format,
			"application_ns", &application, "threads_outside", &outside, "cpu_time",
			&cpu, "without_senders", &without, "scale", &k->scale, "nodes",
			&nodes, "runs", &runs) ||
	    format != FORMAT || json_array_size(nodes) > CAUSALITY_MAX_NODES)
		return false;
	k->application_ns = application;
	k->n_outside = (uint32_t)outside;
	k->cpu_time = cpu;
	k->without_senders = without;
	k->n_nodes = (uint32_t)json_array_size(nodes);
	k->node = xcalloc(k->n_nodes + 1, sizeof *k->node);
	json_array_foreach(nodes, i, item) if (!node_load(&k->node[i], item)) return false;
	json_array_foreach(runs, i, item) if (!run_load(k, item)) return false;
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
			ret = err_set(e, EILSEQ, "%s: %s", path, top ?
				"it contains no runs" : where.text);
		else if (strcmp(of, what))
			ret = err_set(e, ESTALE, "%s has runs of another command or of other "
						"options: %s instead of %s", path, of, what);
		else if (!runs_load(k, top))
			ret = err_set(e, EILSEQ, "%s is damaged or of another version: remove the "
				"directory and record again", path);
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
				      " is not a dependency: remove the directory and record again",
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
