/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state in which every run starts: files are restored, nothing is dirty, caches are as the
 * protocol says, and all this is verified.
 *
 * A place is a new directory inside the target directory, with subdirectories for the workloads'
 * files. Scenarios with equal files share a subdirectory (levels of one workload, and all read-only
 * workloads). Nothing else is changed, and only created files are removed. */
#pragma once

#include "capture/fileset/fileset.h"
#include "validate/campaign/devices.h"

struct workload;

struct place_dir { /* one set of files */
	char *path;
	int fd;                     /* -1: not open */
	bool writes;                /* used by workloads that change it */
	/* a workload that makes and removes files, and so does not share them; otherwise NULL */
	const struct workload *sole;
	/* the directory of a program whose script makes all files again before each run */
	bool program;
	/* index of another set of the same files, for concurrent runs; 0 none */
	size_t copy;
	bool is_copy;
	/* union of the files of its scenarios, owned */
	struct fileset files;
	/* state of the files after the last restore */
	struct fileset_state state;
};

struct place {      /* of one target */
	char *path; /* the new directory */
	int fd;     /* -1: does not exist */
	dev_t device;
	/* device for requests below the file system; campaign_setup.c */
	struct target_device below;
	/* device to observe during runs in this place; 0 none (observe.h) */
	dev_t observed;
	struct place_dir *dir;
	size_t n_dirs;
	/* pairing = slices: it is an error if copies do not fit */
	bool needs_copies;
	bool lacks_copies; /* they did not fit */
	/* sum over the entries beside the directories before the run (untouched.h) */
	uint64_t beside;
};

struct scenario_files {
	size_t dir;           /* index in place.dir of the scenario's target */
	/* the same for the target on which the scenario is recorded, if it is another target */
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

/* Determines which files are needed and which scenarios share them. Changes nothing. Errors: of the
 * workloads' options and files. Ownership: places_release(). */
int places_plan(struct places *s, const struct protocol *p, struct err *e);
void places_release(struct places *s);
/* Total size of the files of a target, and the part of it that are copies (PAIRING_SLICES). */
uint64_t place_bytes(const struct place *place);
uint64_t place_copies_bytes(const struct place *place);

/* Returns set number `seat` of the files in `dir`; the last set if there are fewer sets. */
struct place_dir *place_seat(struct place *place, size_t dir, size_t seat);

/* Makes the directory NAME of a target in the existing `parent`, or takes over the directory of an
 * earlier session if this user owns it. Copies of files for concurrent runs are omitted if they do
 * not fit (lacks_copies), unless the place needs them. Errors: from the system; ENOSPC with the
 * amounts. */
int place_make(struct place *place, const char *parent, const char *name, struct err *e);
/* Creates the files, and overwrites them n_passes times. Errors: of writing. */
int place_fill(struct places *s, size_t target, uint64_t n_passes, struct err *e);
/* Removes the created files and directories. Other files stay, and the error names them. */
int place_remove(struct place *place, struct err *e);

struct prepared {
	struct fileset_residency residency; /* after eviction or warming */
	/* time to restore the files, to write them back, and to evict or warm the caches */
	double restore_s, sync_s, evict_s;
	/* time (CLOCK_MONOTONIC) at which the caches were ready */
	int64_t evicted_ns;
};

/* If a directory was removed during a run, makes it again for the next run. For the present run
 * this is an error (ESTALE). Returns 0 if the directory exists. */
int place_dir_check(struct place *place, struct place_dir *dir, struct err *e);
/* Removes the directory and makes it again, empty. The next restore writes all files. */
int place_dir_anew(struct place *place, struct place_dir *dir, struct err *e);

/* For a program: the directory in which its script makes the directory NAME (script NAME.sh), and
 * the path of the latter; "trace" for a trace. `target`: the scenario's target, or the target on
 * which it is recorded. The caller frees. */
char *program_dir(const struct places *s, const struct protocol *p, size_t scenario, size_t target);
char *program_work_dir(const struct places *s, const struct protocol *p, size_t scenario,
		       size_t target);

/* One of the file sets of a scenario on a target. There is a set for each role that runs at the
 * same time (scenario_n_seats). */
struct seat {
	size_t scenario, target, number;
};

/* Restores the files of a seat for a run. `drop_caches`: this process may drop the caches of the
 * machine. Errors: from the system. */
int prepare_run(struct places *s, const struct protocol *p, struct seat seat, bool drop_caches,
		struct prepared *out, struct err *e);
/* Called after a run. Checks that the directory was not replaced (place_dir_check). Undoes changes
 * of its files and of entries beside them (untouched.h), and appends these changes to `what`. */
int prepare_check(struct places *s, const struct protocol *p, struct seat seat, struct strbuf *what,
		  struct err *e);
/* Waits until `settle_ns` after the eviction. */
void prepare_settle(const struct prepared *prepared, int64_t settle_ns);
