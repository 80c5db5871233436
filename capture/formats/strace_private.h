/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the reader of strace, and the interfaces between its parts. */
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

/* A system call. CALL_PAIR and CALL_DESCRIPTOR create two descriptors, or one, without a file;
 * `args` then names their kind. Otherwise `args` has a letter for each argument:
 * f descriptor   D directory descriptor of p   p path   P second path   d directory descriptor of P
 * T target of a link   s length   o offset   i buffers of readv   O flags of open   H struct
 * open_how   A flags of *at   m mode   a access mode   w whence   v number or flags   n requested
 * descriptor   X descriptor written to   @ offset pointer of f   # offset pointer of X   N name of
 * an attribute   u user   g group   c command and argument of fcntl   R protection   M mmap flags
 * B address   K arguments of an ioctl that clones a file   k arguments of bind   _ ignored */
struct strace_call {
	const char *name;
	enum trace_op op;
	const char *args;
	enum call_kind kind;
};
extern const struct strace_call strace_calls[]; /* ends with a NULL name */

/* Identifies the thread of a line, which strace does not always print. */
#define STRACE_ATTACHED_MAX 16u
struct strace_threads {
	/* id for lines without a thread; for strace -ff from the file's name */
	uint32_t first;
	bool found;	       /* the number of that thread is known: */
	uint32_t first_number;
	uint32_t attached[STRACE_ATTACHED_MAX]; /* attached[n_attached], while it is unknown */
	unsigned int n_attached;
	bool any_unnamed;
	/* threads traced now, and the sum of their numbers: the number itself if there is one
	 * thread */
	uint64_t n_alive, alive_sum;
};

struct strace {
	struct foreign base;
	struct name_table names, calls; /* calls: index into strace_calls */
	struct traced_system system;
	struct processes processes; /* read so far */
	char *extra;		    /* extra_json of the metadata, at the end of a pass */
	struct strbuf path, base_path, joined;
	/* the initial working directory of the first process, once a pass has found it */
	struct strbuf start;
	struct strbuf cut; /* the beginning of a call whose line a notice interrupts */
	bool has_first, has_pids, time_of_day;
	bool differences; /* stamps are differences between lines (-r) */
	bool over;	  /* the summary (-C) has begun */
	int64_t first_ns, last_ns;
	uint64_t n_rings; /* io_uring instances created: their requests appear in no line */
	struct strace_async async;
	struct app_files before; /* initial state of the files, as far as results show it */
	struct fileset listed;	 /* the same for the metadata, once a pass has ended */
	bool before_listed;
	struct strace_threads threads;
	/* number of the first thread, once a line has shown it; 0: unknown */
	uint32_t number_met;
	struct {
		const struct strace_call *call;
		size_t len; /* of its name */
	} recent[64]; /* cache of calls, indexed by a hash of the name's beginning */
};

struct part {
	const char *s;
	size_t len;
};

/* A complete call: `text` follows "name(" and ends at `end`, with TEXT_SLACK readable bytes after
 * it. stamp_ns is the time of the last line. Errors: EINVAL by foreign_at. */
struct call_line {
	const struct strace_call *call;
	const char *text, *end;
	int64_t begin_ns, stamp_ns;
	bool resumed;
};
int strace_take_call(struct strace *t, struct traced_thread *thread, const struct call_line *l,
		     struct err *e);

/* Appends "name(arguments) = result" in strace's form. Returns 1, or 0 and appends nothing if
 * strace has no such call or an argument is unknown. Errors: of reading the heap item. */
int strace_call_text(struct trace *t, const struct trace_record *r, struct strbuf *text,
		     struct err *e);

/* Initialises and releases the reader's state, except the struct foreign. */
void strace_state_init(struct strace *t);
void strace_state_release(struct strace *t);

/* Puts the list of the initial files into the metadata, at the end of the first pass. */
void strace_before_list(struct strace *t);

int strace_write(struct trace *t, const char *path, struct trace_export_report *report,
		 struct err *e);

/* The descriptor at the beginning of a call's arguments, for close(); -1 if there is none. */
int64_t strace_first_fd(const char *s, const char *end);

#endif
