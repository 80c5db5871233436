/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state in which every run starts: files restored, nothing dirty, caches as the protocol says,
 * all verified.
 *
 * A place is a new directory inside the target directory, with subdirectories for the workloads'
 * files. Scenarios with equal files share a subdirectory (levels of one workload, and all read-only
 * workloads). Nothing else is touched, and only created files are removed. */
#pragma once

#include "validate/campaign/devices.h"

struct workload;

struct place_dir { /* one set of files */
	char *path;
	int fd;                     /* -1: not open */
	bool writes;                /* used by workloads that change it */
	/* a workload that makes and removes files, and does not share them; else NULL */
	const struct workload *sole;
	/* of a program whose script makes all files again before each run */
	bool program;
	/* index of another set of the same files for concurrent runs; 0 none */
	size_t copy;
	bool is_copy;
	/* union of its scenarios' sets, owned */
	struct fileset files;
	/* state of the files after the last restore */
	struct fileset_state state;
};

struct place {      /* of one target */
	char *path; /* the new directory */
	int fd;     /* -1: does not exist */
	dev_t device;
	/* for requests below the file system; campaign_setup.c */
	struct target_device below;
	/* device to observe during runs here; 0 none (observe.h) */
	dev_t observed;
	struct place_dir *dir;
	size_t n_dirs;
	/* pairing = slices: copies that do not fit are an error */
	bool needs_copies;
	bool lacks_copies; /* they did not fit */
	/* sum of the entries beside the directories before the run (untouched.h) */
	uint64_t beside;
};

struct scenario_files {
	size_t dir;           /* index into the dirs of its target's place */
	/* the same in the place of the target it is recorded on, if that differs */
	size_t recorded_dir;
	/* files of this scenario; microbench_files_release() */
	struct fileset files;
};

struct places {
	struct place *place;             /* [n_targets] */
	/* [n_scenarios] */
	struct scenario_files *scenario;
	size_t n_targets, n_scenarios;
	uint64_t seed;
};

/* Determines the needed files and their sharing. Touches nothing. Ownership: places_release(). */
int places_plan(struct places *s, const struct protocol *p, struct err *e);
void places_release(struct places *s);
/* Total size of the files of a target. */
uint64_t place_bytes(const struct place *place);

/* Set number `seat` of the files in `dir`; the last set if there are fewer. */
struct place_dir *place_seat(struct place *place, size_t dir, size_t seat);

/* Makes the directory NAME of a target in the existing `parent`, or takes over that of an earlier
 * session if this user owns it. Copies of files for concurrent runs are dropped if they do not fit
 * (lacks_copies), unless the place needs them. Errors: of the system; ENOSPC with the amounts. */
int place_make(struct place *place, const char *parent, const char *name, struct err *e);
/* Creates the files, and overwrites them n_passes more times. */
int place_fill(struct places *s, size_t target, uint64_t n_passes, struct err *e);
/* Removes the created files and directories. Other files stay and are named. */
int place_remove(struct place *place, struct err *e);

struct prepared {
	struct fileset_residency residency; /* after eviction or warming */
	/* time to restore and write back the files, and to evict or warm the caches */
	double restore_s, sync_s, evict_s;
	/* CLOCK_MONOTONIC when the caches were ready */
	int64_t evicted_ns;
};

/* Makes a directory again that was removed during a run, for the next run. For this run it is an
 * error (ESTALE). 0: the directory exists. */
int place_dir_check(struct place *place, struct place_dir *dir, struct err *e);
/* Removes the directory and makes it empty again. The next restore writes all files. */
int place_dir_anew(struct place *place, struct place_dir *dir, struct err *e);

/* For a program: the directory in which its script makes the directory NAME (script NAME.sh), and
 * its path; "trace" for a trace. `target`: the scenario's target, or the one that it is recorded
 * on. The caller frees. */
char *program_dir(const struct places *s, const struct protocol *p, size_t scenario, size_t target);
char *program_work_dir(const struct places *s, const struct protocol *p, size_t scenario,
		       size_t target);

/* One of the file sets of a scenario on a target. There is one set per concurrent role
 * (scenario_n_seats). */
struct seat {
	size_t scenario, target, number;
};

/* Restores the files of a seat for a run. `drop_caches`: this process has the permission. */
int prepare_run(struct places *s, const struct protocol *p, struct seat seat, bool drop_caches,
		struct prepared *out, struct err *e);
/* After a run: checks that the directory was not replaced (place_dir_check). Undoes changes of its
 * files and beside them (untouched.h), and appends them to `what`. */
int prepare_check(struct places *s, const struct protocol *p, struct seat seat, struct strbuf *what,
		  struct err *e);
/* Waits until `settle_ns` after the eviction. */
void prepare_settle(const struct prepared *prepared, int64_t settle_ns);
