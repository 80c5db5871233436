/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors, mappings and positions of each traced process: state that a trace of system calls
 * does not repeat with each call. Threads of a process share a table, fork copies it, dup and fork
 * share the open file and so its position. */
#ifndef CAPTURE_FORMATS_DESCRIPTORS_H
#define CAPTURE_FORMATS_DESCRIPTORS_H

#include "capture/formats/foreign.h"

#define DESCRIPTOR_MAX (1u << 20)
/* of all processes: bounds the memory that a trace full of clones can ask for */
#define TRACED_SLOTS_MAX ((size_t)1 << 22)

struct open_file {
	unsigned int refs;
	uint32_t object;
	int64_t position; /* -1 unknown */
	bool append;
	bool unnamed; /* O_TMPFILE: `object` is its directory */
	bool opened;  /* by an open of the trace */
	char *now;	    /* absolute path after renames; NULL: the object's */
/* new last component, if a renamed file's old name had the same last component as this one; or NULL
 */
	char *renamed_last;
	uint64_t n_renames; /* renames of the system that were applied to this file */
	/* shown[n_shown]: text in angle brackets that the trace printed after the descriptor; NULL:
	 * none so far */
	char *shown;
	size_t n_shown;
	uint64_t shown_at; /* n_renames of the system when it was printed */
};

struct descriptor_table {
	unsigned int refs;
	struct open_file **file; /* file[n], NULL where nothing is open */
	bool *cloexec;
	size_t n;
	size_t *n_slots; /* of the system: entries of all tables and lists */
};

struct traced_map { /* addresses where a file is mapped */
	uint64_t from, to;
	uint32_t object;
};
struct map_list { /* of one process, or shared by several until one changes it */
	unsigned int refs;
	struct traced_map *map; /* map[n], disjoint */
	size_t n, cap;
	size_t *n_slots; /* as in descriptor_table */
};

struct traced_process {
	unsigned int refs;
	uint32_t pid, parent; /* parent 0: unknown */
	bool noted;	      /* for the reader's use */
	bool exits, ended;    /* the same: strace_missing.c */
	uint64_t n_renames;   /* renames of the system that were applied to `cwd` */
	struct descriptor_table *table;
	struct map_list *maps; /* NULL: nothing is mapped */
	uint32_t umask;        /* with OP_UMASK_KNOWN; 0: unknown */
	struct strbuf root; /* after chroot(2); empty: "/" */
	struct strbuf cwd; /* absolute; empty: unknown, and no chdir so far */
};

struct traced_thread {
	uint32_t tid;
	struct traced_process *process;
	struct traced_thread *next; /* in the hash chain */
	/* an unfinished call */
	bool pending;
	const void *call; /* row of the reader's table, or NULL for a call that is not a request */
	char name[24];
	struct strbuf text; /* its arguments, as far as they were read */
	int64_t begin_ns;
	uint64_t ticket;
	bool has_ticket;
	bool adopted, returned; /* it ran before its clone returned; the clone returned its number */
	bool seen;		/* the trace has a line of it */
	/* An unfinished close(): the kernel frees the number at the beginning, so another open may
	 * return it before close() ends. */
	bool closed;
	struct open_file *closing; /* the file that is being closed; NULL: unknown */
};

#define THREAD_SLOTS 4096u

struct traced_system {
	struct traced_thread *slot[THREAD_SLOTS], *last;
	struct traced_thread *cloning; /* the thread whose clone() began last */
	int64_t *size; /* of files, by object; -1 unknown */
	uint32_t n_sizes, cap_sizes;
	uint64_t n_renames;
	uint32_t n_orphans; /* processes whose parent is unknown */
	uint32_t n_unreturned; /* adopted threads whose number no clone has returned */
	uint64_t n_unseen; /* threads that were removed unseen */
	size_t n_slots; /* at most TRACED_SLOTS_MAX; further entries are not recorded */
};

void traced_system_release(struct traced_system *s);

/* Finds a thread. A new thread gets its own process, or the process of an unfinished clone(). */
struct traced_thread *traced_thread_of(struct traced_system *s, uint32_t tid);
/* Records that clone() returned `tid` to `parent`. */
void traced_thread_cloned(struct traced_system *s, struct traced_thread *parent, uint32_t tid,
			  bool same_process, bool share_table);
void traced_thread_exited(struct traced_system *s, struct traced_thread *t);

struct open_file *descriptor_get(const struct traced_thread *t, int64_t fd);
/* Sets a descriptor and closes the previous file. `f` NULL: only closes. Takes its own reference.
 */
void descriptor_set(struct traced_thread *t, int64_t fd, struct open_file *f, bool cloexec);
void descriptors_exec(struct traced_thread *t);
struct open_file *open_file_new(uint32_t object, int64_t position, bool append);
void open_file_put(struct open_file *f);

/* Applies a rename, or with `exchange` an exchange of two names, to the working directories and
 * open files (open_file.now) at or below the path. Paths are absolute, without "." and "..".
 * `names` has the objects. */
void traced_system_renamed(struct traced_system *s, const struct trace *names, const char *from,
			   const char *to, bool exchange);
/* The absolute path of an open file after renames; NULL: it has none. `buf` may hold the result. */
const char *open_file_path(const struct open_file *f, const struct trace *names,
			   struct strbuf *buf);

/* The last component of a path. */
const char *path_last(const char *path);

/* Reserves `more` entries; false: the limit is reached. */
bool traced_room_take(size_t *n_slots, size_t more);

/* The object mapped at any of `len` bytes (at least one) from an address on, or OBJECT_NONE.
 * Source: traced_maps.c. */
uint32_t traced_map_find(const struct traced_process *p, uint64_t from, uint64_t len);
/* Maps an object at the address; OBJECT_NONE unmaps. */
void traced_map_set(struct traced_process *p, uint64_t from, uint64_t len, uint32_t object);
void map_list_put(struct map_list *l); /* NULL is fine */

int64_t file_size_get(const struct traced_system *s, uint32_t object);
void file_size_set(struct traced_system *s, uint32_t object, int64_t size);

#endif
