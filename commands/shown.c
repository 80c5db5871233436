/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/strbuf.h"
#include "reports/escape.h"

void shown_print(FILE *out, const char *s, size_t n)
{
	struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;
	strbuf_add(&text, s, strnlen(s, n));
	escape_line(&line, text.s);
	fwrite(line.s, 1, line.len, out);
	strbuf_release(&text);
	strbuf_release(&line);
}

void count_line(const char *label, uint64_t n, const char *one, const char *more)
{
	if (n)
		printf("%-14s%" PRIu64 " %s\n", label, n, n == 1 ? one : more);
}
