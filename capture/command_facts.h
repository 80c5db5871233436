/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The captured command as separate words, and its working directory: member "command" of a trace's
 * extra facts. validate judge --rerun runs it again. The metadata's own `command` is one line for
 * display. */
#pragma once

#include <jansson.h>

#include "capture/trace.h"

#define COMMAND_BYTES_MAX 65536 /* bytes of all words; a longer command is not recorded */

/* Returns {"argv": [...], "in": DIR}, where DIR is the working directory of this process. NULL: no
 * command, a command of more than COMMAND_BYTES_MAX, or a word or directory that is not UTF-8. New
 * reference. */
json_t *command_facts(const char *const *argv);

struct captured_command {
	json_t *extra;     /* owns the strings */
	const char **argv; /* argv[n], then NULL; n > 0 */
	size_t n;
	const char *dir; /* absolute */
	int status;      /* as in a shell: exit status, or 128 plus the signal */
};

/* Errors: ENODATA: the trace has no command; EINVAL: the command is malformed. Ownership:
 * captured_command_release, also after an error. */
int captured_command_read(struct captured_command *c, const struct trace_meta *meta, struct err *e);
void captured_command_release(struct captured_command *c);
