/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers of what replayers write about their own requests. Every byte is a stranger's: each gives
 * the requests that it read before what is wrong, and then EBADMSG naming file, line and value.
 * Times are of an epoch of the replayer's own. */
#ifndef REPLAY_OUTPUTS_H
#define REPLAY_OUTPUTS_H

#include <stdio.h>

#include "replay/engines/adapters/adapter.h"

/* Takes the requests that are read: adapter_seen(), or a test's. Errors end the reading. */
struct request_taker {
	int (*take)(void *ctx, const struct adapter_request *q, struct err *e);
	void *ctx;
};

/* A regular file, for reading; NULL with the error. */
FILE *text_open(const char *path, struct err *e);
/* A text file line by line, each NUL-terminated without its end, which may be written to. Lines
 * above LINE_BYTES_MAX, and bytes 0, are wrong. `one` returns 0 or a negative errno. Errors get
 * file and line number in front. `e` is not NULL. */
#define LINE_BYTES_MAX 65536u
int lines_read(const char *path, int (*one)(void *ctx, char *line, struct err *e), void *ctx,
	       struct err *e);
/* Whether the replayer printed `text`, not as the beginning of `unless` (NULL: wherever; within the
 * first 256 KiB, where its standard output is kept whole); `line` (reset first; NULL: not wanted)
 * is what follows it on its line. */
bool printed_says(const struct adapter_run *r, const char *text, const char *unless,
		  struct strbuf *line);
/* Cuts a line at each `separator` and at blanks around: field[0..n), n at most max; what is more
 * stays in the last. Returns n. */
unsigned int line_fields(char *line, char separator, char **field, unsigned int max);
/* A whole field as a number (adapter_number): nothing may follow. Errors: EBADMSG naming `what` and
 * the field. */
int field_number(const char *field, const char *what, unsigned int digits, int64_t *value,
		 struct err *e);

/* fio's logs (write_lat_log with log_offset): PREFIX_lat.1.log, and PREFIX_slat.1.log, which has
 * what was issued and not logged when it ended (the async engines' last ones). In the order of
 * issue where that is known. Instants are in the middle of fio's ms. */
int fio_logs_read(const char *prefix, const struct request_taker *taker, struct err *e);
/* blkreplay's lines, whose first is the heading "orig_start ; ...". */
int blkreplay_output_read(const char *path, const struct request_taker *taker, struct err *e);
/* ARTC's thread_log lines: calls of each thread in its order, without files and offsets. */
int artc_output_read(const char *path, const struct request_taker *taker, struct err *e);
/* The paper's replayer's lines, one an event, in the order of the input behind one of its own. */
int beefs_output_read(const char *path, const struct request_taker *taker, struct err *e);

#endif
