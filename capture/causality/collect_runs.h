/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the runs of a capture in a directory: runs.json, and for each run its trace, its edges and
 * the output of the application. */
#pragma once

#include "capture/causality/causality.h"
#include "capture/causality/watch.h"

struct kept_run {
	int64_t throttled; /* node that was delayed; -1: none */
	uint64_t period;
	int64_t took_ns;
	uint64_t n_edges, n_computing, n_held;
	int64_t held_ns;
	char *name; /* name of its files, without suffix; owned */
};

struct kept_runs {
	char *dir;
	/* text of the command and of the options that all runs share */
	char *what;
	/* node[n_nodes], by number, from the run without delays; NULL: this run was not made yet */
	struct watch_thread *node;
	uint32_t n_nodes, n_outside;
	int64_t application_ns;
	bool cpu_time;
	bool without_senders;	  /* threads without requests are no nodes */
	double scale;		  /* factor by which the maxima were extended */
	struct kept_run *run;	  /* run[0] is the run without delays */
	uint32_t n_runs, cap;
};

/* Opens or creates the directory. Errors: EEXIST: it has runs and `resume` is not set; ESTALE: the
 * runs belong to another command; EILSEQ: runs.json is malformed; of the system. */
int kept_runs_open(struct kept_runs *k, const char *dir, const char *what, bool resume,
		   struct err *e);
void kept_runs_release(struct kept_runs *k);
int kept_runs_save(const struct kept_runs *k, struct err *e);
/* The run in which `node` was throttled with `period`, or NULL. */
const struct kept_run *kept_run_find(const struct kept_runs *k, int64_t node, uint64_t period);
/* Makes the path DIR/NAME.ending. The caller frees. */
char *kept_path(const struct kept_runs *k, const char *name, const char *ending);
void kept_run_add(struct kept_runs *k, const struct kept_run *r); /* takes ownership of r->name */
/* Removes all runs after the first `n_left`: their edges were wrong. */
void kept_runs_forget(struct kept_runs *k, uint32_t n_left);

/* Write and read the edges of a run as text. Errors: of the system; EILSEQ: malformed. The caller
 * frees *edge. */
int edges_save(const char *path, const struct causality_edge *edge, uint64_t n, struct err *e);
int edges_load(const char *path, struct causality_edge **edge, uint64_t *n, struct err *e);
