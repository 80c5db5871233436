/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option `times`: what measures the times of requests.
 *
 * - self: the replayer's own times
 * - preload, block: an observer
 * - none: nothing; the user observes the device
 * - self:csv(begin=3,end=4,unit=us, ...): text in columns, counted from 1
 *
 * Columns: begin, and end or took (a duration); optional: op (r or w as first letter, R, W, or the
 * name of an operation), offset, length, object, seq (number of the request in the input, from
 * `first` on), result, tid. Without op, offset, length and seq the k-th line is the k-th request.
 * Others: unit = s, ms, us, ns (of begin, end and took); unit-offset = 1, 512, ... (bytes, of
 * offset and length); sep = comma, semicolon, tab, blank (runs of blanks and tabs), colon; header =
 * number of skipped lines at the start (0); comment = first character of skipped lines. */
#pragma once

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
	uint64_t column[TIMES_N]; /* from 1 on; 0: missing */
	int unit;		  /* number of digits: 9 s, 6 ms, 3 us, 0 ns */
	uint64_t unit_bytes;	  /* of offset and length */
	uint64_t first_seq;	  /* number of the first request of the input */
	uint64_t n_header;
	char separator;		  /* ' ': runs of blanks */
	char comment;		  /* 0 none */
};

struct times_how {
	enum adapter_times how;
	bool has_form; /* self, in this form */
	struct times_form form;
};

/* Parses the option. `text` NULL: the adapter's default. Errors: EINVAL: an unknown name, with the
 * nearest name; a name that the adapter does not support; an error in the form. */
int times_parse(struct times_how *t, const char *text, const struct adapter *a, struct err *e);
/* "self", "preload", "block", "none", NULL: in the order of the bits of enum adapter_times */
extern const char *const times_names[];
const char *times_name(enum adapter_times how);

/* Whether the times come without results. In this case a failed request counts as if it had its
 * traced result. The adapters' own readers recognise failures in other ways, for example by the
 * exit status. */
static inline bool times_hide_results(const struct times_how *t)
{
	return t->how == ADAPTER_SELF && t->has_form && !t->form.column[TIMES_RESULT];
}

/* Reads r->output in that form and passes each line to adapter_seen(). Errors: EBADMSG with file,
 * line and value; of the system. */
int times_read(struct adapter_run *r, const struct times_form *f, struct err *e);
