/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option `times`: how the times of requests come back.
 *
 *     self | preload | block                     the adapter's own reading, or an observer
 *     none                                       they do not: who asks watches the device himself
 *     self:csv(begin=3,end=4,unit=us, ...)       text in columns, counted from 1, which any program
 * may write
 *
 * Columns: begin, and end or took (a duration); optional: op (r or w as first letter, R, W, or the
 * name of an operation), offset, length, object, seq (number of the request in the input, from
 * `first` on), result, tid. Without op, offset, length and seq the k-th line is of the k-th
 * request. Others: unit = s, ms, us, ns (of begin, end and took); unit-offset = 1, 512, ... (bytes,
 * of offset and length); sep = comma, semicolon, tab, blank (runs of blanks and tabs), colon;
 * header = lines at the beginning that are none (0); comment = a character that such lines begin
 * with. */
#ifndef REPLAY_ADAPTER_TIMES_H
#define REPLAY_ADAPTER_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "replay/engines/adapters/adapter.h"

enum times_column {
	TIMES_BEGIN,
	TIMES_END,
	TIMES_TOOK,
	TIMES_OP,
	TIMES_OFFSET,
	TIMES_LENGTH,
	TIMES_OBJECT,
	TIMES_SEQ,
	TIMES_RESULT,
	TIMES_TID,
	TIMES_N
};

#define TIMES_COLUMNS_MAX 1000

struct times_form {
	uint64_t column[TIMES_N]; /* from 1 on; 0: it is not there */
	int unit;		  /* digits: 9 s, 6 ms, 3 us, 0 ns */
	uint64_t unit_bytes;	  /* of offset and length */
	uint64_t first_seq;	  /* what the first request of the input is called */
	uint64_t n_header;
	char separator;		  /* ' ': runs of blanks */
	char comment;		  /* 0 none */
};

struct times_how {
	enum adapter_times how;
	bool has_form; /* self, in this form */
	struct times_form form;
};

/* `text` NULL: the adapter's usual one. Errors: EINVAL: no such way, with the nearest; one that
 * this adapter has not; what is wrong with the form. */
int times_parse(struct times_how *t, const char *text, const struct adapter *a, struct err *e);
extern const char *const times_names[]; /* "self", "preload", "block", "none", NULL */
const char *times_name(enum adapter_times how);

/* Whether it is not told if a request succeeded: one that failed counts as one that did what it did
 * in the trace. The adapters' own readers know by other ways, such as their replayer's exit status.
 */
static inline bool times_hide_results(const struct times_how *t)
{
	return t->how == ADAPTER_SELF && t->has_form && !t->form.column[TIMES_RESULT];
}

/* Reads r->output in that form and gives each line to adapter_seen(). Errors: EBADMSG with file,
 * line and value; of the system. */
int times_read(struct adapter_run *r, const struct times_form *f, struct err *e);

#endif
