/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal of a campaign: one line of JSON per event, each with a checksum of its own, on disk
 * before the campaign goes on.
 *
 * A line is {"seq":N,"event":"run",...,"after":"5e6f7a8b","crc":"1a2b3c4d"}. `crc` is the CRC-32C
 * of all bytes of the line before `,"crc":`. `after` is the crc of the line before, as its text
 * stands there; 00000000 in the first line. So a line that was removed, inserted or rewritten is
 * found where the next line no longer fits. A line that was being written when the machine or the
 * program died has no newline and is cut off when the campaign goes on. A line that was damaged
 * later is left where it is, counted, and not believed. */
#ifndef VALIDATE_JOURNAL_H
#define VALIDATE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

#include "common/err.h"
#include "common/strbuf.h"

#define JOURNAL_LINK 9 /* eight hexadecimal digits and the NUL */

struct journal {
	int fd;
	char *path;
	char link[JOURNAL_LINK]; /* crc of the last line */
	uint64_t next_seq;
	off_t end; /* length of what is whole */
};

/* Opens for appending, creating where `create` says so (then it must not be there), and takes the
 * lock that keeps two campaigns apart: it is held until journal_close. Errors: EBUSY when another
 * process has it, EEXIST, ENOENT. Ownership: journal_close. */
int journal_open(struct journal *j, const char *path, int create, struct err *e);
void journal_close(struct journal *j);

/* Appends an event and waits until it is on disk. The line has "seq" first and "after" last. The
 * reference stays the caller's. After an error nothing of the line is left in the file. */
int journal_append(struct journal *j, json_t *event, struct err *e);

struct journal_reading {
	uint64_t n_lines, n_damaged; /* whole lines; of those, not believed */
	uint64_t next_seq;
	off_t whole_bytes; /* up to the last newline */
	int torn;          /* something stands behind it */
	uint64_t n_seen;          /* whole lines, whoever took them */
	/* number, from 1, of the first line that does not follow the line before; 0 none */
	uint64_t first_unlinked;
	char link[JOURNAL_LINK];  /* of the last line */
	bool linked;              /* a line has "after" */
	bool any_link;            /* the last line is damaged: any line may follow it */
};

/* Calls `on_event` for every believable line in order; its error ends the reading. A line of more
 * than 1 MiB is damaged. Errors: of the system with the path, EINVAL where it is no regular file,
 * EFBIG above 1 GiB. */
int journal_read(const char *path,
		 int (*on_event)(const json_t *event, void *context, struct err *e), void *context,
		 struct journal_reading *r, struct err *e);

/* As journal_read(), for the lines that are wanted: `is_wanted` sees each line's text, neither
 * parsed nor checked. A line that is too long is shown as an empty one. Other lines are not
 * counted. */
int journal_read_some(const char *path,
		      bool (*is_wanted)(const char *line, size_t len, void *context),
		      int (*on_event)(const json_t *event, void *context, struct err *e),
		      void *context, struct journal_reading *r, struct err *e);

/* Adds `event` as a line, newline and all, that journal_read believes where it has "seq" and
 * "event". Errors: EINVAL. */
int journal_line_add(struct strbuf *out, const json_t *event, struct err *e);

/* A believable line's object (new reference), or NULL. `len` is without the newline. */
json_t *journal_parse_line(const char *line, size_t len);
/* How much of a line its checksum is of, all but `,"crc":...}`; 0 where that is wrong. What stands
 * there is not looked at. */
size_t journal_line_body(const char *line, size_t len);

#endif
