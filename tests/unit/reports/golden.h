/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares a text with the stored text in tests/data/reports; UPDATE=1 stores it again. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/files.h"
#include "common/xalloc.h"

static inline void golden_check(const char *name, const char *text)
{
	char *path = xasprintf("tests/data/reports/%s", name);
	const char *update = getenv("UPDATE");
	struct strbuf kept = STRBUF_INIT;
	struct err e = ERR_INIT;
	if (update && *update)
		assert_int_equal(file_write_atomic(path, text, strlen(text), &e), 0);
	if (file_read(path, &kept, 0, &e))
		fail_msg("%s", e.msg);
	if (strcmp(kept.s, text)) {
		size_t i = 0, line = 1;
		for (; kept.s[i] && kept.s[i] == text[i]; i++)
			line += text[i] == '\n';
		while (i && text[i - 1] != '\n')
			i--;
		fail_msg(
		    "%s differs from line %zu on:\nkept: %.*s\nnow:  %.*s\n(UPDATE=1 accepts it)",
		    path, line, (int)strcspn(kept.s + i, "\n"), kept.s + i,
		    (int)strcspn(text + i, "\n"), text + i);
	}
	strbuf_release(&kept);
	free(path);
}

/* A new directory; scratch_remove removes it. */
static inline char *scratch_make(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/reports-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	return dir;
}

static inline void scratch_remove(char *dir)
{
	assert_int_equal(dir_remove_tree(dir, NULL), 0);
	free(dir);
}
