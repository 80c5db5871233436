/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers of the outputs of replayers, which are untrusted. Each reader passes on the requests
 * before an error, and then returns EBADMSG with file, line and value. Times are in the epoch of
 * the replayer. */
#pragma once

#include "replay/engines/adapters/adapter.h"

/* Receives each request: adapter_seen(), or a function of a test. An error ends the reading. */
struct request_taker {
	int (*take)(void *ctx, const struct adapter_request *q, struct err *e);
	void *ctx;
};

/* Passes a request to adapter_seen(). `run`: the struct adapter_run. */
int request_seen(void *run, const struct adapter_request *q, struct err *e);

/* Opens a regular file for reading; NULL with the error. */
FILE *text_open(const char *path, struct err *e);
/* Calls `one` for each line of a text file, NUL-terminated and writable. Errors: of `one`; lines
 * above TEXT_LINE_MAX, and bytes 0; all with file and line number. `e` is not NULL. */
int lines_read(const char *path, int (*one)(void *ctx, char *line, struct err *e), void *ctx,
	       struct err *e);
/* Whether the replayer printed `text` within its first 256 KiB. Places at which the text `unless`
 * begins (NULL: none) do not count. `line` (NULL: not wanted) is replaced by the rest of the
 * line. */
bool printed_says(const struct adapter_run *r, const char *text, const char *unless,
		  struct strbuf *line);
/* Splits a line at each `separator` and removes the blanks around it. Sets at most `max` fields;
 * the last field has the rest of the line. If the line has fewer than `min` fields, returns false
 * and leaves the line whole for an error message. */
bool line_fields(char *line, char separator, char **field, unsigned int min, unsigned int max);
/* A whole field as a number (adapter_number). Errors: EBADMSG with `what` and the field. */
int field_number(const char *field, const char *what, unsigned int digits, int64_t *value,
		 struct err *e);

/* Reads the logs of fio (write_lat_log with log_offset): PREFIX_lat.1.log and PREFIX_slat.1.log.
 * The latter also has the last requests of asynchronous engines, whose completions fio does not
 * log. Requests are in the order of issue, as far as it is known. Each instant is the middle of the
 * millisecond that fio reports. */
int fio_logs_read(const char *prefix, const struct request_taker *taker, struct err *e);
/* Reads the lines of blkreplay that follow the heading "orig_start ; ...". */
int blkreplay_output_read(const char *path, const struct request_taker *taker, struct err *e);
/* Reads the thread_log lines of ARTC: the calls of each thread in order, without files and
 * offsets. */
int artc_output_read(const char *path, const struct request_taker *taker, struct err *e);
/* Reads the lines of beefs_replayer: a heading, then a line for each event in the order of the
 * input. */
int beefs_output_read(const char *path, const struct request_taker *taker, struct err *e);
