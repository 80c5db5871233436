/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors: a negative errno as return value, and the story in the caller's struct.
 *
 * Every function that can fail takes a `struct err *` as its last parameter and returns 0 (or a
 * count) or a negative errno. The one who notices writes what is wrong, naming file, line and
 * value; callers on the way up put their context in front. Only the program's top prints. */
#ifndef COMMON_ERR_H
#define COMMON_ERR_H

#include <stdarg.h>

struct err {
	int code;	/* a positive errno, 0 while nothing went wrong */
	char msg[1000]; /* one line, no newline, cut rather than overflowing */
};

#define ERR_INIT { 0, "" }

/* Sets code and message and returns -code, so that `return err_set(e, EINVAL, ...)` reads as one
 * step. `e` may be NULL: the message is dropped and -code returned. A code of 0 is our own bug and
 * becomes EIO. */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int err_vset(struct err *e, int code, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

/* As err_set, and appends ": " and the system's text for `code`. EPERM, which is what this program
 * itself refuses for safety (status 6), becomes EACCES. */
int err_sys(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "context: " in front of the message already there, unless that begins so; returns -code
 * (-EIO where `e` is NULL and the code not known). */
int err_context(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void err_clear(struct err *e);

#endif
