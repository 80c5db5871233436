/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line of strace that is one whole call, on its way to a request. Private to the reader of
 * strace. */
#ifndef CAPTURE_FORMATS_STRACE_PARSED_H
#define CAPTURE_FORMATS_STRACE_PARSED_H

#include "capture/formats/strace_private.h"

#define PARTS_MAX 8

struct parsed {
	struct strace *t;
	struct traced_thread *th;
	const struct strace_call *call;
	unsigned int n; /* of arg[] */
	const char *ret, *end; /* behind "= " */
	struct trace_record r;
	struct open_file *file; /* of f */
	struct op_peer peer;
	bool has_peer, has_path, nameless_path, has_at_offset;
	bool no_file; /* it is on memory without a file: no request */
	struct strbuf heap;
	bool has_heap;
	struct part arg[PARTS_MAX];
};

/* --- strace_text.c: taking the text apart --- */

/* Splits at commas outside of everything, into at most PARTS_MAX parts; *s behind the closing
 * parenthesis, or NULL where there is none. Gives their number. TEXT_SLACK bytes behind `end` are
 * readable. */
unsigned int strace_split(const char **s, const char *end, struct part *arg);
/* What comes next in a list or structure, up to a comma or the closing bracket: false where nothing
 * does. Behind it *s is at the next one. */
bool strace_next_part(const char **s, const char *end, struct part *part);
/* The string's bytes, with C's escapes undone; false where it is no string. NULs in it make it
 * none. */
bool strace_unquote(struct strbuf *to, const struct part *a);
bool strace_unquote_bytes(struct strbuf *to, const struct part *a); /* with NULs */
/* What strace shows beside a descriptor, at s, without the brackets and what it says of the device.
 */
bool strace_decoration(const char *s, const char *end, struct part *d);

/* --- strace_names.c: descriptors and paths; errors by foreign_at --- */

/* Without the mark of a deleted file, which some versions of strace print inside the brackets. */
struct part strace_without_deleted(const char *s, size_t len);
/* The text that a decoration stands for, to t->path. false: it is no text. */
bool strace_decoration_text(struct strace *t, const struct part *d);
/* Whether a rename has begun and not ended: strace may show its effect already. */
bool strace_rename_under_way(const struct traced_system *s);

int strace_object(struct strace *t, const struct part *decoration, uint32_t *id, struct err *e);
/* Keeps what strace shows beside the number of `f`, at s[..end): the next call on it is compared
 * with that. */
void strace_keep_shown(struct strace *t, struct open_file *f, const char *s, const char *end);
/* The open file behind a descriptor argument; made up where it was opened before the trace began
 * and strace names it. NULL where nobody knows. */
int strace_file(struct parsed *p, const struct part *a, int64_t *fd, struct open_file **f,
		struct err *e);
/* The working directory of the process is `path`. */
void strace_set_cwd(struct parsed *p, const char *path, size_t len);
/* The full path of an argument, without the slash at its front (the root is "."), in t->joined.
 * `dir`: the argument that it is relative to, or NULL. */
int strace_path(struct parsed *p, const struct part *a, const struct part *dir, struct err *e);

/* --- strace_args.c, strace_effects.c --- */

/* strace_special.c: of ioctl and bind; sets no_file where they are no requests. Errors: by
 * foreign_at. */
int strace_clone_args(struct parsed *p, struct err *e);
int strace_bind_args(struct parsed *p, struct err *e);
int strace_number(struct parsed *p, const struct part *a, bool is_signed, uint64_t *v,
		  struct err *e);
/* All arguments, by the letters of the call's row. */
int strace_take_args(struct parsed *p, struct err *e);
/* What the call did to open files, positions, sizes and the working directory; completes the
 * request with what these tell. */
int strace_effects(struct parsed *p, struct err *e);

/* --- strace_before.c --- */

/* What the call's result tells of how files were at first. */
void strace_before(struct parsed *p);

#endif
