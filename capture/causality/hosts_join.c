/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/agent.h"
#include "capture/pour.h"
#include "common/sort.h"

int64_t host_clock_common(const struct host_clock *c, int64_t ns)
{
	const double between = (double)(c->at_ns[1] - c->at_ns[0]),
		     share = between > 0 ? (double)(ns - c->at_ns[0]) / between : 0;
	return ns - c->ahead_ns[0] - (int64_t)(share * (double)(c->ahead_ns[1] - c->ahead_ns[0]));
}

struct hosts_join {
	struct trace **t; /* t[n] */
	size_t n;
	const struct host_clock *clock;
	int64_t *shift_ns, epoch_ns;
	char *const *name;
	size_t n_names;
	struct fileset_entry *entry;
	struct fileset_detail *detail;
};

/* Corrects a shifted time for the drift of the clock since its first measurement. */
static int64_t drift_remove(const struct host_clock *c, int64_t shift_ns, int64_t ns, int64_t local)
{
	const int64_t own = ns - shift_ns + local;
	return ns == TIME_NONE ? ns : ns + host_clock_common(c, own) - (own - c->ahead_ns[0]);
}

static int record_join(void *ctx, struct trace *t, struct trace_record *r)
{
	const struct hosts_join *j = ctx;
	size_t i = 0;
	while (j->t[i] != t)
		i++;
	const int64_t epoch_ns = trace_meta(t)->epoch_ns;
	r->begin_ns = drift_remove(&j->clock[i], j->shift_ns[i], r->begin_ns, epoch_ns);
	r->end_ns = drift_remove(&j->clock[i], j->shift_ns[i], r->end_ns, epoch_ns);
	r->pid |= (uint32_t)i << AGENT_PID_SHIFT;
	r->tid |= (uint32_t)i << AGENT_PID_SHIFT;
	return 1;
}

static bool entry_is_known(const struct fileset *s, const char *path)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->entry[i].path, path))
			return true;
	return false;
}

/* Joins the lists of files of all hosts, and keeps files that existed before the run. (A host that
 * opens a file made by another host would list it as an older file.) */
static void files_join(void *ctx, struct trace_meta *meta)
{
	struct hosts_join *j = ctx;
	size_t most = 0;
	bool details = true;
	for (size_t i = 0; i < j->n; i++) {
		most += trace_meta(j->t[i])->files.n;
		details &= trace_meta(j->t[i])->files.detail || !trace_meta(j->t[i])->files.n;
	}
	j->entry = xcalloc(most + 1, sizeof *j->entry);
	j->detail = xcalloc(most + 1, sizeof *j->detail);
	struct fileset all = {j->entry, 0, details ? j->detail : NULL};
	for (size_t i = 0; i < j->n; i++) {
		const struct fileset *s = &trace_meta(j->t[i])->files;
		for (size_t k = 0; k < s->n; k++) {
			const char *path = s->entry[k].path;
			if (entry_is_known(&all, path) ||
			    (j->name && *path && strcmp(path, ".") &&
			     !bsearch(&path, j->name, j->n_names, sizeof *j->name, order_text)))
				continue;
			j->entry[all.n] = s->entry[k];
			if (details) {
				j->detail[all.n] = s->detail[k];
				/* these numbers are only valid on their host */
				j->detail[all.n].same_file = 0;
			}
			all.n++;
		}
	}
	meta->files = all;
}

int hosts_join(const char *path, const struct words_list *host, const struct host_clock *clock,
	       char *const *name, size_t n_names, const char *to, struct err *e)
{
	struct hosts_join j = {.t = xcalloc(host->n + 1, sizeof *j.t),
			 .n = host->n,
			 .clock = clock,
			 .shift_ns = xcalloc(host->n + 1, sizeof *j.shift_ns),
			 .epoch_ns = INT64_MAX,
			 .name = name,
			 .n_names = n_names};
	int ret = 0;
	for (size_t i = 0; i < host->n && !ret; i++) {
		SCOPED_FREE char *raw = agent_path(path, host->v[i], ".raw");
		ret = trace_file_open(&j.t[i], raw, e);
		j.shift_ns[i] = ret ? 0 : trace_meta(j.t[i])->epoch_ns - clock[i].ahead_ns[0];
		j.epoch_ns = j.shift_ns[i] < j.epoch_ns ? j.shift_ns[i] : j.epoch_ns;
	}
	if (!ret) {
		struct trace_meta meta = *trace_meta(j.t[0]);
		struct pour p = {.filter = record_join, .finish = files_join, .ctx = &j,
				 .new_seq = true};
		for (size_t i = 0; i < host->n; i++)
			j.shift_ns[i] -= j.epoch_ns;
		meta.epoch_ns = j.epoch_ns;
		ret = pour_traces(&p, j.t, j.shift_ns, host->n, &meta, to, e);
	}
	for (size_t i = 0; i < host->n; i++)
		trace_close(j.t[i]);
	FREE_EACH(j.t, j.shift_ns, j.entry, j.detail);
	return ret;
}
