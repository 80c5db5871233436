/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run did to things that were not its own: found right after it, said of it, and undone
 * before the next run. */
#ifndef VALIDATE_UNTOUCHED_H
#define VALIDATE_UNTOUCHED_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/strbuf.h"
#include "validate/campaign/prepare.h"

/* Before a run, when its files are there: notes what lies beside their directory. Errors: of the
 * system. */
int untouched_note(struct place *place, struct err *e);

/* After a run on the files of `dir`. Appends what was done to them, as in "replaced 'f1' by a
 * symbolic link", to `what`; nothing where they are the files that were prepared. Files of a
 * workload that makes and removes files of its own may be others than before. What lies beside the
 * directory and is new or changed since untouched_note() is named; it stays, because it may belong
 * to others. Files that were replaced are made again by the next prepare_run(). Errors: of the
 * system, where the files cannot be examined, or where that cannot be undone. */
int untouched_check(struct place *place, struct place_dir *dir, struct strbuf *what, struct err *e);

/* The names in a directory, and how each looked. */
struct listing {
	struct listed *v; /* v[n] */
	size_t n, cap;
	char *dir; /* NULL: nothing was listed */
};
/* Lists `dir`, without names that begin with `leave_out`. A directory that is missing gives an
 * empty listing. Errors: of the system; `l` is then as if nothing had been listed. */
int listing_make(struct listing *l, const char *dir, const char *leave_out, struct err *e);
/* Compares the directory with the listing. Appends to `what` the first name that was added, changed
 * or removed, and removes every one that was added or changed. 1: nothing was, or nothing was
 * listed; 0: something was. Errors: as listing_make(); nothing is then said or removed. */
int listing_compare(const struct listing *l, const char *leave_out, struct strbuf *what,
		    struct err *e);
void listing_release(struct listing *l);

#endif
