/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate judge: what the trace tells, and the protocol that is made for it. */
#ifndef COMMANDS_JUDGE_H
#define COMMANDS_JUDGE_H

#include "capture/command_facts.h"
#include "capture/trace.h"
#include "common/options.h"
#include "common/strbuf.h"

/* A protocol's line, without its end (doc/protocol.md, "Lines"). */
#define PROTOCOL_LINE_MAX 198
/* A cached read takes less time, a read from storage more. */
#define QUICK_NS 10000

struct judge_config {
	struct option_list with;
	const char *dir, *device, *output, *format, *files;
	uint64_t replicates; /* 0: the usual number for the reference */
	int cache;           /* index of judge_caches */
	bool rerun, destructive, dry_run, quiet;
};

/* validate judge --rerun: the command of a trace as a script of a protocol's workload (type =
 * program), that runs it again in a fresh copy of its files. */
#define RERUN_SCRIPT "rerun.sh"

struct rerun {
	struct captured_command command;
	char *trace; /* its path, absolute */
	char *base;  /* the directory that is copied: the root of the capture, or the working
			directory where that is / */
	char *below; /* the working directory within `base`; "" */
	bool whole;  /* the root of the capture is / */
};

enum { JUDGE_CACHE_AUTO, JUDGE_CACHE_COLD, JUDGE_CACHE_WARM, JUDGE_CACHE_AS_IS };
extern const char *const judge_caches[]; /* ends with NULL */

struct judged {
	char *path; /* resolved */
	char *name; /* the file's name, as far as a protocol's name can have its characters */
	enum trace_level level;
	int64_t lasts_ns;
	uint64_t n, n_ended; /* issued requests; those of them whose end is known */
	uint64_t n_reads, n_quick_reads,
	    n_read_bytes; /* reads that returned data; the quick ones */
	bool is_iolog;
	bool rerun_wanted;
	struct rerun rerun;   /* defined if no_rerun.code is 0 */
	struct err no_rerun;  /* why the command cannot be run again */
	int64_t device_bytes; /* read from storage during the capture; -1: the trace does not say */
};

/* Reads the trace at `path`. Errors: of the trace; ENODATA without an issued request.
 * Ownership: judged_release, also after an error. */
int judged_read(struct judged *j, const char *path, struct err *e);
void judged_release(struct judged *j);

/* Appends a section for each replayer: those of --with, or else every replayer found that can take
 * the trace, and the control. Errors: EINVAL for a --with that names no replayer, a replayer that
 * cannot take the trace, or an option that no protocol's line can hold. */
int judge_replayers_add(struct strbuf *out, const struct judge_config *c, const struct judged *j,
			struct err *e);

/* Appends the whole protocol. Errors: as above; EINVAL for a path that no protocol can hold. */
int judge_protocol_make(struct strbuf *out, const struct judge_config *c, const struct judged *j,
			struct err *e);
/* Writes `text` to a file judge-NAME.conf in a new directory of its own, and `script` (NULL: none)
 * beside it. The file's name becomes the protocol's. Ownership: judge_protocol_remove removes both
 * and frees `*path`. */
int judge_protocol_write(const struct strbuf *text, const struct strbuf *script, const char *name,
			 char **path, struct err *e);
void judge_protocol_remove(char *path); /* NULL: nothing */

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
