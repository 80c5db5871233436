/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors, working directories and mappings of the traced processes at each instant. They are
 * followed through the records in order of start, so that a read has a file and an offset. Private
 * to capture/. */
#pragma once

#include "capture/app/app_private.h"
#include "common/u64_map.h"

/* An open file description, which descriptors share after dup and fork. */
struct app_open_file {
	unsigned int n_users;
	char *path;	   /* absolute; or "pipe:[1]" and similar */
	char *now;	   /* path after renames; NULL: `path` */
	uint64_t n_renames; /* number of renames (of app_state) that were applied to the path */
	uint32_t n_removed; /* of app_state, when the file got its present name */
	bool is_path;
	bool append;
	bool unnamed; /* O_TMPFILE: the path is that of the directory */
	bool maybe_link; /* O_PATH and O_NOFOLLOW: the path may be that of a symbolic link */
	bool position_known;
	uint32_t listed_flags; /* of state_file_listed(); 0: not from a list */
	uint64_t position;
	/* for callers: instant at which the state was read (0: it was not) */
	int64_t as_of_ns;
	/* for callers: id of its object in the trace + 1; 0: none so far */
	uint32_t object;
	/* for callers: number of its size; 0: none */
	uint32_t size_of;
	/* for callers: shown[n_shown], the last name of the file in the traced text, and the number
	 * of renames at that time; NULL: it was not named. Owned */
	char *shown;
	size_t n_shown;
	uint64_t shown_at;
	/* for callers: opened by an open of the trace; read or examined by fstat since then; used
	 * by several threads, and the last of these threads */
	bool opened, was_read, was_examined, is_shared;
	uint32_t used_by;
};

struct descriptor {
	struct app_open_file *file; /* NULL: not open, or its open was not recorded */
	bool close_on_exec;
	bool listed;
	bool buffers; /* a stream on it may have data in its buffer */
};

struct app_mapping {
	uint64_t from, to; /* addresses */
	uint64_t offset;   /* offset in the file of address `from` */
	struct app_open_file *file;
};

struct state_files { /* what CLONE_FILES shares */
	unsigned int n_users;
	struct descriptor *fd; /* fd[n_fds] */
	size_t n_fds;
};

struct state_fs { /* what CLONE_FS shares */
	unsigned int n_users;
	char *cwd;
	char *root; /* after chroot(2); NULL: "/" */
	/* with OP_UMASK_KNOWN; 0: unknown. Set by callers of state_process_from() */
	uint32_t umask;
	uint64_t n_renames; /* number of renames (of app_state) that were applied to `cwd` */
};

struct process_state {
	uint32_t image, pid;
	struct state_files *files;
	struct state_fs *fs;
	struct app_mapping *map;
	size_t n_maps, maps_cap;
	bool is_root;  /* its parent was not seen */
	bool is_stale; /* another program replaced it */
	bool is_listed; /* for callers: the process is in their list of processes */
	unsigned int n_threads; /* for callers of state_process_from(), which maintain it */
};

struct effect { /* a descriptor that appears when its call ends */
	uint64_t end;
	struct process_state *process;
	int fd;
	struct app_open_file *file;
	bool close_on_exec;
};

/* Symbolic links, for ".." in paths (app_parents.c). */
struct state_links {
	struct known_link {
		char *path, *text; /* absolute path; text NULL: it is no link any more. Owned */
		/* calls changed the link; `first`: its text before them (NULL: none). Owned */
		bool changed;
		char *first;
	} *link; /* link[n] */
	size_t n, cap;
	struct u64_map by_path; /* state_link_key() of the path to the index in `link` */
	/* state_link_key() of paths before "..", if no call showed whether they are links: 1; 2: a
	 * later call showed that the path is no link */
	struct u64_map unclear;
	/* links that no call showed are read from this machine, if they are older than since_ns
	 * (ns since 1970) */
	bool reads;
	int64_t since_ns;
	uint64_t plain[1024]; /* hashes of paths that were read and are no links; 0: none */
	unsigned int n_followed; /* in the current path */
};

struct app_state {
	struct state_links links;
	struct process_state **process;
	size_t n_processes, processes_cap;
	struct effect *pending;
	size_t n_pending, pending_cap;
	uint64_t n_renames;
	/* names that were removed or replaced: hash to the number of removals at that time */
	struct u64_map removed;
	uint32_t n_removed;
	struct strbuf path;
};

void state_init(struct app_state *s);
void state_release(struct app_state *s);

/* The process of a record. A new process inherits from its parent or predecessor. `parent`: as
 * announced by the image. */
struct process_state *state_process(struct app_state *s, uint32_t image, uint32_t pid,
				    uint32_t image_pid, uint32_t parent);
enum state_birth {
	STATE_COPIED = 0,	/* by fork */
	STATE_SHARES_FILES = 1, /* shares the descriptors of `from` */
	STATE_SHARES_FS = 2,	/* shares the working directory, the root and the umask */
	STATE_EXECUTED = 4,	/* by exec: copies only the state that survives it */
};
/* A new process with the state of `from` (NULL: none). For callers that keep track of processes
 * themselves, because state_process() does not find it. */
struct process_state *state_process_from(struct app_state *s, uint32_t pid,
					 const struct process_state *from, enum state_birth how);
/* Frees such a process. */
void state_process_drop(struct app_state *s, struct process_state *p);
/* Applies all effects before `now`. Call it before each lookup. */
void state_advance(struct app_state *s, uint64_t now);

const char *state_file_now(const struct app_open_file *f); /* the path of the file after renames */
/* The open file of a descriptor; NULL: unknown. Borrowed. */
struct app_open_file *state_file(const struct process_state *p,
				 int fd); /* borrowed; NULL: unknown */
/* The absolute path of `path` for the process, or NULL if its directory is unknown. Valid until the
 * next call. */
const char *state_path(struct app_state *s, const struct process_state *p, int dir,
		       const char *path, size_t len);
/* The same for the request `l`. Keeps a trailing slash that may be the reason why the call failed:
 * path_keep_trailing_slash(). If the path leads through a link such as /proc/self/fd/N or
 * /proc/self/cwd, the result is the path of the open file or directory. *no_follow (may be NULL):
 * flags for the request, so that it acts on this file if it is a symbolic link. */
const char *state_path_asked(struct app_state *s, const struct process_state *p,
			     const struct log_record *l, int dir, const char *path, size_t len,
			     uint32_t *no_follow);
/* The file with this name was removed or replaced. */
void state_removed(struct app_state *s, const char *path);
/* Restores the links as they were before all calls, for another pass over the records. */
void state_links_restore(struct state_links *l);
/* `path` became a symbolic link with this text; len 0: it was removed. */
void state_link_change(struct app_state *s, const char *path, const char *text, size_t len);
/* The text of the link at `path` was read. */
void state_link_set(struct app_state *s, const char *path, const char *text, size_t len);
/* The path is no link. */
void state_link_none(struct app_state *s, const char *path);
/* Hash of an absolute path. */
uint64_t state_link_key(const char *path);
/* Number of paths before ".." that may be links. `plain`: hashes of further paths that are no
 * links. */
size_t state_links_unclear(const struct state_links *l, const struct u64_map *plain);
/* A file or directory was renamed; with `exchange`, two were exchanged. Paths are absolute. Later
 * calls relative to a renamed directory use its new name. */
void state_renamed(struct app_state *s, const char *from, const char *to, bool exchange);
struct app_mapping *state_mapping(const struct process_state *p, uint64_t address, uint64_t len);

/* Maps `f`, from `offset` on, at [from, from + len). NULL: unmaps this range. */
void state_map(struct process_state *p, uint64_t from, uint64_t len, uint64_t offset,
	       struct app_open_file *f);

/* The next descriptor from `fd` on whose stream may have data in its buffer; -1: none. */
int state_buffered(const struct process_state *p, int fd);
/* Applies a record. `path` comes from state_path(). */
void state_apply(struct app_state *s, struct process_state *p, const struct merge_record *r,
		 const char *path);

/* app_parents.c: joins `path` to `base` in s->path; ".." after a link leads to the parent of the
 * link's target. */
struct links_way {
	struct app_state *s;
	const char *root; /* of the process; "": "/" */
};
/* Whether `path` leads to real[len], a name from /proc/PID/fd, through links that the state
 * knows. */
bool state_leads_to(struct app_state *s, const struct process_state *p, const char *path,
		    const char *real, size_t len);
void state_join(struct app_state *s, const struct process_state *p, const char *base,
		const char *path, size_t len);
void state_link_renamed(struct app_state *s, const char *from, const char *to, bool exchange);
void state_links_release(struct state_links *l);

/* Length of a name from /proc/PID/fd without the mark of a removed file. */
size_t state_name_length(const char *path, size_t len);
/* Steps of state_apply(). Descriptors count references to their file. */
struct app_open_file *state_file_make(const char *path, size_t len); /* n_users 0 */
/* The file of a listed descriptor: an existing open file with the same name, flags and position, or
 * a new one. So the standard output and error of one redirection (`>file 2>&1`) share an open
 * file. */
struct app_open_file *state_file_listed(const struct process_state *p, const char *path, size_t len,
				    uint32_t flags, uint64_t position);
/* The open file of a descriptor that another process sent: a file of this name that some process
 * has open at this position (OFFSET_NONE: unknown). If there are several such files, their
 * positions become unknown, because any of them may be the file that was sent. NULL: none.
 * Borrowed. */
struct app_open_file *state_file_sent(const struct app_state *s, const char *path, size_t len,
				      uint64_t position);
void state_file_drop(struct app_open_file *f);
void state_descriptor_set(struct process_state *p, int fd, struct app_open_file *f,
			  bool close_on_exec);
void state_later(struct app_state *s, uint64_t end, struct process_state *p, int fd,
		 struct app_open_file *f, bool close_on_exec);
