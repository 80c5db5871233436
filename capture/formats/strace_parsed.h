/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A complete call of strace, on its way to a request. Private to the reader of strace. */
#ifndef CAPTURE_FORMATS_STRACE_PARSED_H
#define CAPTURE_FORMATS_STRACE_PARSED_H

#include "capture/formats/strace_private.h"

#define PARTS_MAX 8

struct parsed {
	struct strace *t;
	struct traced_thread *th;
	const struct strace_call *call;
	unsigned int n; /* of arg[] */
	const char *ret, *end; /* the result, after "= " */
	struct trace_record r;
	struct open_file *file; /* of the argument f */
	struct op_peer peer;
	bool has_peer, has_path, nameless_path, has_at_offset;
	bool no_file; /* the call concerns memory without a file: it is not a request */
	struct strbuf heap;
	bool has_heap;
	struct part arg[PARTS_MAX];
};

/* --- strace_text.c: splitting the text --- */

/* Splits at the commas outside of strings and brackets, into at most PARTS_MAX parts. Returns their
 * number. *s: after the closing parenthesis, or NULL if there is none. */
unsigned int strace_split(const char **s, const char *end, struct part *arg);
/* The next item of a list or structure, up to a comma or the closing bracket; *s moves to the item
 * after it. False: there is none. */
bool strace_next_part(const char **s, const char *end, struct part *part);
/* The bytes of a quoted string, with C's escapes undone. False: it is not a string, or contains a
 * NUL. */
bool strace_unquote(struct strbuf *to, const struct part *a);
bool strace_unquote_bytes(struct strbuf *to, const struct part *a); /* allows NULs */
/* The decoration after a descriptor at s ("</a/b>"), without its brackets and device numbers.
 * False: there is none. */
bool strace_decoration(const char *s, const char *end, struct part *d);

/* --- strace_names.c: descriptors and paths; errors by foreign_at --- */

/* Removes the mark of a deleted file, which some versions of strace print inside the brackets. */
struct part strace_without_deleted(const char *s, size_t len);
/* Unescapes a decoration into t->path. False: it is malformed. */
bool strace_decoration_text(struct strace *t, const struct part *d);
/* Whether a rename is unfinished: strace may show its effect already. */
bool strace_rename_under_way(const struct traced_system *s);

int strace_object(struct strace *t, const struct part *decoration, uint32_t *id, struct err *e);
/* Stores the decoration s[..end) of `f`, to be compared with that of the next call. */
void strace_keep_shown(struct strace *t, struct open_file *f, const char *s, const char *end);
/* The open file of a descriptor argument. A file opened before the trace began is created from its
 * decoration. NULL: unknown. */
int strace_file(struct parsed *p, const struct part *a, int64_t *fd, struct open_file **f,
		struct err *e);
/* Sets the working directory of the process. */
void strace_set_cwd(struct parsed *p, const char *path, size_t len);
/* Puts the full path of an argument into t->joined, without the leading slash; the root is ".".
 * `dir`: the argument with the descriptor that the path is relative to, or NULL. */
int strace_path(struct parsed *p, const struct part *a, const struct part *dir, struct err *e);

/* --- strace_args.c, strace_effects.c --- */

/* strace_special.c: ioctl and bind. They set no_file if the call is not a request. Errors: by
 * foreign_at. */
int strace_clone_args(struct parsed *p, struct err *e);
int strace_bind_args(struct parsed *p, struct err *e);
int strace_number(struct parsed *p, const struct part *a, bool is_signed, uint64_t *v,
		  struct err *e);
/* Reads all arguments by the letters of the call's row. */
int strace_take_args(struct parsed *p, struct err *e);
/* Applies the call to open files, positions, sizes and the working directory, and completes the
 * request from them. */
int strace_effects(struct parsed *p, struct err *e);

/* --- strace_before.c --- */

/* Derives the initial state of files from the call's result. */
void strace_before(struct parsed *p);

#endif
