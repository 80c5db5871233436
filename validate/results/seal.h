/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the files of a results directory are still what the campaign wrote.
 *
 * The journal carries the SHA-256 of them: "files" of the events `start` and `resume` (what the
 * campaign was begun with), `environment` events, and "sha256" of each run. Its lines are chained
 * (journal.h). A seal finds what was changed afterwards; it does not say by whom. A program that
 * rewrites the whole journal can make a new seal. The certificate names the journal's SHA-256. */
#ifndef VALIDATE_RESULTS_SEAL_H
#define VALIDATE_RESULTS_SEAL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "common/err.h"
#include "common/file_digest.h"

enum seal_state {
	SEAL_UNKNOWN, /* results that were not read from a directory */
	SEAL_ABSENT,  /* an earlier version wrote some of it, without digests */
	SEAL_WHOLE,
	SEAL_BROKEN,
};

struct seal {
	enum seal_state state;
	size_t n_changes;
	/* the first three: "runs/000012.json was changed after the campaign wrote it; ..."; NULL
	 * none */
	char *changes;
};

/* What the journal says of the files besides the runs. */
struct seal_record {
	json_t *files;                             /* {"plan.json": digest...}; NULL: none */
	char environment[2][FILE_DIGEST_HEX];      /* last digest and the one before; "" none */
};
/* Takes what an event of the journal has of it. */
void seal_record_take(struct seal_record *s, const json_t *event);
void seal_record_release(struct seal_record *s);

/* Notes a change. */
void seal_break(struct seal *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Compares a regular file with its digest and notes a change. `name`: relative to `dir`. Errors: of
 * file_digest() and lstat(): the file could not be compared, so that no change is noted. */
int seal_check_file(struct seal *s, const char *dir, const char *name, const char *digest,
		    struct err *e);
/* The files of the record. environment.json may also be what it was before its last digest: the
 * digest is journalled first, and the campaign may have died before the file was written. Errors:
 * as seal_check_file(). */
int seal_check_record(struct seal *s, const char *dir, const struct seal_record *r, struct err *e);

/* Errors: EBADMSG with what was changed in `dir`, where the seal is broken. */
int seal_require(const struct seal *s, const char *dir, struct err *e);
void seal_release(struct seal *s);

#endif
