/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes digests and chain from the journal on standard input, as in earlier versions. The lines
 * get valid checksums. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/crc32c.h"

/* Removes `,"name":` and the string, or the object without objects, after it. */
static void member_remove(char *line, const char *name)
{
	char mark[40];
	snprintf(mark, sizeof mark, ",\"%s\":", name);
	char *at = strstr(line, mark);
	if (!at)
		return;
	char *value = at + strlen(mark), *end = strchr(value + 1, *value == '{' ? '}' : '"');
	memmove(at, end + 1, strlen(end + 1) + 1);
}

int main(void)
{
	static const char *const names[] = {"files", "sha256", "line_sha256", "after", "crc"};
	char *line = NULL;
	size_t cap = 0;
	while (getline(&line, &cap, stdin) > 0) {
		if (strstr(line, "\"event\":\"environment\""))
			continue;
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			member_remove(line, names[i]);
		size_t len = strlen(line) - 2; /* brace and newline */
		printf("%.*s,\"crc\":\"%08x\"}\n", (int)len, line, crc32c(0, line, len));
	}
	free(line);
	return ferror(stdin) || fflush(stdout);
}
