/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who has which file open, and where its position is: what a trace of system calls does not say
 * with each call. Threads share a table, a fork copies it, dup and fork share the open file and
 * with it the position. */
#ifndef CAPTURE_FORMATS_DESCRIPTORS_H
#define CAPTURE_FORMATS_DESCRIPTORS_H

#include "capture/formats/foreign.h"

#define DESCRIPTOR_MAX (1u << 20)
/* of all processes: a stranger's trace copies what one has with each line of a clone */
#define TRACED_SLOTS_MAX ((size_t)1 << 22)

struct open_file {
	unsigned int refs;
	uint32_t object;
	int64_t position; /* -1 unknown */
	bool append;
	bool unnamed; /* O_TMPFILE: `object` is its directory */
	char *now;	    /* absolute path after renames; NULL: the object's */
	/* last component of the new name of a file whose old name ended like this one's, or NULL */
	char *renamed_last;
	uint64_t n_renames; /* of the system, that this file has been through */
	/* shown[n_shown]: what the trace shows beside the number, with its brackets; NULL: nothing
	 * so far */
	char *shown;
	size_t n_shown;
	uint64_t shown_at; /* n_renames of the system then */
};

struct descriptor_table {
	unsigned int refs;
	struct open_file **file; /* file[n], NULL where nothing is open */
	bool *cloexec;
	size_t n;
	size_t *n_slots; /* of the system: places in all tables and lists */
};

struct traced_map { /* addresses where a file is mapped */
	uint64_t from, to;
	uint32_t object;
};
struct map_list { /* of one process, or of several until one changes it */
	unsigned int refs;
	struct traced_map *map; /* map[n], apart */
	size_t n, cap;
	size_t *n_slots; /* as of the process's table */
};

struct traced_process {
	unsigned int refs;
	uint32_t pid, parent; /* parent 0: not known */
	bool noted;	      /* for the reader's use */
	uint64_t n_renames;   /* of the system, that it has been through */
	struct descriptor_table *table;
	struct map_list *maps; /* NULL: nothing is mapped */
	uint32_t umask;        /* with OP_UMASK_KNOWN; 0: unknown */
	struct strbuf cwd; /* absolute; empty: unknown, and no chdir so far */
};

struct traced_thread {
	uint32_t tid;
	struct traced_process *process;
	struct traced_thread *next; /* of the hash's chain */
	/* a call that is begun */
	bool pending;
	const void *call; /* of the reader's table, or NULL for one that is no request */
	char name[24];
	struct strbuf text; /* its arguments so far */
	int64_t begin_ns;
	uint64_t ticket;
	bool has_ticket, adopted;
	/* close() is under way, and the number was given back when it began: it may be given anew
	 * before it returns */
	bool closed;
	struct open_file *closing; /* what it is about; NULL: not known */
};

#define THREAD_SLOTS 4096u

struct traced_system {
	struct traced_thread *slot[THREAD_SLOTS], *last;
	struct traced_thread *cloning; /* last seen to begin a clone */
	int64_t *size; /* of files, by object; -1 unknown */
	uint32_t n_sizes, cap_sizes;
	uint64_t n_renames;
	uint32_t n_orphans; /* processes whose parent is unknown */
	size_t n_slots; /* at most TRACED_SLOTS_MAX; what there is no room for is not followed */
};

void traced_system_release(struct traced_system *s);

/* The thread; a new one is made with a process of its own, or that of the clone() which is seen to
 * be under way. */
struct traced_thread *traced_thread_of(struct traced_system *s, uint32_t tid);
/* clone() returned `tid` to `parent`. */
void traced_thread_cloned(struct traced_system *s, struct traced_thread *parent, uint32_t tid,
			  bool same_process, bool share_table);
void traced_thread_exited(struct traced_system *s, struct traced_thread *t);

struct open_file *descriptor_get(const struct traced_thread *t, int64_t fd);
/* Opens: what was there is closed. `f` NULL: closes. Takes a reference of its own. */
void descriptor_set(struct traced_thread *t, int64_t fd, struct open_file *f, bool cloexec);
void descriptors_exec(struct traced_thread *t);
struct open_file *open_file_new(uint32_t object, int64_t position, bool append);
void open_file_put(struct open_file *f);

/* A file or directory was renamed, `exchange`: the two names were exchanged. Absolute paths,
 * without "." and "..". Working directories and open files at or below the old path get their new
 * path (open_file.now). `names`: the trace's objects. */
void traced_system_renamed(struct traced_system *s, const struct trace *names, const char *from,
			   const char *to, bool exchange);
/* The absolute path of an open file, with renames; NULL: it has none. `buf` holds it where it must
 * be made. */
const char *open_file_path(const struct open_file *f, const struct trace *names,
			   struct strbuf *buf);

/* The last component of a path. */
const char *path_last(const char *path);

/* Takes `more` places; false: there are not so many left. */
bool traced_room_take(size_t *n_slots, size_t more);

/* traced_maps.c: what lies in `len` bytes (at least one) from an address on: the object, or
 * OBJECT_NONE. */
uint32_t traced_map_find(const struct traced_process *p, uint64_t from, uint64_t len);
/* Maps an object there (OBJECT_NONE: nothing). */
void traced_map_set(struct traced_process *p, uint64_t from, uint64_t len, uint32_t object);
void map_list_put(struct map_list *l); /* NULL is fine */

int64_t file_size_get(const struct traced_system *s, uint32_t object);
void file_size_set(struct traced_system *s, uint32_t object, int64_t size);

#endif
