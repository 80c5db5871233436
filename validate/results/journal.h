/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal of a campaign: a line of JSON for each event, with a checksum, which is on disk
 * before the campaign continues.
 *
 * A line is {"seq":N,"event":"run",...,"after":"5e6f7a8b","crc":"1a2b3c4d"}. `crc` is the CRC-32C
 * of all bytes of the line before `,"crc":`. `after` is the text of the crc of the previous line,
 * and 00000000 in the first line. So a removed, inserted or rewritten line is detected at the next
 * line. A line that was being written when the machine or the program died has no newline, and is
 * removed on a resume. A line that was damaged later stays, is counted, and is ignored. */
#pragma once

#include <jansson.h>

#include "common/std.h"

#define JOURNAL_LINK 9 /* eight hexadecimal digits and the NUL */

struct journal {
	int fd;
	char *path;
	char link[JOURNAL_LINK]; /* crc of the last line */
	uint64_t next_seq;
	off_t end; /* length of the complete lines */
};

/* Opens the journal for appending, and takes the lock that excludes other campaigns until
 * journal_close(). `create`: creates the file, which must not exist. Errors: EBUSY if another
 * process holds the lock, EEXIST, ENOENT. Ownership: journal_close(). */
int journal_open(struct journal *j, const char *path, int create, struct err *e);
void journal_close(struct journal *j);

/* Appends an event and waits until it is on disk. The line begins with "seq" and ends with "after"
 * and "crc". The caller keeps the reference. After an error the file contains no part of the line.
 * Errors: from the system. */
int journal_append(struct journal *j, json_t *event, struct err *e);
/* Like journal_append(), and releases the event. */
int journal_append_new(struct journal *j, json_t *event, struct err *e);

struct journal_reading {
	/* number of complete lines; number of ignored complete lines */
	uint64_t n_lines, n_damaged;
	uint64_t next_seq;
	off_t whole_bytes; /* up to the last newline */
	int torn;          /* bytes follow the last newline */
	/* number, from 1, of the first line that does not follow the previous line, and of the
	 * first damaged line; 0 none */
	uint64_t first_unlinked, first_damaged;
	char link[JOURNAL_LINK];  /* of the last line */
	bool linked;              /* a line has "after" */
	bool any_link;            /* the last line is damaged: any line may follow */
};

/* Calls `on_event` for every valid line in order; its error ends the reading. A line above 1 MiB
 * counts as damaged. Errors: from the system, with the path; EINVAL for a file that is not regular;
 * EFBIG above 1 GiB. */
int journal_read(const char *path, int (*on_event)(const json_t *event, void *context,
	struct err *e), void *context, struct journal_reading *r, struct err *e);

/* Like journal_read(), for selected lines. `is_wanted` gets the text of each line, neither parsed
 * nor checked; for a line that is too long it gets an empty text. */
int journal_read_some(const char *path, bool (*is_wanted)(const char *line, size_t len,
	void *context), int (*on_event)(const json_t *event, void *context, struct err *e),
	void *context, struct journal_reading *r, struct err *e);

/* Appends `event` as a line with newline. journal_read() accepts it if it has "seq" and "event".
 * Errors: EINVAL. */
int journal_line_add(struct strbuf *out, const json_t *event, struct err *e);

/* Returns the object of a valid line (new reference), or NULL. `len` does not include the
 * newline. */
json_t *journal_parse_line(const char *line, size_t len);
