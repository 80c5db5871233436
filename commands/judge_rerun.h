/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate judge --rerun: the command of a trace as a script of a protocol's workload (type =
 * program), that runs it again in a fresh copy of its files. */
#ifndef COMMANDS_JUDGE_RERUN_H
#define COMMANDS_JUDGE_RERUN_H

#include "capture/command_facts.h"
#include "common/strbuf.h"

#define RERUN_SCRIPT "rerun.sh"

struct rerun {
	struct captured_command command;
	char *trace; /* its path, absolute */
	char *base;  /* the directory that is copied: the root of the capture, or the working
			directory where that is / */
	char *below; /* the working directory within `base`; "" */
	bool whole;  /* the root of the capture is / */
};

/* `meta` is the metadata of the trace at `trace`. Errors: as captured_command_read; EINVAL where
 * the whole file system would have to be copied. Ownership: rerun_release, also after an error. */
int rerun_read(struct rerun *r, const char *trace, const struct trace_meta *meta, struct err *e);
void rerun_release(struct rerun *r);

/* Appends the command, as a shell reads it, and `base`, for people: without control characters, so
 * that a trace cannot hide its command from a terminal. */
void rerun_show(struct strbuf *command, struct strbuf *base, const struct rerun *r);
/* Appends the script. `files` is a directory that holds what `base` held before the command; NULL:
 * made as the trace says, with the content of the files that still are in `base` and have the size
 * they had. */
void rerun_script(struct strbuf *out, const struct rerun *r, const char *files);

#endif
