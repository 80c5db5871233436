/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments of a call in the column `args` of a CSV line, as name=value;name=value:
 * doc/formats/csv.md. */
#pragma once

#include "capture/trace.h"

/* Appends the arguments of `r`, except those that csv_args_read() adds by default. `object` and
 * `heap` belong to the record, or are NULL. */
void csv_args_write(struct strbuf *out, const struct trace_record *r,
		    const struct trace_object *object, const void *heap, size_t heap_len);

/* Results of csv_args_read() that are not in the record. Buffers are reused for the next line. */
struct csv_args {
	enum object_kind object_kind; /* 0: the line names no object */
	/* in the text or in `unescaped`; not NUL-terminated */
	const char *object_name;
	size_t object_name_len;
	struct strbuf unescaped;
	bool has_heap;
	struct strbuf heap;
};

/* Parses `text` into fd, offset, length and flags of `r`, and into `a`. The caller has set op and
 * rvalue of `r`. Errors: EINVAL: unknown or repeated names, bad numbers or escapes, missing
 * arguments. */
int csv_args_read(const char *text, size_t len, struct trace_record *r, struct csv_args *a,
		  struct err *e);

/* Length in bytes of the UTF-8 character at s[0..len). 0: it is invalid (also overlong, a
 * surrogate, or above U+10FFFF). */
size_t utf8_char_len(const unsigned char *s, size_t len);
/* Whether the text has control characters or invalid UTF-8, which terminals may interpret. */
bool text_has_control(const char *text);
