/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary of a replay, for the terminal. */
#pragma once

#include "common/block/probe.h"
#include "replay/content/captured.h"
#include "replay/load/load.h"
#include "replay/target/evict.h"

#define BLOCK_ERRORS_SHOWN 8
/* cmd_replay.c warns if at least this number of requests failed without a later success */
#define BLOCK_SILENT_MANY 16
#define BLOCK_NOTES_BYTES 2000

/* --dry-run: what a replay would change on a device (block_touched.h). */
struct block_range {
	uint64_t from, to; /* range in bytes of the device; `to` is the first byte after it */
};

struct block_touched {
	bool is; /* this is a dry run: all other members of the summary are invalid */
	uint64_t device_bytes;
	uint64_t n_reads, n_writes, n_flushes, n_discards;
	/* written[n_written]: ranges that writes and discards change, sorted, disjoint; owned */
	struct block_range *written;
	size_t n_written;
	uint64_t written_bytes; /* their sum */
	char refusal[500]; /* why the replay would be refused; "": it would not be refused */
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
	/* number of requests that failed after the last success; record of the first of them */
	uint64_t n_silent, silent_record;
	int64_t silent_ns; /* when that request began, after the common start */
	size_t n_errors;
	uint32_t traced_in_flight, most_in_flight;
	uint64_t n_submissions;
	/* number of waits in the kernel for a completion; number of yields of the CPU */
	uint64_t n_waits, n_yields;
	bool contended; /* other threads competed for the CPU at some time: waiter.contended */
	/* the threshold of bundles; if it is measured, its value at the end */
	double bundle_ns;
	int64_t threshold_ns; /* of the inference of mode dep */
	struct block_touched touched; /* --dry-run; owned */
};

#define REPLAY_MISMATCHES_SHOWN 10

struct adapter_summary { /* results of replayers of other projects */
	const char *times;   /* source of the times; NULL: another engine */
	char version[200];   /* version as the replayer reports it; "": unknown */
	char notes[1000];    /* one sentence per line */
	uint64_t n_seen;     /* number of requests and other calls that were observed */
	/* number of requests with equal operation, object, offset and length */
	uint64_t n_ambiguous;
	/* number of skipped requests: the replayer's format cannot represent them */
	uint64_t n_left_out;
	int64_t cpu_ns;      /* user and system time of the replayer and its descendants */
	uint64_t peak_bytes; /* largest resident set among its processes */
};

struct parallel_summary { /* of engine parallel */
	char launcher[400]; /* command that started the ranks; empty: another engine */
	const char *mode;
	uint32_t n_ranks, n_hosts;
	/* number of ranks on machines with more threads of the replay than CPUs: they yield while
	 * they wait */
	uint32_t n_crowded;
	uint64_t n_signals, n_waits;
	/* half width of the interval of the largest clock difference; 0: all ranks share one
	 * clock */
	int64_t uncertainty_ns;
};

struct replay_mismatch {
	uint64_t seq;
	uint16_t op;		  /* enum trace_op */
	/* result, or a negative errno; 0 for a success whose result is not compared */
	int64_t expected, actual;
	char path[256];		  /* path as traced; only the end of a longer path; empty: none */
};

struct replay_memory { /* of a replay of system calls */
	uint64_t plan_bytes;  /* requests, order, times, outcomes */
	/* memory for the requests that are read ahead; 0: the whole plan was in memory */
	uint64_t ahead_bytes;
	uint64_t locked_bytes;
	uint64_t peak_bytes;  /* largest resident set during the run; 0 unknown */
	/* number of chunks read ahead; number of chunks for which a worker waited */
	uint64_t n_chunks, n_late_chunks;
	/* why a plan beyond the limit was in memory all the same; NULL: it was not */
	const char *whole;
	bool scratch_in_memory; /* the scratch file is in memory (tmpfs) */
};

/* All counts of struct replay_summary can also be computed from the two traces. */
struct replay_summary {
	uint64_t n_records;    /* of the input */
	uint64_t n_issued;     /* requests issued, without repetitions by a mutant */
	/* records of the input that are not requests (FAMILY_CAUSE). n_issued includes
	 * n_causes_done, those of them that were executed */
	uint64_t n_causes, n_causes_done;
	uint64_t n_repeated;   /* second copies issued by a mutant; adapters: extra requests */
	uint64_t n_failed;     /* issued requests that returned an error, expected or not */
	uint64_t n_mismatches; /* issued requests whose result differs from the traced one */
	uint64_t n_unknown_fd; /* requests on unknown descriptors: they fail with EBADF */
	/* number of mismatches whose error means that the storage cannot serve requests: EIO,
	 * ENOSPC and others; the first of these errors */
	uint64_t n_storage_errors;
	int first_storage_error;
	uint64_t first_storage_error_seq;
	/* the first mismatches in the order of the file */
	struct replay_mismatch mismatch[REPLAY_MISMATCHES_SHOWN];
	uint64_t n_mismatches_of[OP_N];
	/* number of mismatches of calls that overlapped a change of the same name or file by
	 * another thread, or that use a descriptor which two overlapping calls opened and closed; 0
	 * in order fs, which derives from the results which call took effect first */
	uint64_t n_mismatches_overlapped;
	uint64_t n_mismatches_interrupted; /* a signal interrupted the traced call (EINTR) */
	/* number of calls that were denied to the traced program, but not to root */
	uint64_t n_mismatches_privileged;
	/* number of calls that failed or wrote less in the traced run because of a limit of the
	 * process (RLIMIT_NOFILE, RLIMIT_FSIZE), a quota or a full file system */
	uint64_t n_mismatches_limited;
	/* number of issued touches of mapped pages; number of touches that write */
	uint64_t n_touches, n_touches_writing;
	/* --reads original, see struct call_counts */
	uint64_t n_pages_read, n_pages_stayed, n_pages_touched, n_pages_left;
	uint64_t n_clones_copied; /* clones (FICLONE) replaced by copies */
	/* number of issued requests except touches; the mean response time is taken over them */
	uint64_t n_responses;
	uint64_t n_skipped;    /* number of skipped requests, which are not part of n_issued */
	uint64_t n_skipped_of[SKIP_N];
	/* with --prepare: files that requests change, but whose initial size is unknown */
	uint64_t n_sizes_unknown;
	/* number of calls on devices, FIFOs and sockets, which were refused with EPERM */
	uint64_t n_refused;
	uint32_t refused_mode; /* type (S_IFMT) of the first of these objects */
	char refused_path[160]; /* its path */
	bool stopped;	       /* by --stop-on-mismatch */
	bool input_incomplete; /* the trace, or a trace from which it was made, has no end block */
	uint64_t n_input_lost; /* events lost at capture */
	uint64_t n_threads, n_workers;
	uint64_t n_processes; /* number of the workers' processes: 1 without --processes */
	/* over the same requests; NaN: no request was issued, or their traced times are unknown */
	double mean_response_ns, traced_mean_response_ns;
	/* time from the first start to the last end of a request */
	int64_t elapsed_ns, traced_elapsed_ns;
	/* number of requests with a due time; the following members are valid if there are any */
	uint64_t n_timed;
	/* quantiles of start - due time */
	double issue_error_p50_ns, issue_error_p99_ns, issue_error_p999_ns, issue_error_max_ns;
	/* number of CPU-delayed requests (wait.h); only file-level engines */
	uint64_t n_cpu_delayed;
	double cpu_delay_ns, cpu_delay_max_ns; /* sum and maximum of their lateness */
	double others_p99_ns, others_max_ns; /* issue error of the other requests; NaN: none */
	int64_t input_first_ns; /* first start in the trace */
	struct block_summary block;
	struct parallel_summary parallel;
	struct adapter_summary adapter;
	uint64_t own_memory_bytes; /* anonymous memory of the replay itself; only with a balloon */
	/* size of the balloon; most 0: the replay itself needed as much */
	uint64_t balloon_least_bytes, balloon_most_bytes;
	bool balloon;
	enum metadata_state metadata;
	struct replay_memory memory;
	struct captured_summary captured; /* payload captured */
	char scheduling_note[300]; /* effects of a real-time scheduler on this machine; "" none */
};
