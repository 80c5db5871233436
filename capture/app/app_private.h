/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capturing an application: the parts. Private to capture/. */
#ifndef CAPTURE_APP_PRIVATE_H
#define CAPTURE_APP_PRIVATE_H

#include <sys/types.h>

#include "capture/app/app.h"
#include "capture/app/app_memory.h"
#include "capture/preload/log.h"
#include "common/clock.h"

/* --- app_command.c: what is to be started, and whether it can be captured --- */

/* The preload library (or that for parallel applications), beside the program as built or where it
 * is installed. NULL with the error. The caller frees. */
char *app_library_find(bool causes, struct err *e);
/* EPERM for a program that gets other privileges, ENOEXEC for one that is statically linked. */
int app_command_check(const char *file, struct err *e);

/* --- app_scratch.c ------------------------------------------------------- */

/* Makes a directory in `scratch` (NULL: where there is memory to share) and opens it. The caller
 * removes it, frees *dir and closes *dir_fd, also after an error. Errors: of the system. */
int app_scratch_make(const char *scratch, char **dir, int *dir_fd, struct err *e);

/* --- app_spool.c: windows leave the traced processes' files -------------- */

struct spool_window { /* one copied window */
	uint64_t at;	   /* its first record in the spool, bytes */
	uint64_t sequence; /* orders a thread's windows */
	uint32_t n_units;
	uint32_t image;	   /* index into spool.image */
	uint32_t pid, tid;
	uint32_t cpus_told; /* 0: nothing is known of */
	uint64_t cpus[AFFINITY_WORDS]; /* what the thread might use when the window was new */
};

/* one process image (a program from exec or fork to its end), one file of the scratch directory */
struct spool_image {
	char *name;
	uint64_t start; /* ticks */
	/* pid_base: what the numbers of its PID namespace are raised by, see spool_pid */
	uint32_t pid, pid_base;
	uint32_t n_max;
	char *base;	/* while mapped, else NULL */
	dev_t device;
	ino_t inode;
};

/* Processes of another PID namespace have numbers that others may have, too. Each such namespace
 * has its own range of them in the trace. */
#define PID_BASE (UINT32_C(1) << 23) /* above any number of the kernel's: 2^22 */
#define PID_NAMESPACES_MAX 511u

struct spool {
	int dir_fd, fd; /* scratch directory; the spool file, which has no name */
	struct log_control *control;
	uint64_t end; /* bytes in the file */
	struct spool_window *window;
	size_t n_windows, windows_cap;
	struct spool_image *image;
	size_t n_images, images_cap;
	uint64_t n_torn;
	uint64_t n_unmapped; /* images that the last look could not map */
	char *dir;
	unsigned char *buffer; /* one window */
	/* full windows that may stay where they are for a while, together */
	uint32_t n_put_off_max;
	uint64_t *namespace; /* namespace[n_namespaces]: inodes of PID namespaces other than ours */
	size_t n_namespaces, namespaces_cap;
};

enum spool_when {
	/* others want the processor: what a running process has filled stays where it is, as long
	   as there is room */
	SPOOL_BUSY,
	SPOOL_NOW,
	SPOOL_LAST, /* nobody writes any more: takes everything */
};

/* Makes the scratch directory and the spool file (in the directory of `near`). Errors: of the
 * system. */
int spool_open(struct spool *s, const char *scratch, const char *near, const struct clock *clock,
	       uint32_t flags, struct err *e);
/* Copies what is full and frees it. Errors: of the system, as ENOSPC. */
int spool_drain(struct spool *s, enum spool_when when, struct err *e);
/* The number in the trace of a process or thread that the image's own PID namespace knows as
 * `number`. 0, which is none, stays. */
static inline uint32_t spool_pid(const struct spool *s, uint32_t image, uint32_t number)
{
	return number ? number + s->image[image].pid_base : 0;
}
void spool_close(struct spool *s); /* removes the scratch directory */
/* Anonymous memory of the traced processes that run, in bytes. */
uint64_t spool_memory(const struct spool *s);

/* --- app_merge.c: the spool's records in the order of their begins ------- */

struct merge_record { /* borrowed until the next one is asked for */
	const struct log_record *r; /* OP_INVALID: what lies there is no record */
	uint32_t image, pid, tid;
	const char *path; /* not NUL-terminated; NULL: none */
	const char *extra;
	size_t path_len, extra_len;
	int second_dir;
};

struct merge;
int merge_open(struct merge **m, const struct spool *s, struct err *e);
void merge_close(struct merge *m);
/* The next record: false at the end. */
bool merge_next(struct merge *m, struct merge_record *r);
void merge_rewind(struct merge *m);
uint64_t merge_n_threads(const struct merge *m);

/* --- app_path.c ---------------------------------------------------------- */

struct strbuf;
/* `path` joined to the directory `base` and made plain: no ".", no "//", ".." taken back by name.
 * Absolute. */
void path_join(struct strbuf *to, const char *base, const char *path, size_t len);
/* The number of the descriptor whose link in /proc the absolute path names; -1: it names none. */
int path_descriptor(const char *path);
/* Calls that change or read attributes of what a link leads to. */
bool path_follows(unsigned int op, uint32_t flags);
/* The path of what was at `path` before a file or directory got another name, `exchange`: two
 * got each other's. Absolute paths. NULL: it is the same. The caller frees. */
char *path_renamed(const char *path, const char *from, const char *to, bool exchange);
/* Of a path so joined: the '/' that `path` ends in is kept if it may be why the call `op` failed
 * with `error` (0: it did not). */
void path_keep_trailing_slash(struct strbuf *to, const char *path, size_t len, unsigned int op,
			      int error);

/* --- app_trace.c: records become requests -------------------------------- */

int app_trace_write(const struct app_config *c, const struct spool *s, const struct clock *clock,
		    uint64_t start, int64_t wall_epoch_ns, const struct app_memory *memory,
		    struct app_outcome *o, struct err *e);

#endif
