/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the core, which runs a replay with a replayer of another project. */
#pragma once

#include "replay/engines/adapters/child.h"
#include "replay/engines/adapters/inputs.h"
#include "replay/engines/adapters/times.h"

/* Detects whether a replayer wrote beside the target: compares the entries of the target's parent
 * directory before and after the run, by name, type, size and time of the last change. A directory
 * that all users may write to (/tmp, /dev) is not checked. */
struct surrounding;

struct surroundings {
	char *dir; /* NULL: not checked */
	struct surrounding *v; /* v[n], by name */
	size_t n, cap;
	bool too_many;
};
#define SURROUNDINGS_MAX 100000u

/* `except`: paths (NULL-terminated) that may change. A directory that this user may not read is not
 * checked. Errors: of the system. Ownership: surroundings_release. */
int surroundings_take(struct surroundings *s, const char *target, const char *const *except,
		      struct err *e);
void surroundings_release(struct surroundings *s);

/* The first differences: "made x, changed y, removed z". False if there are none, or if either side
 * was not checked. */
bool surroundings_differ(const struct surroundings *before, const struct surroundings *after,
			 char *text, size_t size);

/* Identity and state of a file or directory. */
struct file_mark {
	bool there;
	bool is_data; /* of a regular file: size and time of its last change are compared as well */
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
};
/* Also succeeds for a missing path. Errors: from the system. */
int file_mark_take(struct file_mark *m, const char *path, struct err *e);
/* Compares the present state with the mark. Returns NULL, "removed" or "replaced"; with `content`
 * also "changed". Static text. */
const char *file_mark_differs(const struct file_mark *m, const char *path, bool content);
/* Whether a regular file exists and its size differs from that in the mark. */
bool file_mark_resized(const struct file_mark *m, const char *path);

/* Checks the names of a trace before another replayer gets them. Such a program opens them itself,
 * as open(2) does: an absolute name, "..", and a link lead it out of the target directory, and a
 * device node is written. Every exported request is checked:
 *
 * - Each name is looked up below the directory (openat2 with RESOLVE_BENEATH), and must be a file
 *   or a directory, or missing. A missing name must have neither ".." nor a link on its way.
 * - If requests move, link or remove names, or change the working directory, no name may have
 *   "..", no new link may be absolute or have "..", and the directory may hold neither such links
 *   nor devices, FIFOs and sockets.
 *
 * The check is made once, before the replayer starts. It does not see what another process changes
 * later. */
struct names_how {
	const char *dir;     /* absolute path of the target directory */
	const char *program; /* for messages */
	/* absolute names below it are names in the directory; NULL: all absolute names are refused
	 */
	const char *root;
	/* other absolute names are permitted: they cannot reach anything, as long as they have no
	 * ".." */
	bool others_stay;
};

/* Whether a component of the path is "..". */
bool names_climb(const char *path);

/* Rewinds and reads `t`. *changes: a request may change the meaning of names. Errors: EPERM with
 * the name and the reason; of reading; of the system. */
int names_check(const struct names_how *how, const struct inputs *in, struct trace *t,
		bool *changes, struct err *e);

struct outcome_slot { /* of a request of the input; all bytes 0: not observed */
	uint64_t begin;	       /* outcome_begin() of CLOCK_MONOTONIC */
	int64_t took_ns;
	int64_t dispatched_ns; /* after the start; -1: unknown */
	int64_t rvalue;	       /* or -errno; ADAPTER_AS_TRACED */
};
static inline uint64_t outcome_begin(int64_t ns)
{
	return (uint64_t)ns + (UINT64_C(1) << 63);
}
static inline int64_t outcome_begin_ns(const struct outcome_slot *o)
{
	return (int64_t)(o->begin - (UINT64_C(1) << 63));
}

struct adapter_state {
	struct adapter_run run; /* what the hooks see: first */
	const char *input_path;
	struct times_how times;
	const struct trace_format *format;
	enum adapter_per per;
	char *start_in;
	struct placeholders placeholders;
	struct words_list command, environment; /* placeholders replaced */
	struct words_list more;			/* words from the hooks */
	cpu_set_t cpus;
	bool names_change;	/* some request of the trace may change the meaning of names */
	bool has_cpus, writes_output; /* a word of the command names {output} */
	struct surroundings before, after;
	struct file_mark target_before, input_before, program_before;
	struct child_result *result;
	struct pause pause; /* of the campaign, if there is one */
	struct strbuf version, notes;
	char digest[65];

	/* observed requests */
	char *seen_path;	     /* trace of them */
	struct trace_writer *writer; /* times self */
	uint64_t n_seen;	     /* records */
	/* times self: the least start and the greatest end */
	int64_t first_seen_ns, last_seen_ns;
	uint64_t n_events_lost;
	bool blind; /* times preload: some programs or calls were not seen */
	bool numbered, unnumbered;   /* times self: some requests have numbers; some have none */
	/* without numbers and operations: report k belongs to request k of the input */
	bool in_order;

	/* outcome[n] of each request, in an unnamed file */
	struct outcome_slot *outcome;
	uint64_t n_outcomes;
	uint64_t n_matched, n_extra, n_other; /* other: calls that are not requests to the device */
	uint64_t n_ambiguous;
	bool ambiguous_at_least;
	int64_t shift_ns; /* added to observed times to get CLOCK_MONOTONIC */
	uint8_t *is_matched; /* a bit for each observed record */
};

/* adapter_command.c: program, words, environment. */
int command_make(struct adapter_state *a, struct err *e);
/* Checks the options without a trace. */
int command_check(const struct adapter *a, const struct replay_config *c, struct err *e);

/* adapter_run.c: runs the replayer under the observer. The observed requests are in a->seen_path.
 * Errors: with the reason. */
int adapter_start(struct adapter_state *a, struct err *e);
/* Whether the list of the option accept-status has this status; statuses as in a shell. Errors:
 * EINVAL: an item is not a status. */
int statuses_check(const char *list, uint64_t status, bool *found, struct err *e);

/* adapter_match.c: the trace of reported requests (times self). */
int seen_open(struct adapter_state *a, struct err *e);

/* adapter_pieces.c: joins observed device requests that are pieces of a longer request of the
 * input. Errors: of reading and writing. */
int seen_join(struct adapter_state *a, struct err *e);

/* adapter_match.c: finds the request of the input for each observed one. */
int seen_match(struct adapter_state *a, struct err *e);
void seen_release(struct adapter_state *a);

/* adapter_output.c: the replay trace and the summary. */
int adapter_output_write(struct adapter_state *a, struct replay_summary *s, struct err *e);
