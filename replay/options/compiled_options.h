/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the engine `compiled` can be told. */
#ifndef REPLAY_COMPILED_OPTIONS_H
#define REPLAY_COMPILED_OPTIONS_H

#include <stdbool.h>

struct compiled_options {
	const char *cc;		   /* --cc, NULL "cc" */
	bool unroll;		   /* --unroll: each request as code */
	bool compile_only;	   /* --compile-only: make the program, and replay nothing */
	const char *keep_source;   /* --keep-source, NULL none */
	const char *program_cache; /* --program-cache, NULL the user's own */
};

#endif
