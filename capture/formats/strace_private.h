/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading strace: the state, and how a call's arguments become a request. */
#ifndef CAPTURE_FORMATS_STRACE_PRIVATE_H
#define CAPTURE_FORMATS_STRACE_PRIVATE_H

#include "capture/app/app_files.h"
#include "capture/formats/descriptors.h"
#include "capture/formats/names.h"
#include "capture/formats/strace_async.h"
#include "capture/op.h"
#include "capture/processes.h"

enum call_kind {
	CALL_REQUEST,
	CALL_CLONE,
	CALL_EXEC,
	CALL_CLOSE_RANGE,
	CALL_GETCWD,
	CALL_WAIT,
	CALL_PAIR,
	CALL_DESCRIPTOR,
	CALL_UMASK
};

/* CALL_PAIR, CALL_DESCRIPTOR: makes two descriptors, or one, of no file; `args` is what they are.
 */
/* One system call. `args`: a letter for each argument,
 *   f descriptor   D directory's descriptor   p path   P second path   d its directory   T text of
 * a link s length   o offset   i buffers of readv   O flags of open   H struct open_how   A flags
 * of *at   m mode   a access mode w whence   v number or flags   n descriptor wanted   X descriptor
 * written to   @ offset pointer of f   # of X N name of an attribute   u user   g group   c command
 * and argument of fcntl   R protection   M mmap flags   B address K arguments of an ioctl that
 * clones a file   k arguments of bind   _ ignored */
struct strace_call {
	const char *name;
	enum trace_op op;
	const char *args;
	enum call_kind kind;
};
extern const struct strace_call strace_calls[]; /* ends with a NULL name */

/* Which threads there are, where lines do not always tell. */
#define STRACE_ATTACHED_MAX 16u
struct strace_threads {
	uint32_t first;	       /* of unnamed lines; of strace -ff from the file's name */
	bool found;	       /* what that one is called in brackets: */
	uint32_t first_number;
	uint32_t attached[STRACE_ATTACHED_MAX]; /* attached[n_attached], until then */
	unsigned int n_attached;
	bool any_unnamed;
	/* that are followed, and their numbers' sum: the number where there is one */
	uint64_t n_alive, alive_sum;
};

struct strace {
	struct foreign base;
	struct name_table names, calls; /* calls: index into strace_calls */
	struct traced_system system;
	struct processes processes; /* as far as it was read */
	char *extra;		    /* the metadata's, once all is read */
	struct strbuf path, base_path, joined;
	/* the working directory in which the first process began, as soon as any pass has met it */
	struct strbuf start;
	struct strbuf cut; /* the beginning of a call, up to a notice in the middle of its line */
	bool has_first, has_pids, time_of_day;
	bool differences; /* stamps are from line to line (-r) */
	bool over;	  /* what follows is a summary (-C) */
	int64_t first_ns, last_ns;
	uint64_t n_rings; /* of io_uring that were set up: their requests are in no line */
	struct strace_async async;
	struct app_files before; /* how the files were, as far as results show it */
	struct fileset listed;	 /* the same for the metadata, as soon as a pass has ended */
	bool before_listed;
	struct strace_threads threads;
	/* of the first thread, as soon as some line has told it; 0: none has */
	uint32_t number_met;
	struct {
		const struct strace_call *call;
		size_t len; /* of its name */
	} recent[64]; /* calls seen, by what their names begin with */
};

struct part {
	const char *s;
	size_t len;
};

/* A call that is complete: `text` is what follows "name(", the end of the line cut off at `end`,
 * and TEXT_SLACK bytes behind that readable. `begin_ns`; `stamp_ns` is the line's. Errors: EINVAL
 * by foreign_at. */
struct call_line {
	const struct strace_call *call;
	const char *text, *end;
	int64_t begin_ns, stamp_ns;
	bool resumed;
};
int strace_take_call(struct strace *t, struct traced_thread *thread, const struct call_line *l,
		     struct err *e);

/* Appends "name(arguments) = result" as it stands in a line of strace: 1, or 0 and nothing where
 * strace has no such call or an argument is not known. Errors: of reading its heap item. */
int strace_call_text(struct trace *t, const struct trace_record *r, struct strbuf *text,
		     struct err *e);

/* The state of a reader of calls, begun and released by it. */
void strace_state_init(struct strace *t);
void strace_state_release(struct strace *t);

/* The metadata get the list of the files that were there. Only the first pass makes one. */
void strace_before_list(struct strace *t);

int strace_write(struct trace *t, const char *path, struct trace_export_report *report,
		 struct err *e);

/* The descriptor that a call's text begins with, for close(): -1 where there is none. */
int64_t strace_first_fd(const char *s, const char *end);

#endif
