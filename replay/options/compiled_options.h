/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of engine `compiled`. */
#ifndef REPLAY_COMPILED_OPTIONS_H
#define REPLAY_COMPILED_OPTIONS_H

#include <stdbool.h>

struct compiled_options {
	const char *cc;		   /* --cc, NULL "cc" */
	bool unroll;		   /* --unroll: generate code for each request */
	bool compile_only;	   /* --compile-only: no replay */
	const char *keep_source;   /* --keep-source, NULL none */
	const char *program_cache; /* --program-cache, NULL the user's cache directory */
};

#endif
