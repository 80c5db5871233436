/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interfaces between the parts of the capture of applications. Private to capture/. */
#pragma once

#include <elf.h>

#include "capture/app/app.h"
#include "capture/preload/log.h"
#include "common/clock.h"

/* Samples of the anonymous memory of the programs. A replay must occupy the same amount of memory
 * to have the same page cache. Private to capture/. */
enum { MEMORY_SAMPLES_MAX = 4096 };

struct app_memory_sample {
	int64_t ns;	/* CLOCK_MONOTONIC */
	uint64_t bytes; /* sum over all programs */
};

/* Has at most a fixed number of samples. If there are more, every second sample is removed and the
 * interval is doubled. */
struct app_memory {
	int64_t interval_ns; /* 0: disabled */
	int64_t next_ns;
	size_t n;
	struct app_memory_sample sample[MEMORY_SAMPLES_MAX];
};

void memory_init(struct app_memory *m, int64_t interval_ns);

/* Whether it is time for a sample. */
static inline int memory_is_due(const struct app_memory *m, int64_t now_ns)
{
	return m->interval_ns && now_ns >= m->next_ns;
}
void memory_add(struct app_memory *m, int64_t now_ns, uint64_t bytes);

/* --- app_command.c: the command and whether it can be captured ----------- */

/* The path of the preload library (with `causes`: the library for parallel applications), beside
 * the program as built or as installed. NULL: not found, and `e` has the reason. The caller
 * frees. */
char *app_library_find(bool causes, struct err *e);
/* Finds the program header that names the dynamic linker. 1: *p is this header; 0: an ELF program
 * without one; -1: not a 64-bit ELF file (perhaps a script). */
int elf_loader(int fd, Elf64_Phdr *p);
/* Errors: EPERM: the program gains privileges; ENOEXEC: it is statically linked. */
int app_command_check(const char *file, struct err *e);

/* --- app_scratch.c ------------------------------------------------------- */

/* The directory for scratch files if the user asked for `asked` (NULL: none). */
const char *app_scratch_choose(const char *asked);
/* Creates a directory in `scratch` (NULL: in shared memory) and opens it. The caller removes the
 * directory, frees *dir and closes *dir_fd, also after an error. Errors: of the system. */
int app_scratch_make(const char *scratch, char **dir, int *dir_fd, struct err *e);

/* --- app_spool.c: copies windows from the traced processes' files -------- */

struct spool_window { /* one copied window */
	uint64_t at;	   /* offset of its first record in the spool */
	uint64_t sequence; /* orders a thread's windows */
	uint32_t n_units;
	uint32_t image;	   /* index into spool.image */
	uint32_t pid, tid;
	uint32_t cpus_known; /* 0: `cpus` is unknown */
	uint64_t cpus[AFFINITY_WORDS]; /* CPU affinity of the thread when it began the window */
};

/* a process image (a program from exec or fork to its end), which has one file in the scratch
 * directory */
struct spool_image {
	char *name;
	uint64_t start; /* ticks */
	/* pid_base: added to the numbers of the image's PID namespace, see spool_pid */
	uint32_t pid, pid_base;
	uint32_t n_max;
	char *base;	/* address of the mapping; NULL: not mapped */
	dev_t device;
	ino_t inode;
};

/* Processes in different PID namespaces may have equal numbers. Each namespace other than that of
 * this process gets its own range of numbers in the trace. */
#define PID_BASE (UINT32_C(1) << 23) /* above the largest number of the kernel, 2^22 */
#define PID_NAMESPACES_MAX 511u

struct spool {
	int dir_fd, fd; /* scratch directory; spool file, which has no name */
	struct log_control *control;
	uint64_t end; /* bytes in the file */
	struct spool_window *window;
	size_t n_windows, windows_cap;
	struct spool_image *image;
	size_t n_images, images_cap;
	uint64_t n_torn;
	uint64_t n_unmapped; /* images that the last scan could not map */
	char *dir;
	unsigned char *buffer; /* one window */
	/* largest number of full windows that may wait to be copied */
	uint32_t n_put_off_max;
	/* namespace[n_namespaces]: inodes of PID namespaces other than that of this process */
	uint64_t *namespace;
	size_t n_namespaces, namespaces_cap;
};

enum spool_when {
	/* CPUs are busy: full windows of running processes wait, as long as there is room */
	SPOOL_BUSY,
	SPOOL_NOW,
	SPOOL_LAST, /* all writers have ended: copy everything */
};

/* Creates the scratch directory, and the spool file in the directory of `near`. Errors: of the
 * system. */
int spool_open(struct spool *s, const char *scratch, const char *near, const struct clock *clock,
	       uint32_t flags, struct err *e);
/* Copies full windows and frees them. Errors: of the system, such as ENOSPC. */
int spool_drain(struct spool *s, enum spool_when when, struct err *e);
/* Number in the trace of a process or thread that has `number` in the image's PID namespace. 0
 * means none and does not change. */
static inline uint32_t spool_pid(const struct spool *s, uint32_t image, uint32_t number)
{
	return number ? number + s->image[image].pid_base : 0;
}
void spool_close(struct spool *s); /* removes the scratch directory */
/* Anonymous memory of all running traced processes, in bytes. */
uint64_t spool_memory(const struct spool *s);

/* --- app_merge.c: the spool's records by start --------------------------- */

struct merge_record { /* valid until the next record */
	const struct log_record *r; /* OP_INVALID: the data are not a record */
	uint32_t image, pid, tid;
	bool is_last; /* of its process image, without children by vfork */
	const char *path; /* not NUL-terminated; NULL: none */
	const char *extra;
	size_t path_len, extra_len;
	int second_dir;
};

struct merge;
/* Maps the spool and sorts its records. `s` must outlive `m`. Errors: of the system. Ownership:
 * merge_close. */
int merge_open(struct merge **m, const struct spool *s, struct err *e);
void merge_close(struct merge *m);
/* The next record; false at the end. */
bool merge_next(struct merge *m, struct merge_record *r);
void merge_rewind(struct merge *m);
/* The same, but merge_next() then skips the requests that the census does not need: short records,
 * except those of io_uring_enter. */
void merge_events(struct merge *m);
uint64_t merge_n_threads(const struct merge *m);

/* --- app_path.c ---------------------------------------------------------- */

struct strbuf;
/* Knows symbolic links. */
struct path_links {
	/* while `to` names a link, replaces it by the link's target */
	void (*follow)(void *context, struct strbuf *to);
	void *context;
};
/* Appends the components of `path` to the absolute path `to` ("": the root), without "." and "//".
 * ".." removes a component, after links->follow(). `links` NULL: the path has no link before
 * "..". */
void path_add(struct strbuf *to, const char *path, size_t len, const struct path_links *links);
/* Joins `path` to the directory `base` and normalises it: removes "." and "//"; ".." removes a
 * component. The result is absolute. */
void path_join(struct strbuf *to, const char *base, const char *path, size_t len);
/* A path through a link in /proc or /dev whose target depends on a process, such as /dev/stdout,
 * /proc/self/fd/3 or /proc/self/cwd/file. */
struct process_path {
	uint32_t pid; /* 0: the calling process */
	enum { PROCESS_FD, PROCESS_CWD, PROCESS_ROOT } what;
	int fd;		  /* PROCESS_FD */
	const char *rest; /* after the link: "" or "/..." */
};
/* Whether the absolute path is such a path. If so, fills in `to`, which borrows from `path`. */
bool path_of_process(const char *path, struct process_path *to);
/* The descriptor of the calling process that an absolute path names. -1: none. */
int path_descriptor(const char *path);
/* Whether the call acts on the target if its path names a link. */
bool path_follows(unsigned int op, uint32_t flags);
/* The new path of `path` after `from` was renamed to `to`; with `exchange`, after the two were
 * exchanged. Paths are absolute. NULL: unchanged. The caller frees. */
char *path_renamed(const char *path, const char *from, const char *to, bool exchange);
/* Keeps the trailing slash of `path` in the joined path if the slash may be the reason why the call
 * `op` failed with `error` (0: it succeeded). */
void path_keep_trailing_slash(struct strbuf *to, const char *path, size_t len, unsigned int op,
			      int error);

/* --- app_trace.c: converts records to requests --------------------------- */

/* Writes the trace c->output and its content file. `start`: ticks at time 0 of the trace;
 * `wall_epoch_ns`: wall clock then. Fills in `o`. Errors: of the system, of the writer. */
int app_trace_write(const struct app_config *c, const struct spool *s, const struct clock *clock,
		    uint64_t start, int64_t wall_epoch_ns, const struct app_memory *memory,
		    struct app_outcome *o, struct err *e);
