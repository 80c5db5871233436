/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The `args` of a CSV line: what the call was given, as name=value;name=value. doc/formats/csv.md
 * has the rules. */
#ifndef CAPTURE_CSV_ARGS_H
#define CAPTURE_CSV_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"
#include "common/strbuf.h"

/* Appends the arguments of `r`; only what csv_args_read() would not put there by itself. `object`
 * and `heap` are what the record refers to, or NULL. */
void csv_args_write(struct strbuf *out, const struct trace_record *r,
		    const struct trace_object *object, const void *heap, size_t heap_len);

/* What reading gives beside the record's own fields. Buffers are reused from line to line. */
struct csv_args {
	enum object_kind object_kind; /* 0: none named */
	/* of the text, or of `unescaped`; object_name[object_name_len] may be anything */
	const char *object_name;
	size_t object_name_len;
	struct strbuf unescaped;
	bool has_heap;
	struct strbuf heap;
};

/* Fills fd, offset, length and flags of `r`, whose op and rvalue are known, and `a`. Strict: an
 * unknown or repeated name, a bad number or escape, and a missing argument are EINVAL.
 * CSV_ARGS_SLACK bytes behind the text must be readable, whatever they are. */
int csv_args_read(const char *text, size_t len, struct trace_record *r, struct csv_args *a,
		  struct err *e);
#define CSV_ARGS_SLACK 64u

/* The length of the UTF-8 character at s[0..len), or 0 where there is none (also overlong,
 * surrogate, or beyond U+10FFFF). */
size_t utf8_char_len(const unsigned char *s, size_t len);
/* Control characters, or bytes that are no UTF-8: what a terminal may obey instead of showing. */
bool text_has_control(const char *text);


#endif
