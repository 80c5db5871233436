/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes that a run made outside its files: they are found immediately after the run, attributed
 * to it, and undone before the next run. */
#pragma once

#include "validate/campaign/prepare.h"

/* Stores the state of the entries beside the directory of a run's files. Call it before the run,
 * when its files exist. Errors: from the system. */
int untouched_note(struct place *place, struct err *e);

/* Called after a run on the files of `dir`: appends the changes to `what`, for example "replaced
 * 'f1' by a symbolic link"; nothing if there are none. Workloads that make and remove files may
 * change their own. New or changed entries beside the directory are named and stay, because they
 * may belong to other programs. The next prepare_run() restores replaced files. Errors: from the
 * system, if files cannot be examined or changes cannot be undone. */
int untouched_check(struct place *place, struct place_dir *dir, struct strbuf *what, struct err *e);

/* The names in a directory, and the state of each. */
struct listing {
	struct listed *v; /* [n] */
	size_t n, cap;
	char *dir; /* NULL: not listed */
};
/* Lists `dir`, without names that begin with `leave_out`. A missing directory gives an empty
 * listing. Errors: from the system; then `l` is empty and not listed. */
int listing_make(struct listing *l, const char *dir, const char *leave_out, struct err *e);
/* Compares the directory with the listing. Appends the first name that was added, changed or
 * removed to `what`, and removes all added or changed entries. Returns 1 if it is unchanged or not
 * listed, 0 if it changed. Errors: those of listing_make(); then `what` and the directory are
 * unchanged. */
int listing_compare(const struct listing *l, const char *leave_out, struct strbuf *what,
		    struct err *e);
void listing_release(struct listing *l);
