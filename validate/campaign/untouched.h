/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes that a run made to files of others: found right after the run, attributed to it, and
 * undone before the next run. */
#pragma once

#include "validate/campaign/prepare.h"

/* Before a run, with its files in place: stores the state of the entries beside their directory.
 * Errors: of the system. */
int untouched_note(struct place *place, struct err *e);

/* After a run on the files of `dir`: appends the changes to `what`, for example "replaced 'f1' by a
 * symbolic link"; nothing without changes. Workloads that make and remove files may change theirs.
 * New or changed entries beside the directory are named and stay, because they may belong to
 * others. The next prepare_run() restores replaced files. Errors: of the system, if files cannot be
 * examined or changes not undone. */
int untouched_check(struct place *place, struct place_dir *dir, struct strbuf *what, struct err *e);

/* The names in a directory, and the state of each. */
struct listing {
	struct listed *v; /* [n] */
	size_t n, cap;
	char *dir; /* NULL: not listed */
};
/* Lists `dir`, without names that begin with `leave_out`. A missing directory gives an empty
 * listing. Errors: of the system; `l` is then empty and not listed. */
int listing_make(struct listing *l, const char *dir, const char *leave_out, struct err *e);
/* Compares the directory with the listing. Appends the first name that was added, changed or
 * removed to `what`, and removes all added or changed entries. Returns 1 if unchanged or not
 * listed, 0 if changed. Errors: as listing_make(); `what` and the directory are then unchanged. */
int listing_compare(const struct listing *l, const char *leave_out, struct strbuf *what,
		    struct err *e);
void listing_release(struct listing *l);
