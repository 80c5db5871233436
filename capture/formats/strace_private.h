/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the reader of strace, and the interfaces between its parts. */
#pragma once

#include "capture/app/app_files.h"
#include "capture/formats/foreign.h"
#include "capture/formats/names.h"
#include "capture/kernel/syscalls.h"
#include "capture/processes.h"

/* Requests of libaio between io_submit and io_getevents, for the reader of strace. */
#define STRACE_ASYNC_CHAINS 1024u

struct strace_aio_request {
	uint32_t pid;
	uint32_t next;		/* next request in its hash chain; 0: none */
	uint64_t context, data; /* values that the program passed */
	uint64_t ticket;
	struct trace_record r; /* used if the request has lost its place in the queue */
};

struct strace_async {
	bool follows; /* false: no requests are recorded */
	struct strace_aio_request *request; /* request[n]; element 0 is unused */
	uint32_t n, cap, n_in_flight;
	uint32_t unused; /* first element of the free list, linked by `next`; 0: none */
	uint32_t first[STRACE_ASYNC_CHAINS], last[STRACE_ASYNC_CHAINS]; /* 0: none */
};

struct foreign;
struct strace;
struct strace_thread;
struct part;
struct strace_parsed;

void strace_async_release(struct strace_async *a); /* frees everything; `follows` does not change */
/* Adds the requests of an io_submit, or the results of an io_getevents. The record of the call
 * itself is in the queue. Errors: as foreign_add(). */
int strace_async_take(struct strace_parsed *p, struct err *e);
/* Call it at the end of the trace: requests without a result get no end. */
void strace_async_end(struct strace_async *a, struct foreign *f);

/* Symbolic links that the names of open files show: the requested path of an open differs from the
 * path of the file. */
struct shown_path { /* paths used before the first request, relative to the root; owned */
	char *name, *real;
	bool made; /* the open may have created the file */
};

struct strace_links {
	struct shown_path *shown; /* shown[n]: paths that contain a link, each once */
	size_t n, cap;
	/* maps hashes of `name` to the index in `shown` */
	struct u64_map by_name;
	/* hashes of paths that are no links: the real paths and their directories, and paths that
	 * calls show */
	struct u64_map real;
};

/* Records that an open of `name` gave the file `real`. */
void strace_links_see(struct strace_links *l, const struct app_files *f, const char *name,
		      const char *real, bool made);
/* Records that no component of `real` is a link. Returns its first name; the caller frees it. */
char *strace_links_real(struct strace_links *l, const struct app_files *f, const char *real);
/* Records that a call showed that `name` is no link. */
void strace_links_none(struct strace_links *l, const struct app_files *f, const char *name);
/* Decides which part of each recorded path is the link, and adds the links to `f`. */
void strace_links_settle(struct strace_links *l, struct app_files *f);
void strace_links_release(struct strace_links *l); /* `l` may be all zero */

/* The sizes of files (strace_sizes.c). */
struct strace_sizes {
	struct strace_file *file; /* file[n] */
	uint32_t n, cap;
	/* from hashes of names to their present files */
	struct u64_map at;
	uint32_t opened; /* the file that the present call opened; 0: none */
};
void strace_sizes_release(struct strace_sizes *s); /* `s` may be all zero */

/* Signs that calls, threads or the end are missing in the output of strace (strace_missing.c). */
struct strace_missing {
	/* the file of one thread (strace -ff), which shares its descriptors with other threads */
	bool of_one_thread;
	bool detached;	    /* strace ended before the programs */
	bool passed;	    /* a process may have received descriptors from another process */
	uint64_t n_filtered, n_reopened, n_unopened, n_contradictions, n_file_calls;
	/* for the notes of these names; counted in the first pass */
	uint64_t n_links, n_targets, n_parents, n_sizes;
};

/* The thread that represents the process of `th`. */
struct strace_thread *strace_first_thread(struct strace *t, struct strace_thread *th);
/* A call begins at s. */
void strace_passing_seen(struct strace *t, const char *s, const char *end);
/* A thread closed a descriptor. */
void strace_closed(struct strace *t, uint32_t tid, int64_t fd);
/* Call it when a thread uses a descriptor that no call opened. `name`: its file. */
void strace_unopened(struct strace *t, uint32_t tid, int64_t fd, const struct part *name);
/* Call it when a call with a descriptor ends, before its effects are applied. */
void strace_use_seen(struct strace_parsed *p);
/* A call without a row begins at s. */
void strace_exit_seen(struct strace *t, struct strace_thread *th, const char *s, const char *end);
/* Reads "+++ exited with 0 +++" and similar texts at s. */
void strace_thread_ended(struct strace *t, struct strace_thread *th, const char *s,
			 const char *end);
/* Call it at the end of the trace: sets the notes, and adds them to the facts `capture`. Returns
 * whether there are any. */
bool strace_missing_end(struct strace *t, json_t *capture);

/* The system call that strace prints with this name, with the letters of syscall_table.h. NULL: it
 * is not read. doc/formats/strace.md */
const struct syscall_row *strace_call_find(const char *name, size_t len);
/* Rows that have precedence over syscall_rows for strace. The last row has a NULL name. */
extern const struct syscall_row strace_rows[];
/* The name that strace prints for a call. */
const char *strace_call_name(const struct syscall_row *row);

/* Identifies the thread of a line, because strace does not always print it. */
#define STRACE_ATTACHED_MAX 16u
struct strace_threads {
	/* id for lines without a thread; for strace -ff, from the name of the file */
	uint32_t first;
	bool found;	       /* the number of that thread is known */
	uint32_t first_number;
	/* attached[n_attached], while the thread of a line is unknown */
	uint32_t attached[STRACE_ATTACHED_MAX];
	unsigned int n_attached;
	bool any_unnamed;
	/* number of threads that are now traced, and the sum of their numbers, which is the number
	 * itself if there is one thread */
	uint64_t n_alive, alive_sum;
};

/* A thread and its unfinished call. */
struct strace_thread {
	uint32_t tid, parent; /* parent 0: unknown */
	/* address of the word that the kernel clears at the thread's end, for which pthread_join
	 * waits; 0: unknown */
	uint64_t tid_address;
	bool alive, noted;
	bool adopted, returned; /* it ran before its clone returned; its clone has returned */
	bool seen;		/* the trace contains a line of the thread */
	/* of its process, kept in the first thread: strace_missing.c */
	bool exits, ended, executed, other;
	uint64_t closed[4];	/* of its process: descriptors below 256 that were closed */
	bool pending, entered; /* entered: the call is a request */
	const struct syscall_row *call; /* NULL: a call that is not read */
	char name[24];
	struct strbuf text; /* its arguments, as far as they were read */
	int64_t begin_ns;
};

#define STRACE_RENAMES 64u

struct strace {
	struct foreign base;
	struct name_table names, calls; /* calls: the address of the row */
	struct syscalls *calls_made;
	struct strace_thread *thread; /* thread[n_threads] */
	uint32_t n_threads, threads_cap;
	struct u64_map thread_of; /* by tid */
	uint32_t cloning; /* index + 1 of the thread whose clone() began last; 0: none */
	uint32_t n_orphans; /* threads whose parent is unknown */
	uint32_t n_unreturned; /* adopted threads whose number no clone has returned */
	uint64_t n_unseen; /* threads that were replaced unnoticed */
	bool moved; /* a process changed its working directory */
	struct strace_parsed *now; /* the call that ends */
	struct strace_sizes sizes;
	/* last components of the last renamed paths, by number modulo STRACE_RENAMES */
	struct strace_rename {
		char *from, *to;
	} renamed[STRACE_RENAMES];
	uint64_t n_renames;
	struct strbuf memory[SYSCALL_MEMORIES]; /* of the arguments of `now` */
	struct processes processes, created; /* processes and threads that were read so far */
	char *extra;		    /* extra_json of the metadata, set at the end of a pass */
	struct strbuf path;
	/* initial working directory of the first process, and its umask (with OP_UMASK_KNOWN), once
	 * a pass has found them */
	struct strbuf start;
	uint32_t first_umask;
	struct strbuf cut; /* beginning of a call whose line was interrupted by a notice */
	bool has_first, has_pids, time_of_day;
	bool differences; /* stamps are differences between lines (-r) */
	bool over;	  /* the summary (-C) has begun */
	int64_t first_ns, last_ns;
	struct strace_missing missing;
	struct strace_async async;
	/* initial state of the files, as far as results of calls show it */
	struct app_files before;
	struct strace_links links;
	struct fileset listed;	 /* the same for the metadata, after a complete pass */
	bool before_listed;
	struct strace_threads threads;
	/* number of the first thread, once a line has shown it; 0: unknown */
	uint32_t number_met;
};

struct part {
	const char *s;
	size_t len;
};

/* A complete call: `text` follows "name(" and ends at `end`. stamp_ns is the time of the last line.
 * Errors: EINVAL by foreign_at. */
struct call_line {
	const struct syscall_row *call;
	const char *text, *end;
	int64_t begin_ns, stamp_ns;
	bool resumed, entered; /* entered: strace_begin_call() was called */
};
int strace_take_call(struct strace *t, struct strace_thread *th, const struct call_line *l,
		     struct err *e);
/* Begins a call whose line is interrupted by another line. The known arguments are text[..end). */
void strace_begin_call(struct strace *t, struct strace_thread *th, const char *text,
		       const char *end);

/* The thread with this number. A new thread gets the state of an unfinished clone(). Valid until
 * the next call. */
struct strace_thread *strace_thread_get(struct strace *t, uint32_t tid);

/* Appends "name(arguments) = result" in strace's form. Returns 1. If strace has no such call or an
 * argument is unknown, appends nothing and returns 0. Errors: of reading the heap item. */
int strace_call_text(struct trace *t, const struct trace_record *r, struct strbuf *text,
		     struct err *e);

/* Appends a time in seconds, with the digits of ns or of us. */
void strace_add_seconds(struct strbuf *b, int64_t ns, bool in_us);

/* Initialise, release and reset the reader's state, except the struct foreign. Reset forgets
 * threads and their files. */
void strace_state_init(struct strace *t);
void strace_state_release(struct strace *t);
void strace_state_reset(struct strace *t);

/* Adds the list of the initial files to the metadata, at the end of the first pass. */
void strace_before_list(struct strace *t);

int strace_write(struct trace *t, const char *path, struct trace_export_report *report,
		 struct err *e);

/* The descriptor at the beginning of a call's arguments, for close(); -1 if there is none. */
int64_t strace_first_fd(const char *s, const char *end);

/* strace_head.c: the beginning of a line. Private to the reader of strace. */
/* Forms of a thread's number: "22034 " or "22034<name> " if strace writes to a file; "[pid 22034] "
 * on a terminal with several threads; no number with one thread. */
enum strace_naming { STRACE_UNNAMED, STRACE_COLUMN, STRACE_BRACKET };
/* Reads the number and moves *at after it. If there is no number, *at does not change. */
enum strace_naming strace_take_pid(const char **at, const char *end, uint32_t *tid);

/* The thread of a line. The thread that strace starts has no number until there is a second thread,
 * and keeps the id that it has here. When one thread remains, lines have no number again. */
uint32_t strace_thread(struct strace_threads *t, enum strace_naming how, uint32_t tid);
/* Reads a line that begins with "strace: ". */
void strace_notice(struct strace_threads *t, const char *s, const char *end);
void strace_thread_over(struct strace_threads *t, uint32_t tid);
void strace_threads_reset(struct strace_threads *t);

/* Reads the time and moves *at after it. `line`: beginning of the line. False: there is no time. */
bool strace_take_stamp(struct strace *t, const char *line, const char **at, const char *end,
		       int64_t *ns);
/* Skips marks that strace -i, -n and -r print before the call. */
const char *strace_skip_marks(const char *s, const char *end);
/* Whether a line is not a call: notices of strace, stacks (-k), dumps of data (-e read, -e write),
 * and the first line of a summary (-C). */
bool strace_beside_calls(const char *s, const char *end);
/* Position of a notice that interrupts the line of a call and extends to its end. The next line
 * continues the call. NULL: there is no notice. */
const char *strace_cut_by_notice(const char *s, const char *end);

/* Writing a request as the text of a call. Private to the writers of strace and ARTC. */
struct strace_line {
	struct trace *t;
	const char *root;   /* directory of relative names; borrowed */
	/* for ARTC: no names after descriptors, and older names of calls */
	bool old;
	struct strbuf text; /* output */
	int failed;	    /* 0, or a negative errno if a record's heap item could not be read */
	struct err *err;    /* receives the reason of `failed`; borrowed; may be NULL */
};

/* The row of the call that expresses a request, and its name. NULL: strace has no such call or,
 * with `old`, ARTC does not support it. */
const struct syscall_row *strace_row_of(const struct trace_record *r, bool old, const char **name);
/* Appends the arguments. False: an argument is unknown, or `failed` is set; some arguments may have
 * been appended. */
bool strace_add_args(struct strace_line *x, const struct trace_record *r,
		     const struct syscall_row *c);
/* Appends ") = 4</a>" or ") = -1 ENOENT (No such file or directory)". */
void strace_add_result(struct strace_line *x, const struct trace_record *r);
