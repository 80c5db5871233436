/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors: a negative errno as return value, and a message in the caller's struct.
 *
 * Every function that can fail takes a `struct err *` as its last parameter and returns 0 (or a
 * count) or a negative errno. The function that detects an error writes the message with file, line
 * and value. Its callers put their context before the message. Only main() prints. */
#pragma once

#include <stdarg.h>

struct err {
	int code;	/* a positive errno; 0: no error so far */
	char msg[1000]; /* one line without a newline; a longer message is cut */
};

#define ERR_INIT { 0, "" }

/* Message about a file whose format has another version. Arguments: a long long, an int. */
#define ERR_OTHER_VERSION \
	"the file has version %lld of its format, but this version of validate reads version %d"

/* Sets code and message and returns -code, for `return err_set(e, EINVAL, ...)`. `e` may be NULL:
 * the message is lost. A code of 0 is a bug and becomes EIO. */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int err_vset(struct err *e, int code, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

/* As err_set, but appends ": " and the system's text for `code`. EPERM becomes EACCES, because
 * EPERM in this program means "refused for safety" (status 6). */
int err_sys(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the message, unless the message begins with it. Returns -code (-EIO if
 * `e` is NULL). */
int err_context(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Sets code and message to "no error". */
void err_clear(struct err *e);
