/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A complete call of strace that is being converted to a request. Private to the reader of
 * strace. */
#pragma once

#include "capture/app/app_state.h"
#include "capture/formats/strace_private.h"

#define PARTS_MAX 8

struct strace_parsed {
	struct strace *t;
	uint32_t tid;
	const struct syscall_row *call;
	unsigned int n; /* of arg[] */
	const char *ret, *end; /* the result, after "= " */
	struct trace_record r; /* times, result and operation */
	const struct part *dir; /* the directory argument of the next path, or NULL */
	unsigned int dir_at;	/* number of that argument */
	bool no_request;	/* a call that strace prints, but that is not a request */
	bool entered;		/* its start is already known */
	bool unfinished;	/* the call never returned: its effect is unknown */
	/* in the form that the kernel gets; memory[i].data is in t->memory[i] */
	uint64_t value[SYSCALL_ARGS];
	struct syscall_memory memory[SYSCALL_MEMORIES];
	struct part arg[PARTS_MAX];
};

/* --- strace_text.c: splitting the text --- */

/* Splits the text at commas outside strings and brackets, into at most PARTS_MAX parts. Returns the
 * number of parts. *s: after the closing parenthesis, or NULL if there is none. */
unsigned int strace_split(const char **s, const char *end, struct part *arg);
/* The next item of a list or structure, up to a comma or the closing bracket. *s moves to the next
 * item. False: there is none. */
bool strace_next_part(const char **s, const char *end, struct part *part);
/* The bytes of a quoted string, with C's escapes decoded. False: it is not a string, or contains a
 * NUL. */
bool strace_unquote(struct strbuf *to, const struct part *a);
/* the same, but NULs are permitted */
bool strace_unquote_bytes(struct strbuf *to, const struct part *a);
/* The decoration after a descriptor at s ("</a/b>"), without its brackets and device numbers.
 * False: there is none. */
bool strace_decoration(const char *s, const char *end, struct part *d);
/* The decoration after the descriptor that the call returned. */
bool strace_result_decoration(const struct strace_parsed *p, struct part *d);
/* Removes "<0.000021>" from the end of a line and returns the duration in ns; -1: there is none. */
int64_t strace_take_duration(const char *s, const char **end);

/* --- strace_names.c: descriptors and paths; errors by foreign_at --- */

/* Removes the mark of a deleted file, which some versions of strace print inside the brackets. */
struct part strace_without_deleted(const char *s, size_t len);
/* Decodes a decoration into t->path. False: it is malformed. */
bool strace_decoration_text(struct strace *t, const struct part *d);
/* Whether a rename is unfinished. Then strace may already show its effect. */
bool strace_rename_under_way(const struct strace *t);
/* Stores the decoration of `f`, for comparison with that of the next call. */
void strace_keep_shown(const struct strace *t, struct app_open_file *f, const struct part *d);
/* Reads a descriptor argument. If the file was opened before the trace began, or its open is
 * missing in the trace, the decoration opens it. */
int strace_descriptor(struct strace_parsed *p, const struct part *a, int64_t *fd, struct err *e);
/* Sets the working directory of the process. */
void strace_set_cwd(struct strace_parsed *p, const char *path);
/* Writes the absolute path of an argument to `to`, as far as its directory is known; nothing for
 * "". `dir`: the descriptor argument to which the path is relative, or NULL. */
int strace_path(struct strace_parsed *p, const struct part *a, const struct part *dir,
		struct strbuf *to, struct err *e);

/* --- strace_args.c --- */

/* Reads a whole number. Errors: EINVAL, by foreign_at. */
int strace_number(struct strace_parsed *p, const struct part *a, bool is_signed, uint64_t *v,
		  struct err *e);
/* Reads all arguments by the letters of the call's row. `partly`: some arguments are not printed
 * yet. */
int strace_take_args(struct strace_parsed *p, bool partly, struct err *e);

/* --- strace_before.c: state of files, from requests; member of struct syscalls_sink --- */

/* As `made` of struct syscalls_sink. */
void strace_made(void *context, const struct trace_record *r, const struct app_open_file *f,
		 const char *second);
/* The path of the file that the call opened, relative to the root, from the decoration of its
 * result. NULL: it is not shown, or not reliable. Valid until t->path changes. */
const char *strace_opened_real(const struct strace_parsed *p, const struct trace_record *r);

/* --- strace_sizes.c: sizes of files, at each instant and before the first request --- */

/* Follows a request. `name`: of its file; NULL: none. `second`: the second path of the request.
 * `found`: result of a stat that succeeded, or NULL. Returns the number of the file, or 0. */
uint32_t strace_size_follow(struct strace_parsed *p, const struct trace_record *r,
			    const struct app_open_file *f, const char *name, const char *second,
			    const struct found_file *found);
/* The same for the asynchronous request `r`. */
void strace_size_async(struct strace_parsed *p, const struct trace_record *r);
/* The number of the file's entry in the list of initial files, if a request changed the file before
 * a call showed its state; otherwise 0. *changed: some request changed the file. */
uint32_t strace_size_entry(const struct strace *t, uint32_t id, bool *changed);
/* As `size` of struct syscalls_sink. */
int64_t strace_size(void *context, const struct app_open_file *f);
/* Sets the initial sizes at the end of the first pass. Returns the number of changed files whose
 * size no call showed. */
uint64_t strace_sizes_settle(struct strace *t);
