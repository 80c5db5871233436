/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/std.h"

/* A message is one line of a log or a terminal. Text from a trace or a file name must not break the
 * line. Terminals treat U+0080 to U+009F as commands, too. */
static void make_one_line(char *s)
{
	for (; *s; s++) {
		const bool c1 = (unsigned char)s[0] == 0xc2 && (unsigned char)s[1] >= 0x80 &&
				(unsigned char)s[1] < 0xa0;
		if (c1)
			s[1] = '?';
		if (c1 || (unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
	}
}

int err_vset(struct err *e, int code, const char *fmt, va_list ap)
{
	if (code <= 0)
		code = code < 0 ? -code : EIO;
	if (!e)
		return -code;
	/* writes to a separate buffer, because the arguments may point into the old message */
	char msg[sizeof e->msg];
	if (vsnprintf(msg, sizeof msg, fmt, ap) < 0)
		snprintf(msg, sizeof msg, "error (its message could not be formatted)");
	make_one_line(msg);
	memcpy(e->msg, msg, sizeof msg);
	e->code = code;
	return -code;
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int ret = err_vset(e, code, fmt, ap);
	va_end(ap);
	return ret;
}

int err_sys(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int ret = err_vset(e, code == EPERM ? EACCES : code, fmt, ap);
	va_end(ap);
	if (e) {
		const int told = code == EPERM ? EPERM : -ret;
		const char *text = strerrordesc_np(told);
		size_t len = strlen(e->msg);
		if (text)
			snprintf(e->msg + len, sizeof e->msg - len, ": %s", text);
		else
			snprintf(e->msg + len, sizeof e->msg - len, ": error %d", told);
	}
	return ret;
}

int err_context(struct err *e, const char *fmt, ...)
{
	if (!e)
		return -EIO;
	struct err old = *e;
	va_list ap;
	va_start(ap, fmt);
	int ret = err_vset(e, old.code ? old.code : EIO, fmt, ap);
	va_end(ap);
	size_t len = strlen(e->msg);
	if (strncmp(old.msg, e->msg, len) || strncmp(old.msg + len, ": ", 2))
		snprintf(e->msg + len, sizeof e->msg - len, ": %s", old.msg);
	else
		*e = old; /* the message already begins with this context */
	return ret;
}

void err_clear(struct err *e)
{
	if (!e)
		return;
	e->code = 0;
	e->msg[0] = 0;
}
