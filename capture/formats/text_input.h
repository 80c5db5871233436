/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a file by lines or pieces through one buffer of bounded size. Lines end in LF, CR LF or CR,
 * in any mixture. */
#pragma once

#include "common/std.h"

#define TEXT_LINE_MAX (1u << 20) /* bytes; a longer line is an error */

struct text_input {
	char *path;
	int fd;
	char *buf;
	size_t at, len; /* buf[at..len) was not read by the caller yet */
	size_t cap;	/* size of buf, without the line feed after it */
	bool eof, has_cr, after_cr, skipping;
	uint64_t line;	 /* 1-based number of the last line returned */
	uint64_t offset; /* offset of buf[0] in the file */
};

/* Errors: of the system; EINVAL: not a regular file. Ownership: text_input_close, also after an
 * error. */
int text_input_open(struct text_input *in, const char *path, struct err *e);
void text_input_close(struct text_input *in);
int text_input_rewind(struct text_input *in, struct err *e);

/* Reads the next line. Returns 1 (*s[*len] is valid until the next call; a line end follows it), 0
 * at the end, or a negative errno. Errors: EMSGSIZE: the line is too long; the next call continues
 * after it. */
int text_input_line(struct text_input *in, const char **s, size_t *len, struct err *e);

/* Gives at least `want` bytes (at most TEXT_LINE_MAX), or fewer at the end of the file: *s[*len],
 * valid until the next call. text_input_take() consumes them. Returns 0 or a negative errno. */
int text_input_peek(struct text_input *in, size_t want, const char **s, size_t *len, struct err *e);
static inline void text_input_take(struct text_input *in, size_t n)
{
	in->at += n;
}
