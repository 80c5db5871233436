/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The versions that replayers print, as reports show them: without a path of the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay/engines/adapters/adapter.h"
#include "replay/options/engine.h"

extern const struct replay_engine engine_hfplayer;
#include "sample.h"

/* The version that the adapter returns for a program that prints `text`. */
static void assert_version(const struct replay_engine *engine, const char *text, int expected,
			   const char *version)
{
	char *dir = sample_dir(), *path = xasprintf("%s/program", dir),
	     *script = xasprintf("#!/bin/sh\n[ \"$1\" = -v ] || exit 1\n%s\n", text);
	struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;
	assert_int_equal(file_write_atomic(path, script, strlen(script), NULL), 0);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(engine->adapter->version(path, NULL, &out, &e) != 0, expected);
	if (!expected)
		assert_string_equal(out.s, version);
	strbuf_release(&out);
	free(script);
	free(path);
	sample_dir_remove(dir);
}

static void hfplayer(void **state)
{
	(void)state;
	assert_version(&engine_hfplayer,
		       "echo You are running version 3.0 of $0.; echo more; exit 3", 0,
		       "hfplayer 3.0");
	assert_version(&engine_hfplayer, "echo version 4", 0, "version 4");
	assert_version(&engine_hfplayer, ":", 1, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(hfplayer)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
