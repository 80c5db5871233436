/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capturing an application: a command is started with the preload library, and what it and all its
 * children asked of the C library's file interface becomes a trace. doc/capture.md says what is
 * seen and what cannot be.
 *
 * The traced processes write into memory-mapped files of a scratch directory (preload/log.h). While
 * they run, full windows are copied to a spool file and freed; when the last process has ended, the
 * spool is merged by begin into the trace. */
#ifndef CAPTURE_APP_H
#define CAPTURE_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/files_noted.h"
#include "common/err.h"
#include "common/options.h"

struct app_config {
	const char *output;	/* -o: the trace */
	/* --root: paths in the trace are relative to it; what lies elsewhere is left out */
	const char *root;
	/* --scratch: where the buffers are; NULL: /dev/shm, else $TMPDIR or /tmp */
	const char *scratch;
	bool snapshot;		/* --snapshot: how the files looked before they were used first */
	bool digests;		/* --digests: and of what content; with snapshot */
	bool content;		/* --content: and what was written */
	/* --memory: how much anonymous memory the programs have, over time */
	bool memory;
	int64_t memory_interval_ns; /* --memory-interval */
	bool no_characters;	/* --no-characters: leave out getc, putc and their like */
	/* --rotate, for the caller: the trace in parts (capture/trace_split.h) */
	const char *rotate;
	bool compress;		/* --compress */
	const char *pid;	/* --pid: always an error, which names capture vfs */
	bool check_status; /* --check-status: a command that fails is a failure of the caller's; not
			      looked at by app_capture */
	char **command;		/* argv of the command, NULL-terminated */
	/* Done by a process of its own instead of starting the command, whose program it starts
	 * itself; its exit status. NULL: start it */
	int (*start)(void *ctx);
	void *start_ctx;
	/* Called again and again while that process has ended and what it started has not: to end
	 * it. NULL: it is waited for */
	void (*left)(void);
	/* with the library that watches parallel applications (preload/causes.h) */
	bool causes;
	/* Called before the command is started, with the scratch directory and no threads but the
	 * caller's: 0 or a negative errno. NULL: none */
	int (*prepare)(void *ctx, const char *scratch_dir, struct err *e);
	void *prepare_ctx;
};

void app_config_init(struct app_config *c);
extern const struct option_spec app_options[];

enum { APP_NAMES_SHOWN = 8 };

struct app_programs { /* program runs that something is to be said of */
	uint64_t n;
	char *name[APP_NAMES_SHOWN]; /* different ones, NULL behind the last; owned */
};

/* What came of it, for the terminal. Strings are owned: app_outcome_release(). */
struct app_outcome {
	int status;		/* as waitpid gives it, of the command itself */
	uint64_t n_requests, n_processes, n_threads, n_lost;
	uint64_t n_outside;	/* requests on files outside the root, left out */
	uint64_t n_torn;	/* records that a killed process had not finished */
	/* records that cannot be true: a program has written into its buffers. Lost as well */
	uint64_t n_garbled;
	/* ran without the library: statically linked or with more privileges */
	struct app_programs unseen;
	/* their code has system calls for files past the C library, which are not seen */
	struct app_programs own_calls;
	/* their code enters io_uring past liburing: what it asks so is not seen */
	struct app_programs own_rings;
	/* io_uring_enter by syscall(3): seen, but not what was asked through the ring */
	uint64_t n_ring_entries;
	struct files_noted files; /* the snapshot */
	uint64_t n_samples;	/* of memory */
	/* whose content is kept, how much that is, and in how many bytes */
	uint64_t n_content_requests, n_content_bytes, n_content_stored_bytes;
	uint64_t n_without_content; /* wrote something, and it is not kept */
	unsigned char content_name[16]; /* of the file of content (content/content.h) */
	unsigned int n_stops;	/* signals that asked for an end */
	bool interrupted;	/* by a signal, before all processes had ended */
};
void app_outcome_release(struct app_outcome *o);

/* Starts the command, waits until it and every process that it started have ended, writes the
 * trace. Errors: ENOENT, EACCES for the command or the library; EPERM where the command would
 * refuse the library because it runs with other privileges; ENOEXEC for a statically linked one; of
 * the system. Whatever was captured is written even if the command failed or was killed: that is in
 * `o`, and no error. */
int app_capture(const struct app_config *c, struct app_outcome *o, struct err *e);

/* Removes what captures of this user that were killed left in the scratch directory `scratch`
 * (NULL: the default); processes of a parallel application that one of them watched are ended. How
 * many there were. */
uint32_t app_scratch_clean(const char *scratch);

/* The file that a shell would start for `name`. NULL with the error. The caller frees. */
char *app_command_find(const char *name, struct err *e);

#endif
