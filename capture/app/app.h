/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captures an application: starts a command with the preload library, and makes a trace of the
 * calls that it and all its children make to the C library's file interface. doc/capture.md
 * describes what is covered.
 *
 * The traced processes write into memory-mapped files in a scratch directory (preload/log.h). At
 * the same time, the collector copies full windows to a spool file and frees them. After the end of
 * the last process, the records of the spool are merged by start into the trace. */
#pragma once

#include "capture/files_noted.h"
#include "common/options.h"

struct app_config {
	const char *output;	/* -o: the trace */
	/* --root: paths in the trace are relative to it; other files are ignored */
	const char *root;
	/* --scratch: directory of the buffers; NULL: /dev/shm, otherwise $TMPDIR or /tmp */
	const char *scratch;
	bool snapshot;		/* --snapshot: record the state of files before their first use */
	bool digests;		/* --digests: also digests of the content */
	bool content;		/* --content: store written data */
	/* --memory: record the anonymous memory of the programs over time */
	bool memory;
	int64_t memory_interval_ns; /* --memory-interval */
	bool no_characters;	/* --no-characters: ignore getc, putc and similar calls */
	/* --rotate: writes the trace in parts (capture/trace_split.h); used by the caller */
	const char *rotate;
	bool compress;		/* --compress */
	const char *pid;	/* --pid: always an error, whose message names capture vfs */
	/* --check-status: the caller fails if the command fails; not used by app_capture */
	bool check_status;
	char **command;		/* argv of the command, NULL-terminated */
	/* Runs in the child instead of the command, and starts programs itself. Returns its exit
	 * status. NULL: the command is executed */
	int (*start)(void *ctx);
	void *start_ctx;
	/* Called repeatedly after the child has ended, while descendants of it are still running:
	 * ends them. NULL: waits for them */
	void (*left)(void);
	/* use the library for parallel applications (preload/causes.h) */
	bool causes;
	/* Called before the command is started, with the scratch directory, while this process has
	 * no other thread. Returns 0 or a negative errno. NULL: none */
	int (*prepare)(void *ctx, const char *scratch_dir, struct err *e);
	void *prepare_ctx;
};

void app_config_init(struct app_config *c);
extern const struct option_spec app_options[];

enum { APP_NAMES_SHOWN = 8 };

struct app_programs { /* program runs with a common property, for messages */
	uint64_t n;
	char *name[APP_NAMES_SHOWN]; /* different names, followed by NULL; owned */
};

/* The result, for messages. Strings are owned: app_outcome_release(). */
struct app_outcome {
	int status;		/* wait status of the command itself */
	uint64_t n_requests, n_processes, n_threads, n_lost;
	uint64_t n_outside;	/* requests on files outside the root, which are omitted */
	uint64_t n_torn;	/* records that a killed process did not complete */
	/* damaged records, because a program has written into its buffers; also counted as lost */
	uint64_t n_garbled;
	/* calls after which names or descriptors mean other files: enum syscall_change */
	uint64_t n_mounts, n_unshared, n_file_actions;
	/* programs that ran without the library: statically linked, or with elevated privileges */
	struct app_programs unseen;
	/* programs whose code has system calls on files outside the C library, which are not
	 * recorded */
	struct app_programs own_calls;
	/* programs whose code enters io_uring without liburing; such requests are not recorded */
	struct app_programs own_rings;
	/* programs that were not searched for system calls: code made at run time; files that were
	 * removed or changed after their start */
	struct app_programs made_code, replaced;
	/* calls to io_uring_enter by syscall(3); their requests are not recorded */
	uint64_t n_ring_entries;
	struct files_noted files; /* the snapshot */
	uint64_t n_samples;	/* number of samples of memory */
	/* requests with stored content, the size of their content, and its size in the file */
	uint64_t n_content_requests, n_content_bytes, n_content_stored_bytes;
	uint64_t n_without_content; /* writes whose content is not stored */
	unsigned char content_name[16]; /* id of the content file (content/content.h) */
	unsigned int n_stops;	/* signals that requested the end */
	bool interrupted;	/* a signal ended the capture before all processes had ended */
};
void app_outcome_release(struct app_outcome *o);

/* Starts the command, waits until it and every process that it started have ended, and writes the
 * trace. Errors: ENOENT, EACCES for the command or the library; EPERM if the command would ignore
 * the library because it runs with elevated privileges; ENOEXEC for a statically linked command; of
 * the system. The trace is written even if the command fails or is killed. That is not an error,
 * but is stored in `o`. */
int app_capture(const struct app_config *c, struct app_outcome *o, struct err *e);

/* Removes files that killed captures of this user left in the scratch directory `scratch` (NULL:
 * the default), and ends the processes of a parallel application that such a capture watched.
 * Returns the number of removed directories. */
uint32_t app_scratch_clean(const char *scratch);

/* Finds the file that a shell would execute for `name`. NULL: not found, and `e` has the reason.
 * The caller frees. */
char *app_command_find(const char *name, struct err *e);
