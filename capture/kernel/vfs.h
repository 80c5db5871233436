/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capturing what a command, or a running process, asks of its files, by the kernel's tracepoints:
 * system calls, faults on mapped files and pages that come into the page cache. Statically linked
 * programs and system calls made directly are seen like all others. */
#ifndef CAPTURE_KERNEL_VFS_H
#define CAPTURE_KERNEL_VFS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/files_noted.h"
#include "capture/kernel/syscalls.h"
#include "common/err.h"
#include "common/options.h"

enum vfs_faults { FAULTS_AUTO, FAULTS_FILEMAP, FAULTS_ADDRESS, FAULTS_NONE };
enum vfs_paths { PATHS_AUTO, PATHS_BPF, PATHS_NONE };

struct vfs_config {
	const char *output;    /* -o: the trace */
	const char *scratch;   /* --scratch */
	uint64_t buffer_bytes; /* --buffer: of the kernel, for each processor */
	/* --duration: 0 until the command or process ends, or a signal comes */
	int64_t duration_ns;
	int64_t pid;	       /* --pid: of a running process; 0 none */
	int faults;	       /* --faults: enum vfs_faults */
	int paths;	       /* --paths: enum vfs_paths */
	bool snapshot; /* --snapshot: how the files looked before they were used first; with a
			  command */
	/* --rotate, for the caller: the trace in parts (capture/trace_split.h) */
	const char *rotate;
	bool compress;	       /* --compress */
	char **command;	       /* argv, NULL-terminated; NULL none */
};

void vfs_config_init(struct vfs_config *c);
extern const struct option_spec vfs_options[];

struct vfs_outcome {
	bool has_status;
	int status; /* of the command, as waitpid gives it */
	uint64_t n_requests, n_events, n_lost;
	uint64_t n_faults, n_added; /* of the requests: faults, insertions into the page cache */
	uint64_t n_memory_lost;	    /* paths and the like that could not be read */
	enum vfs_faults faults;	    /* what was used */
	struct syscalls_counts counts;
	struct files_noted files;   /* the snapshot */
	uint64_t n_unseen;	    /* calls on files that could not be looked at for it */
	struct err no_rings; /* why rings of io_uring could not be read, where they could not; code
				0 otherwise */
	/* why paths could not be read, where they could not; code 0 otherwise */
	struct err no_paths;
};

/* Errors: ENOENT, EACCES where the kernel's tracing cannot be had, saying what to do; ESRCH: no
 * such process; of the command; of the system. A command that fails is no error. */
int vfs_capture(const struct vfs_config *c, struct vfs_outcome *o, struct err *e);

#endif
