/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors: a negative errno as return value, and a message in the caller's struct.
 *
 * Every function that can fail takes a `struct err *` as its last parameter and returns 0 (or a
 * count) or a negative errno. The function that detects an error writes the message with file, line
 * and value; its callers put their context in front. Only main() prints. */
#pragma once

#include <stdarg.h>

struct err {
	int code;	/* a positive errno, 0 while nothing went wrong */
	char msg[1000]; /* one line, no newline, cut rather than overflowing */
};

#define ERR_INIT { 0, "" }

/* Sets code and message and returns -code, so that `return err_set(e, EINVAL, ...)` reads as one
 * step. `e` may be NULL: there is no message. A code of 0 is a bug and becomes EIO. */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int err_vset(struct err *e, int code, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

/* As err_set, and appends ": " and the system's text for `code`. EPERM becomes EACCES: in this
 * program EPERM means refused for safety (status 6). */
int err_sys(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "context: " in front of the message, unless it begins so; returns -code (-EIO if `e` is
 * NULL). */
int err_context(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void err_clear(struct err *e);
