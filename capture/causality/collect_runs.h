/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of a capture, as they are kept in a directory: runs.json, and of each run its trace, its
 * edges and what the application printed. */
#ifndef CAPTURE_CAUSALITY_COLLECT_RUNS_H
#define CAPTURE_CAUSALITY_COLLECT_RUNS_H

#include "capture/causality/causality.h"
#include "capture/causality/watch.h"

struct kept_run {
	int64_t throttled; /* node; -1: none */
	uint64_t period;
	int64_t took_ns;
	uint64_t n_edges, n_computing, n_held;
	int64_t held_ns;
	char *name; /* of its files, without what they end in; owned */
};

struct kept_runs {
	char *dir;
	/* the command and the options that all runs must share, as text */
	char *what;
	/* node[n_nodes], by number, as they were in the run without delays; NULL: that is still to
	 * come */
	struct watch_thread *node;
	uint32_t n_nodes, n_outside;
	int64_t application_ns;
	bool cpu_time;
	double scale;		  /* of the maxima, by which they had to be made longer */
	struct kept_run *run;	  /* run[0] is the one without delays */
	uint32_t n_runs, cap;
};

/* Opens the directory, or makes it. Errors: EEXIST where there are runs and `resume` is not set;
 * ESTALE where they are of something else; EILSEQ where runs.json cannot be understood; of the
 * system. */
int kept_runs_open(struct kept_runs *k, const char *dir, const char *what, bool resume,
		   struct err *e);
void kept_runs_release(struct kept_runs *k);
int kept_runs_save(const struct kept_runs *k, struct err *e);
/* The run that throttled `node` at `period`, or NULL. */
const struct kept_run *kept_run_find(const struct kept_runs *k, int64_t node, uint64_t period);
/* DIR/NAME.ending; the caller frees. */
char *kept_path(const struct kept_runs *k, const char *name, const char *ending);
void kept_run_add(struct kept_runs *k, const struct kept_run *r); /* the name is taken over */
/* Forgets the runs with delays: their edges were wrong. */
void kept_runs_forget(struct kept_runs *k);

int edges_save(const char *path, const struct causality_edge *edge, uint64_t n, struct err *e);
int edges_load(const char *path, struct causality_edge **edge, uint64_t *n, struct err *e);

#endif
