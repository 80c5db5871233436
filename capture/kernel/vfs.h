/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captures the file accesses of a command or a running process by kernel tracepoints: system calls,
 * faults on mapped files, and pages inserted into the page cache. Statically linked programs and
 * direct system calls are covered. */
#pragma once

#include "capture/files_noted.h"
#include "capture/kernel/syscalls.h"
#include "common/options.h"

enum vfs_faults { FAULTS_AUTO, FAULTS_FILEMAP, FAULTS_ADDRESS, FAULTS_NONE };
enum vfs_paths { PATHS_AUTO, PATHS_BPF, PATHS_NONE };

struct vfs_config {
	const char *output;    /* -o: the trace */
	const char *scratch;   /* --scratch */
	uint64_t buffer_bytes; /* --buffer: bytes of the kernel's buffer for each CPU */
	/* --duration, in ns; 0: until the command or process ends, or a signal arrives */
	int64_t duration_ns;
	int64_t pid;	       /* --pid: a running process; 0: none */
	int faults;	       /* --faults: enum vfs_faults */
	int paths;	       /* --paths: enum vfs_paths */
	bool snapshot; /* --snapshot: record files before their first use; only with a command */
	/* --rotate: writes the trace in parts (capture/trace_split.h); used by the caller */
	const char *rotate;
	bool compress;	       /* --compress */
	char **command;	       /* argv, NULL-terminated; NULL: none */
};

void vfs_config_init(struct vfs_config *c);
extern const struct option_spec vfs_options[];

struct vfs_outcome {
	bool has_status;
	int status; /* wait status of the command */
	uint64_t n_requests, n_events, n_lost;
	/* requests that are page faults; insertions into the page cache */
	uint64_t n_faults, n_added;
	uint64_t n_memory_lost;	    /* arguments in memory that could not be read */
	bool counts_32_bits;	    /* n_calls32 is known, because this kernel shows 32-bit calls */
	uint64_t n_calls32;	    /* 32-bit system calls, which are not in the trace */
	enum vfs_faults faults;	    /* the source of faults that was used */
	struct syscalls_counts counts;
	struct files_noted files;   /* the snapshot */
	uint64_t n_unseen;	    /* calls whose files could not be inspected for the snapshot */
	/* reason why requests of io_uring could not be read; code 0: they were read */
	struct err no_rings;
	struct err no_paths; /* reason why paths could not be read; code 0: they were read */
};

/* Errors: ENOENT, EACCES: kernel tracing is unavailable, with advice; ESRCH: no such process; of
 * starting the command; of the system. A failing command is not an error. */
int vfs_capture(const struct vfs_config *c, struct vfs_outcome *o, struct err *e);
