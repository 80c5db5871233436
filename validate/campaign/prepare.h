/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state every run begins from: the files as they were, nothing dirty, caches as the protocol
 * says, and the proof of it.
 *
 * A place is a fresh directory inside the target directory that was given, with subdirectories for
 * the workloads' files; scenarios whose files agree share one (levels of one workload, and
 * everything that only reads). Nothing else is touched, and only what was made is removed. */
#ifndef VALIDATE_PREPARE_H
#define VALIDATE_PREPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/fileset/fileset.h"
#include "common/err.h"
#include "common/strbuf.h"
#include "validate/campaign/devices.h"
#include "validate/protocol/protocol.h"

struct workload;

struct place_dir { /* one set of files */
	char *path;
	int fd;                     /* -1: not open */
	bool writes;                /* workloads that change it use it */
	/* one that makes and removes files of its own: it shares with nobody; else NULL */
	const struct workload *sole;
	/* of a program whose script makes everything below it anew before each run */
	bool program;
	/* index of a further set of the same files, for runs that go on at the same time; 0 none */
	size_t copy;
	bool is_copy;
	struct fileset files;       /* union of its scenarios' sets, owned */
	struct fileset_state state; /* how the files looked after the last restore */
};

struct place {      /* of one target */
	char *path; /* the fresh directory */
	int fd;     /* -1: not made */
	dev_t device;
	struct target_device below; /* where requests below the file system go; campaign_setup.c */
	/* device that is watched while runs are made here, 0 none (observe.h) */
	dev_t observed;
	struct place_dir *dir;
	size_t n_dirs;
	bool needs_copies; /* pairing = slices: copies that do not fit are an error */
	bool lacks_copies; /* they did not fit */
	uint64_t beside;   /* what lay beside the directories before the run (untouched.h) */
};

struct scenario_files {
	size_t dir;           /* index into the dirs of its target's place */
	/* and of that of the target that it is recorded on, where that is another */
	size_t recorded_dir;
	struct fileset files; /* what this scenario needs; microbench_files_release */
};

struct places {
	struct place *place;             /* place[n_targets] */
	struct scenario_files *scenario; /* scenario[n_scenarios] */
	size_t n_targets, n_scenarios;
	uint64_t seed;
};

/* Works out which files are needed and who shares them; touches nothing. Ownership: places_release.
 */
int places_plan(struct places *s, const struct protocol *p, struct err *e);
void places_release(struct places *s);
/* Bytes the files of a target take. */
uint64_t place_bytes(const struct place *place);

/* Set number `seat` of the files in `dir`; the last one where there are fewer. */
struct place_dir *place_seat(struct place *place, size_t dir, size_t seat);

/* Makes the directory NAME of a target in `parent` (which must be there), or takes the one that an
 * earlier session left, where it is ours. Copies of files for runs that go on at the same time are
 * left out where they do not fit (lacks_copies), unless the place needs them. Errors: of the
 * system; ENOSPC with the amounts when the files would not fit. */
int place_make(struct place *place, const char *parent, const char *name, struct err *e);
/* Creates the files, and overwrites them n_passes times more. */
int place_fill(struct places *s, size_t target, uint64_t n_passes, struct err *e);
/* Removes the files and directories that were made; what somebody else put there stays and is
 * named. */
int place_remove(struct place *place, struct err *e);

struct prepared {
	struct fileset_residency residency; /* after the eviction or warming */
	/* what that took: putting the files back, writing them out, evicting or warming */
	double restore_s, sync_s, evict_s;
	int64_t evicted_ns;                 /* CLOCK_MONOTONIC when the caches were as wanted */
};

/* Somebody may remove a directory that is in use: makes it again for the next run, and is an error
 * for this one (ESTALE). 0: all there. */
int place_dir_check(struct place *place, struct place_dir *dir, struct err *e);
/* Removes the directory and makes it again, empty: the next restore writes all of its files. */
int place_dir_anew(struct place *place, struct place_dir *dir, struct err *e);

/* `target`: the scenario's own, or the one that it is recorded on.
 *
 * Of a program: the directory in which its script makes what is called like the script, NAME of
 * NAME.sh, and that itself, "trace" of a trace; the caller frees. */
char *program_dir(const struct places *s, const struct protocol *p, size_t scenario, size_t target);
char *program_work_dir(const struct places *s, const struct protocol *p, size_t scenario,
		       size_t target);

/* Which files: those of a scenario on a target, of which there are as many sets as roles use at a
 * time (scenario_n_seats). */
struct seat {
	size_t scenario, target, number;
};

/* Brings a seat's files into the state to run from. `drop_caches`: this process may. */
int prepare_run(struct places *s, const struct protocol *p, struct seat seat, bool drop_caches,
		struct prepared *out, struct err *e);
/* After a run: whether the directory is still the one that was prepared (place_dir_check). Appends
 * to `what` what was done to its files and beside them (untouched.h), which is undone. */
int prepare_check(struct places *s, const struct protocol *p, struct seat seat, struct strbuf *what,
		  struct err *e);
/* Waits until `settle_ns` after the eviction. */
void prepare_settle(const struct prepared *prepared, int64_t settle_ns);

#endif
