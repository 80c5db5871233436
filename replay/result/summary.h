/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a replay came to, for the terminal. */
#ifndef REPLAY_SUMMARY_H
#define REPLAY_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "replay/content/captured.h"
#include "replay/load/load.h"
#include "replay/target/evict.h"

#define BLOCK_ERRORS_SHOWN 8
/* so many failures at the end, and no success after them, are no accident */
#define BLOCK_SILENT_MANY 16
#define BLOCK_NOTES_BYTES 2000

/* What a replay would do to a device (--dry-run; block_touched.h). */
struct block_range {
	uint64_t from, to; /* bytes of the device; to: the first one after it */
};

struct block_touched {
	bool is; /* a dry run: nothing else of the summary counts */
	uint64_t device_bytes;
	uint64_t n_reads, n_writes, n_flushes, n_discards;
	/* written[n_written], by place, none touches another: what writes and discards change;
	 * owned */
	struct block_range *written;
	size_t n_written;
	uint64_t written_bytes; /* of them all */
	char refusal[500]; /* why the replay itself would be refused; "": it would not be */
};

struct block_summary { /* what the terminal is told beside replay_summary */
	const char *backend; /* as it was used; NULL: another engine */
	char notes[BLOCK_NOTES_BYTES]; /* what was done without, a sentence a line */
	uint64_t n_discards, n_turned, n_remapped, n_rounded; /* as block_load.h has them */
	uint64_t n_short; /* transfers that moved less than they were asked for */
	struct {
		int code; /* errno */
		uint64_t n;
	} error[BLOCK_ERRORS_SHOWN]; /* in the order of their first */
	/* requests that failed after the last one that succeeded; the first of them */
	uint64_t n_silent, silent_record;
	int64_t silent_ns;		  /* its begin after the start */
	size_t n_errors;
	uint32_t traced_in_flight, most_in_flight;
	uint64_t n_submissions;
	double bundle_ns;     /* the threshold, at the end where it was measured */
	int64_t threshold_ns; /* of dep's inference */
	struct block_touched touched; /* of --dry-run; owned */
};

#define REPLAY_MISMATCHES_SHOWN 10

struct adapter_summary { /* of engines that are other people's replayers */
	const char *times;   /* whose times these are; NULL: another engine */
	char version[200];   /* as the replayer tells it, "" not at all */
	char notes[1000];    /* sentences, a line each */
	uint64_t n_seen;     /* requests and other calls that were seen */
	/* requests of the input that have the same operation, object, offset and length as another
	 */
	uint64_t n_ambiguous;
	uint64_t n_left_out; /* the replayer's format has no place for them: skipped */
	int64_t cpu_ns;      /* user and system, of the replayer and all it started */
	uint64_t peak_bytes; /* resident, of the largest of them */
};

struct parallel_summary { /* of engine parallel */
	char launcher[400]; /* as it was started; empty: another engine */
	const char *mode;
	uint32_t n_ranks, n_hosts;
	/* ranks on machines with more threads of the replay than processors: they give way when
	 * they wait */
	uint32_t n_crowded;
	uint64_t n_signals, n_waits;
	int64_t uncertainty_ns; /* largest of what the clocks differ by, half width */
};

struct replay_mismatch {
	uint64_t seq;
	uint16_t op;		  /* enum trace_op */
	/* result, or a negative errno; 0 for a success whose result is not compared */
	int64_t expected, actual;
	char path[256];		  /* as traced; its end where it is longer; empty: none */
};

struct replay_memory { /* of a replay of system calls */
	uint64_t plan_bytes;  /* requests, order, times, outcomes */
	uint64_t ahead_bytes; /* what of it was held at a time; 0: all of it */
	uint64_t locked_bytes;
	/* largest resident set of the process while requests ran; 0 unknown */
	uint64_t peak_bytes;
	/* read ahead for the workers; that one of them had to wait for */
	uint64_t n_chunks, n_late_chunks;
	const char *whole;    /* why it was all held, although that is more than the limit; NULL */
	bool scratch_in_memory; /* the scratch file lies in memory, too */
};

/* What a replay came to, for the terminal. Everything here can be computed from the two traces as
 * well. */
struct replay_summary {
	uint64_t n_records;    /* of the input */
	uint64_t n_issued;     /* requests issued, repetitions by a mutant not counted */
	uint64_t n_repeated;   /* extra copies issued by a mutant */
	uint64_t n_failed;     /* issued requests that returned an error, expected or not */
	uint64_t n_mismatches; /* issued requests whose return value differs from the traced one */
	/* requests on a descriptor whose file the trace does not tell: they fail with EBADF */
	uint64_t n_unknown_fd;
	uint64_t first_mismatch_seq; /* meaningful when n_mismatches > 0 */
	int64_t first_mismatch_expected, first_mismatch_actual; /* result, or a negative errno */
	/* the first of them, in the order of the file */
	struct replay_mismatch mismatch[REPLAY_MISMATCHES_SHOWN];
	uint64_t n_mismatches_of[OP_N];
	uint64_t n_mismatches_privileged; /* refused to the traced program, and not to root */
	/* pages of mapped files that were touched, of the issued ones; how many of them written */
	uint64_t n_touches, n_touches_writing;
	/* pages, with --reads original: missed when captured, and so read from storage, but for
	 * those that stayed in the cache; found then, and touched where they are cached now, or
	 * left alone */
	uint64_t n_pages_read, n_pages_stayed, n_pages_touched, n_pages_left;
	/* clones (FICLONE) that were copies: the target shares no blocks */
	uint64_t n_clones_copied;
	/* issued requests that are no touches: what the mean response is of */
	uint64_t n_responses;
	/* requests that are skipped: pipes, devices and the like; not among the issued */
	uint64_t n_passed;
	uint64_t n_passed_of[PASS_N];
	/* calls on devices, FIFOs and sockets that the trace reached: failed with EPERM; the replay
	 * fails */
	uint64_t n_refused;
	uint32_t refused_mode; /* of the first of them: its type (S_IFMT) */
	char refused_path[160]; /* and path */
	bool stopped;	       /* by --stop-on-mismatch */
	bool input_incomplete; /* no end block: a killed writer's; or made of such a trace */
	uint64_t n_input_lost; /* events, when it was captured */
	uint64_t n_threads, n_workers;
	uint64_t n_processes; /* that they were threads of: 1 without --processes */
	double mean_response_ns, traced_mean_response_ns; /* NaN when nothing was issued */
	int64_t elapsed_ns, traced_elapsed_ns;		  /* first begin to last end */
	/* requests with an intended time; what is below are meaningful then */
	uint64_t n_timed;
	/* begin - intended */
	double issue_error_p50_ns, issue_error_p99_ns, issue_error_p999_ns, issue_error_max_ns;
	/* of those, held up by the machine (wait.h); file-level engines tell */
	uint64_t n_held;
	/* how late these were, all together and at most */
	double held_ns, held_max_ns;
	/* issue error of the others; NaN: there is none */
	double others_p99_ns, others_max_ns;
	int64_t input_first_ns; /* first begin in the trace */
	struct block_summary block; /* of engine block */
	struct parallel_summary parallel;
	struct adapter_summary adapter;
	/* anonymous memory of the replay itself, where there is a balloon */
	uint64_t own_memory_bytes;
	/* held beside it; most 0: none, as the replay itself has as much */
	uint64_t balloon_least_bytes, balloon_most_bytes;
	bool balloon;
	enum metadata_state metadata;
	struct replay_memory memory;
	struct captured_summary captured; /* with payload captured */
	char scheduling_note[300]; /* what a real-time scheduler means here, "" nothing */
};

#endif
