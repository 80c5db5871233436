/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate judge: facts about the trace, and the generated protocol. */
#pragma once

#include "capture/command_facts.h"
#include "common/options.h"

/* Maximum length of a protocol line without its line end (doc/protocol.md, "Lines"). */
#define PROTOCOL_LINE_MAX 198
/* Reads from the cache are faster than this, reads from storage slower. */
#define QUICK_NS 10000

struct judge_config {
	struct option_list with; /* NULL: a number that a name uses already */
	const char *dir, *device, *output, *format, *files;
	uint64_t replicates; /* 0: the usual number */
	/* NULL, or a claim (protocol key `claim`) that is judged alone, without a control, with
	 * these values of `replicates` and `budget` */
	const char *claim, *claim_replicates;
	int64_t claim_budget_ns;
	int cache;           /* index of judge_caches */
	bool rerun, destructive, dry_run, quiet;
};

/* validate judge --rerun: the captured command as a script of a protocol's workload (type =
 * program) that runs again in a fresh copy of its files. */
#define RERUN_SCRIPT "rerun.sh"

struct rerun {
	struct captured_command command;
	char *trace; /* absolute path of the trace */
	/* the directory that is copied: the root of the capture, or the working directory if the
	 * root is / */
	char *base;
	char *below; /* the working directory relative to `base`, or "" */
	bool whole;  /* the root of the capture is / */
};

enum { JUDGE_CACHE_AUTO, JUDGE_CACHE_COLD, JUDGE_CACHE_WARM, JUDGE_CACHE_AS_IS };
extern const char *const judge_caches[]; /* ends with NULL */

struct judged {
	char *path; /* resolved */
	char *name; /* name of the file, reduced to characters that a protocol permits */
	enum trace_level level;
	int64_t lasts_ns;
	uint64_t n, n_ended; /* number of issued requests; number of requests with an end */
	uint64_t n_reads, n_quick_reads,
	    n_read_bytes; /* number of reads that returned data; number of quick reads */
	bool is_iolog;
	bool rerun_wanted;
	struct rerun rerun;   /* defined if no_rerun.code is 0 */
	struct err no_rerun;  /* why the command cannot run again */
	/* bytes that were read from storage during the capture; -1: unknown */
	int64_t device_bytes;
};

/* Reads the trace at `path`. Errors: of the trace; ENODATA without an issued request. Ownership:
 * judged_release, also after an error. */
int judged_read(struct judged *j, const char *path, struct err *e);
void judged_release(struct judged *j);

/* Appends a section for each replayer: those of --with, otherwise every available replayer that can
 * replay the trace, and the control. Errors: EINVAL for an unknown replayer in --with, a replayer
 * that cannot replay the trace, or an option that does not fit into a protocol line. */
int judge_replayers_add(struct strbuf *out, const struct judge_config *c, const struct judged *j,
			struct err *e);

/* Appends the whole protocol. Errors: those of judge_replayers_add; EINVAL for a path that a
 * protocol cannot contain. */
int judge_protocol_make(struct strbuf *out, const struct judge_config *c, const struct judged *j,
			struct err *e);
/* Writes `text` to NAME.conf in a new directory, and `script` (NULL: none) beside it. Sets *path to
 * the name of the protocol file. Errors: from the system. Ownership: judge_protocol_remove removes
 * both files and frees `*path`. */
int judge_protocol_write(const struct strbuf *text, const struct strbuf *script, const char *name,
			 char **path, struct err *e);
void judge_protocol_remove(char *path); /* NULL: no effect */

/* Reads the facts for a rerun. `meta` is the metadata of the trace at `trace`. Errors: those of
 * captured_command_read; EINVAL if the whole file system would have to be copied. Ownership:
 * rerun_release, also after an error. */
int rerun_read(struct rerun *r, const char *trace, const struct trace_meta *meta, struct err *e);
void rerun_release(struct rerun *r);

/* Appends the script. `files`: a directory with the content of `base` before the command. NULL: the
 * files are made as the trace describes them, with the content of files that still exist in `base`
 * with unchanged size. */
void rerun_script(struct strbuf *out, const struct rerun *r, const char *files);
