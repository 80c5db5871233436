/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that the files of a results directory are as the campaign wrote them.
 *
 * The journal contains their SHA-256: "files" of the events `start` and `resume` (files at the
 * start), `environment` events, and "sha256" of each run. Its lines are chained (journal.h). A seal
 * detects later changes, but not their author. A program that rewrites the whole journal can make a
 * new seal. The certificate contains the journal's SHA-256. */
#pragma once

#include <jansson.h>

#include "common/file_digest.h"
#include "validate/results/journal.h"

enum seal_state {
	SEAL_UNKNOWN, /* the results were not read from a directory */
	SEAL_ABSENT,  /* a part was written without digests */
	SEAL_WHOLE,
	SEAL_BROKEN,
};

struct seal {
	enum seal_state state;
	size_t n_changes;
	/* the first three changes: "runs/000012.json was changed after the campaign wrote it; ...";
	 * NULL none */
	char *changes;
};

/* Digests in the journal, except those of runs. */
struct seal_record {
	json_t *files; /* {"plan.json": digest...}; NULL: none */
	bool late;     /* the digests were computed after the first run */
	/* the last digest and the previous digest; "" none */
	char environment[2][FILE_DIGEST_HEX];
	bool ended; /* the last event is the end of a session */
	uint64_t n_lines; /* number of lines of the journal; set by the caller */
};
/* Takes the digests of an event. */
void seal_record_take(struct seal_record *s, const json_t *event);
void seal_record_release(struct seal_record *s);

/* Records a change. */
void seal_break(struct seal *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Records a journal whose lines do not form a chain. */
void seal_check_chain(struct seal *s, const struct journal_reading *r);
/* Compares a regular file with its digest and records a change. `name`: relative to `dir`. Errors:
 * those of file_digest() and lstat(); then nothing is known about the file, and nothing is
 * recorded. */
int seal_check_file(struct seal *s, const char *dir, const char *name, const char *digest,
		    struct err *e);
/* Checks the files of the record. environment.json may match either of the last two digests: the
 * digest is journalled first, and the campaign may have died before it wrote the file. If it
 * matches neither, and the journal does not record the end of the session, the journal may have
 * been cut. Errors: those of seal_check_file(). */
int seal_check_record(struct seal *s, const char *dir, const struct seal_record *r, struct err *e);

/* Fails if the seal is broken. Errors: EBADMSG, with the changes in `dir`. */
int seal_require(const struct seal *s, const char *dir, struct err *e);
void seal_release(struct seal *s);
