/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file, line by line or in pieces, through one buffer of bounded size. Lines end in LF, CR LF or
 * CR, mixed as they come. */
#ifndef CAPTURE_FORMATS_TEXT_INPUT_H
#define CAPTURE_FORMATS_TEXT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define TEXT_LINE_MAX (1u << 20) /* bytes: a longer one is no line of a trace */
#define TEXT_SLACK 64u /* bytes behind a line that may be read */

struct text_input {
	char *path;
	int fd;
	char *buf;
	size_t at, len; /* buf[at..len) is still to be given out */
	size_t cap;	/* of buf, without TEXT_SLACK bytes behind, line ends */
	bool eof, has_cr, after_cr, skipping;
	uint64_t line;	 /* 1-based, of the line given last */
	uint64_t offset; /* of buf[0] in the file */
};

/* Errors: of the system; EINVAL for what is no regular file. Ownership: text_input_close, also
 * after an error. */
int text_input_open(struct text_input *in, const char *path, struct err *e);
void text_input_close(struct text_input *in);
int text_input_rewind(struct text_input *in, struct err *e);

/* The next line: 1, with *s[*len] borrowed until the next call and followed by a line end and
 * TEXT_SLACK - 1 bytes more that may be read, 0 at the end, or a negative errno. Errors: EMSGSIZE
 * for a line that is too long; calling again goes on behind it. */
int text_input_line(struct text_input *in, const char **s, size_t *len, struct err *e);

/* At least `want` bytes (at most TEXT_LINE_MAX) where the file has them: *s[*len] borrowed until
 * the next call; take them by text_input_take. 0 or a negative errno; at the end of the file *len
 * is less than `want`. */
int text_input_peek(struct text_input *in, size_t want, const char **s, size_t *len, struct err *e);
static inline void text_input_take(struct text_input *in, size_t n)
{
	in->at += n;
}

#endif
