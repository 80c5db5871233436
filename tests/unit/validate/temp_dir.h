/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A directory for a test, and small files in it. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/files.h"
#include "common/strbuf.h"
#include "common/xalloc.h"

static inline char *temp_dir_make(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/validate-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	return dir;
}

static inline void temp_dir_remove(char *dir)
{
	struct err e = ERR_INIT;
	if (dir_remove_tree(dir, &e) < 0)
		fail_msg("%s", e.msg);
	free(dir);
}

static inline void file_put(const char *dir, const char *name, const void *data, size_t len)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, len, out), len);
	assert_int_equal(fclose(out), 0);
	free(path);
}

static inline void file_get(const char *dir, const char *name, struct strbuf *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	struct err e = ERR_INIT;
	strbuf_reset(text);
	if (file_read(path, text, 0, &e) < 0)
		fail_msg("%s", e.msg);
	free(path);
}
