/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary of a replay, for the terminal. */
#pragma once

#include "capture/trace.h"
#include "common/block/probe.h"
#include "replay/content/captured.h"
#include "replay/load/load.h"
#include "replay/target/evict.h"

#define BLOCK_ERRORS_SHOWN 8
/* cmd_replay.c warns from this number of failures without a later success */
#define BLOCK_SILENT_MANY 16
#define BLOCK_NOTES_BYTES 2000

/* --dry-run: what a replay would change on a device (block_touched.h). */
struct block_range {
	uint64_t from, to; /* bytes of the device; to: the first one after it */
};

struct block_touched {
	bool is; /* this is a dry run: all other members of the summary are invalid */
	uint64_t device_bytes;
	uint64_t n_reads, n_writes, n_flushes, n_discards;
	/* written[n_written]: ranges that writes and discards change, sorted, disjoint; owned */
	struct block_range *written;
	size_t n_written;
	uint64_t written_bytes; /* their sum */
	char refusal[500]; /* why the replay would be refused; "": it would not */
};

struct block_summary { /* of engine block */
	const char *backend; /* NULL: another engine */
	char backend_why[BLOCK_WHY_BYTES]; /* why it was chosen */
	char notes[BLOCK_NOTES_BYTES]; /* unavailable features, one sentence per line */
	uint64_t n_discards, n_turned, n_remapped, n_rounded; /* see block_load.h */
	uint64_t n_short; /* short transfers */
	struct {
		int code; /* errno */
		uint64_t n;
	} error[BLOCK_ERRORS_SHOWN]; /* in the order of their first occurrence */
	/* requests that failed after the last success; the first of them */
	uint64_t n_silent, silent_record;
	int64_t silent_ns;		  /* its begin after the start */
	size_t n_errors;
	uint32_t traced_in_flight, most_in_flight;
	uint64_t n_submissions;
	uint64_t n_waits, n_yields; /* waits in the kernel for a completion; yields of the CPU */
	bool contended; /* other threads competed for the CPU at some time: waiter.contended */
	double bundle_ns;     /* the threshold; if measured, at the end */
	int64_t threshold_ns; /* of the inference of mode dep */
	struct block_touched touched; /* --dry-run; owned */
};

#define REPLAY_MISMATCHES_SHOWN 10

struct adapter_summary { /* of foreign replayers */
	const char *times;   /* source of the times; NULL: another engine */
	char version[200];   /* as the replayer reports it; "": unknown */
	char notes[1000];    /* one sentence per line */
	uint64_t n_seen;     /* requests and other calls that were observed */
	uint64_t n_ambiguous; /* requests with equal operation, object, offset and length */
	uint64_t n_left_out; /* skipped: the replayer's format cannot represent them */
	int64_t cpu_ns;      /* user and system time of the replayer and its descendants */
	uint64_t peak_bytes; /* resident set of the largest process */
};

struct parallel_summary { /* of engine parallel */
	char launcher[400]; /* command that started it; empty: another engine */
	const char *mode;
	uint32_t n_ranks, n_hosts;
	/* ranks on machines with more threads of the replay than CPUs: they yield while waiting */
	uint32_t n_crowded;
	uint64_t n_signals, n_waits;
	int64_t uncertainty_ns; /* half width of the largest clock difference; 0: one clock */
};

struct replay_mismatch {
	uint64_t seq;
	uint16_t op;		  /* enum trace_op */
	/* result, or a negative errno; 0 for a success whose result is not compared */
	int64_t expected, actual;
	char path[256];		  /* as traced; only the end of a longer path; empty: none */
};

struct replay_memory { /* of a replay of system calls */
	uint64_t plan_bytes;  /* requests, order, times, outcomes */
	uint64_t ahead_bytes; /* memory for the part that was read ahead; 0: all was in memory */
	uint64_t locked_bytes;
	uint64_t peak_bytes;  /* largest resident set during the run; 0 unknown */
	uint64_t n_chunks, n_late_chunks; /* chunks read ahead; chunks that a worker waited for */
	const char *whole;    /* why a plan beyond the limit was in memory; NULL */
	bool scratch_in_memory; /* the scratch file is in memory (tmpfs) */
};

/* All counts can also be computed from the two traces. */
struct replay_summary {
	uint64_t n_records;    /* of the input */
	uint64_t n_issued;     /* requests issued, without repetitions by a mutant */
	/* records of the input that are not requests (FAMILY_CAUSE); n_issued includes
	 * n_causes_done, the records that were executed */
	uint64_t n_causes, n_causes_done;
	uint64_t n_repeated;   /* second copies issued by a mutant */
	uint64_t n_failed;     /* issued requests that returned an error, expected or not */
	uint64_t n_mismatches; /* issued requests whose result differs from the traced one */
	uint64_t n_unknown_fd; /* requests on unknown descriptors: they fail with EBADF */
	/* mismatches whose error means that the storage cannot serve requests: EIO, ENOSPC and
	 * others; the first of these errors */
	uint64_t n_storage_errors;
	int first_storage_error;
	uint64_t first_storage_error_seq;
	uint64_t first_mismatch_seq; /* valid if n_mismatches > 0 */
	int64_t first_mismatch_expected, first_mismatch_actual; /* result, or a negative errno */
	/* the first mismatches in the order of the file */
	struct replay_mismatch mismatch[REPLAY_MISMATCHES_SHOWN];
	uint64_t n_mismatches_of[OP_N];
	/* calls that overlapped a change of the same name or file by another thread, or that use a
	 * descriptor which two overlapping calls opened and closed; 0 in order fs, which derives
	 * from the results which of them took effect first */
	uint64_t n_mismatches_overlapped;
	uint64_t n_mismatches_interrupted; /* a signal interrupted the traced call (EINTR) */
	uint64_t n_mismatches_privileged; /* denied to the traced program, but not to root */
	uint64_t n_touches, n_touches_writing; /* issued touches of mapped pages; writes of them */
	/* --reads original, see struct call_counts */
	uint64_t n_pages_read, n_pages_stayed, n_pages_touched, n_pages_left;
	uint64_t n_clones_copied; /* clones (FICLONE) replaced by copies */
	uint64_t n_responses; /* issued requests except touches, over which the mean is taken */
	uint64_t n_skipped;    /* skipped requests; not part of n_issued */
	uint64_t n_skipped_of[PASS_N];
	uint64_t n_refused; /* calls on devices, FIFOs and sockets, refused with EPERM */
	uint32_t refused_mode; /* type (S_IFMT) of the first of these objects */
	char refused_path[160]; /* its path */
	bool stopped;	       /* by --stop-on-mismatch */
	bool input_incomplete; /* the trace, or a trace it was made from, has no end block */
	uint64_t n_input_lost; /* events lost at capture */
	uint64_t n_threads, n_workers;
	uint64_t n_processes; /* of the workers: 1 without --processes */
	double mean_response_ns, traced_mean_response_ns; /* NaN: no request was issued */
	/* first begin to last end of a request */
	int64_t elapsed_ns, traced_elapsed_ns;
	uint64_t n_timed; /* requests with a due time; the following are valid if there are any */
	/* quantiles of begin - due time */
	double issue_error_p50_ns, issue_error_p99_ns, issue_error_p999_ns, issue_error_max_ns;
	uint64_t n_held_up; /* requests held up by the machine (wait.h); file-level engines */
	double held_ns, held_max_ns; /* sum and maximum of their lateness */
	double others_p99_ns, others_max_ns; /* issue error of the other requests; NaN: none */
	int64_t input_first_ns; /* first begin in the trace */
	struct block_summary block;
	struct parallel_summary parallel;
	struct adapter_summary adapter;
	uint64_t own_memory_bytes; /* with a balloon: anonymous memory of the replay itself */
	/* size of the balloon; most 0: the replay itself needed as much */
	uint64_t balloon_least_bytes, balloon_most_bytes;
	bool balloon;
	enum metadata_state metadata;
	struct replay_memory memory;
	struct captured_summary captured; /* payload captured */
	char scheduling_note[300]; /* effects of a real-time scheduler here; "" none */
};
