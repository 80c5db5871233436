/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the traced processes' descriptors, working directories and mappings are at each moment,
 * followed through the records in the order of their begins: so that a read has a file and a
 * position. Private to capture/. */
#ifndef CAPTURE_APP_STATE_H
#define CAPTURE_APP_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/app/app_private.h"
#include "common/strbuf.h"

/* An open file description: what dup and fork share. */
struct app_open_file {
	unsigned int n_users;
	char *path;	   /* absolute; or "pipe:[1]" and the like */
	char *now;	   /* where it is after renames; NULL: at `path` */
	uint64_t n_renames; /* of app_state, that it has been through */
	bool is_path;
	bool append;
	bool unnamed; /* O_TMPFILE: the path is that of its directory */
	bool position_known;
	uint32_t listed_flags; /* of state_file_listed(); 0: another file */
	uint64_t position;
	/* for callers: what is known of it was looked up at that instant (0: no such) */
	int64_t as_of_ns;
};

struct descriptor {
	struct app_open_file *file; /* NULL: not open, or opened where we did not see it */
	bool close_on_exec;
	bool listed;
};

struct app_mapping {
	uint64_t from, to; /* addresses */
	uint64_t offset;   /* of the file, at `from` */
	struct app_open_file *file;
};

struct process_state {
	uint32_t image, pid;
	char *cwd;
	struct descriptor *fd;
	size_t n_fds;
	struct app_mapping *map;
	size_t n_maps, maps_cap;
	/* with OP_UMASK_KNOWN; 0: unknown. Kept by callers of state_process_from() */
	uint32_t umask;
	bool is_root;  /* nobody was seen that it comes from */
	bool is_stale; /* another program runs in its place */
	bool is_listed; /* for callers: it is in their list of processes */
	unsigned int n_threads; /* kept by callers of state_process_from() */
};

struct effect { /* a descriptor that is there when its call ends */
	uint64_t end;
	struct process_state *process;
	int fd;
	struct app_open_file *file;
	bool close_on_exec;
};

struct app_state {
	struct process_state **process;
	size_t n_processes, processes_cap;
	struct effect *pending;
	size_t n_pending, pending_cap;
	uint64_t n_renames;
	struct strbuf path;
};

void state_init(struct app_state *s);
void state_release(struct app_state *s);

/* The process a record is of; made from its parent or predecessor where it is new. `parent`: as the
 * image announced it. */
struct process_state *state_process(struct app_state *s, uint32_t image, uint32_t pid,
				    uint32_t image_pid, uint32_t parent);
/* A new process with what `from` has (NULL: nothing), or, by_exec, what that leaves to the program
 * that follows it. For callers who keep account of processes themselves: state_process() does not
 * find it. */
struct process_state *state_process_from(struct app_state *s, uint32_t pid,
					 const struct process_state *from, bool by_exec);
/* one of those: nobody uses it any more */
void state_process_drop(struct app_state *s, struct process_state *p);
/* Everything that was done before `now`: call it before looking anything up. */
void state_advance(struct app_state *s, uint64_t now);

const char *state_file_now(const struct app_open_file *f); /* its path, after renames */
struct app_open_file *state_file(const struct process_state *p,
				 int fd); /* borrowed; NULL where unknown */
/* The absolute path that `path` means to the process, or NULL where its directory is unknown.
 * Borrowed until the next. */
const char *state_path(struct app_state *s, const struct process_state *p, int dir,
		       const char *path, size_t len);
/* The same for the request `l`. A trailing slash is kept where it may be why the call failed:
 * path_keep_trailing_slash(). A link of /proc/self/fd that a call on attributes follows gives the
 * path of the open file. */
const char *state_path_asked(struct app_state *s, const struct process_state *p,
			     const struct log_record *l, int dir, const char *path, size_t len);
/* A file or directory has another name, `exchange`: two have each other's. Absolute paths. Calls
 * relative to a directory that was renamed mean its new name. */
void state_renamed(struct app_state *s, const char *from, const char *to, bool exchange);
struct app_mapping *state_mapping(const struct process_state *p, uint64_t address, uint64_t len);

/* Maps `f` from `offset` on (NULL: nothing) at [from, from + len). */
void state_map(struct process_state *p, uint64_t from, uint64_t len, uint64_t offset,
	       struct app_open_file *f);

/* What a record changes. `path` is what state_path() gave for it. */
void state_apply(struct app_state *s, struct process_state *p, const struct merge_record *r,
		 const char *path);

/* Steps of state_apply(). A descriptor's file is counted: the one who sets it need not keep it. */
struct app_open_file *state_file_make(const char *path, size_t len); /* n_users 0 */
/* Of a descriptor of a list: one that is there with the same name, flags and position, or a new
 * one. Standard output and standard error of one redirection (`>file 2>&1`) are one open file. */
struct app_open_file *state_file_listed(const struct process_state *p, const char *path, size_t len,
				    uint32_t flags, uint64_t position);
void state_file_drop(struct app_open_file *f);
void state_descriptor_set(struct process_state *p, int fd, struct app_open_file *f,
			  bool close_on_exec);
void state_later(struct app_state *s, uint64_t end, struct process_state *p, int fd,
		 struct app_open_file *f, bool close_on_exec);

#endif
