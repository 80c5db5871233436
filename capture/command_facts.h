/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command that was captured, word by word, and the directory that it ran in: member "command"
 * of a trace's extra facts. With it the command can be run again (validate judge --rerun). The
 * metadata's own `command` is one line for people. */
#ifndef CAPTURE_COMMAND_FACTS_H
#define CAPTURE_COMMAND_FACTS_H

#include <jansson.h>
#include <stddef.h>

#include "capture/trace.h"

#define COMMAND_BYTES_MAX 65536 /* of all words: a longer command is not kept */

/* {"argv": [...], "in": DIR}; DIR is the working directory of this process. NULL: no command, one
 * of more than COMMAND_BYTES_MAX, or a word or directory that is no UTF-8. New reference. */
json_t *command_facts(const char *const *argv);

struct captured_command {
	json_t *extra;     /* owns the texts */
	const char **argv; /* argv[n], then NULL; n > 0 */
	size_t n;
	const char *dir; /* absolute */
	int status;      /* as a shell has it: exit status, or 128 and the signal */
};

/* Errors: ENODATA where the trace does not have the command; EINVAL where it is damaged. Ownership:
 * captured_command_release, also after an error. */
int captured_command_read(struct captured_command *c, const struct trace_meta *meta, struct err *e);
void captured_command_release(struct captured_command *c);

#endif
