/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of replayers of other projects: options of all adapters, then options of each adapter.
 * Their rows are part of replay_options, so that each row is an option of the command line and a
 * key of a protocol's [replayer NAME]. Keys of one adapter begin with its name: fio-iodepth. */
#pragma once

#include "common/std.h"

/* Options of the built-in adapters. Each name begins with that of the adapter. doc/adapters.md
 * defines them. */
/* NULL-terminated */
extern const char *const fio_ioengine_names[];
extern const char *const fio_direct_names[];
extern const char *const blkreplay_conflicts_names[]; /* enum in blkreplay.c */
extern const char *const hfplayer_mode_names[];
extern const char *const artc_order_names[];
extern const char *const beefs_policy_names[];

struct known_options {
	int fio_ioengine;
	uint64_t fio_iodepth; /* 0: the traced number in flight */
	int fio_direct;
	bool fio_no_stall;
	int64_t btreplay_bunch_ns; /* 0: a bunch for each request */
	uint64_t btreplay_bunch_max, btreplay_streams;
	uint64_t blkreplay_threads;
	int blkreplay_conflicts;
	int hfplayer_mode;
	uint64_t hfplayer_threads, hfplayer_queue;
	int64_t hfplayer_bundle_ns;
	int artc_order;
	bool artc_gaps;
	int beefs_policy;
	uint64_t beefs_workers; /* 0: one for each traced thread */
	int64_t beefs_delay_ns;
};

/* Designated initialisers with the defaults of the replayers. */
#define KNOWN_OPTIONS_STANDARD									   \
	{.btreplay_bunch_ns = 10000000, .btreplay_bunch_max = 8, .btreplay_streams = 1,		   \
		.blkreplay_threads = 64,							   \
	 .hfplayer_threads = 1, .hfplayer_queue = 8192}

/* Rows of an option table; AT(FIELD) is the offset of a field of the struct adapter_options. */
#define KNOWN_OPTION_ROWS(AT)									   \
	OPTION(CHOICE, "fio-ioengine", AT(known.fio_ioengine),					\
	       .group = "Options of known replayers", .arg = "NAME",				\
	       .choices = fio_ioengine_names, .help = "fio: its I/O engine (default "		\
	       "psync)"),	\
	OPTION(UINT, "fio-iodepth", AT(known.fio_iodepth), .arg = "N", .min = 0, .max = 65536,	\
	       .help = "fio: largest number of requests in flight, for libaio and io_uring "	\
	       "(default 0: as many as in the trace)"),						\
	OPTION(CHOICE, "fio-direct", AT(known.fio_direct), .arg = "WHEN",			\
	       .choices = fio_direct_names,							\
	       .help = "fio: bypass the page cache; auto: only on a device (default "		\
	       "auto)"),		\
	OPTION(FLAG, "fio-no-stall", AT(known.fio_no_stall),					\
	       .help = "fio: replay at full speed instead of at the traced times"),		\
	OPTION(DURATION, "btreplay-bunch", AT(known.btreplay_bunch_ns), .arg = "TIME", .min = 0,\
	       .max = 1e12, .help = "btreplay: requests within this time after the first " \
	       "request of a bunch belong to this bunch and start together; 0: each request "	\
	       "alone (default 10ms)"),							\
	OPTION(UINT, "btreplay-bunch-max", AT(known.btreplay_bunch_max), .arg = "N", .min = 1,	\
	       .max = 512,									\
	       .help = "btreplay: largest number of requests in a bunch (default 8)"),		\
	OPTION(UINT, "btreplay-streams", AT(known.btreplay_streams), .arg = "N", .min = 1,	\
	       .max = 1024, .help = "btreplay: number of streams, each a thread on its own " \
	       "CPU; traced threads are distributed among them (default 1)"), \
	OPTION(UINT, "blkreplay-threads", AT(known.blkreplay_threads), .arg = "N", .min = 1,	\
	       .max = 32768,									\
	       .help = "blkreplay: number of processes that issue requests (default 64)"),	\
	OPTION(CHOICE, "blkreplay-conflicts", AT(known.blkreplay_conflicts), .arg = "HOW",	\
	       .choices = blkreplay_conflicts_names, .help = "blkreplay: treatment of "		\
	       "requests with overlapping blocks: postpone them (partial), allow them "		\
	       "(allowed), drop them (dropped), or keep their order (ordered). These are the "	\
	       "options --with-partial, --with-conflicts, --with-drop and --with-ordering of "	\
	       "blkreplay (default partial)"),							\
	OPTION(CHOICE, "hfplayer-mode", AT(known.hfplayer_mode), .arg = "MODE",			\
	       .choices = hfplayer_mode_names, .help = "hfplayer: hf (traced times), dep " \
	       "(dependencies), afap (as fast as possible) or load (traced number in flight) " \
	       "(default hf)"),			\
	OPTION(UINT, "hfplayer-threads", AT(known.hfplayer_threads), .arg = "N", .min = 1,	\
	       .max = 64, .help = "hfplayer: number of threads that issue requests; "		\
	       "hfplayer needs N + 3 CPUs (default 1)"), \
	OPTION(UINT, "hfplayer-queue", AT(known.hfplayer_queue), .arg = "N", .min = 1,		\
	       .max = 65536,									\
	       .help = "hfplayer: largest number of requests in flight (default 8192)"),	\
	OPTION(DURATION, "hfplayer-bundle", AT(known.hfplayer_bundle_ns), .arg = "TIME",	\
	       .min = 0, .max = 1e9, .help = "hfplayer: submit requests together if the " \
	       "time between them is shorter than TIME, except in mode dep (default 0: no " \
	       "bundles)"),				\
	OPTION(CHOICE, "artc-order", AT(known.artc_order), .arg = "ORDER",			\
	       .choices = artc_order_names,							\
	       .help = "ARTC: rule that decides which calls a call waits for. root: ARTC's own " \
	       "rules; temporal: the traced order; none: a call waits for no other call; " \
	       "single: one thread makes all calls (default root)"),		\
	OPTION(FLAG, "artc-gaps", AT(known.artc_gaps), .help = "ARTC: keep the traced gap " \
	       "before each call (default: replay at full speed)"),				\
	OPTION(CHOICE, "beefs-policy", AT(known.beefs_policy), .arg = "POLICY",			\
	       .choices = beefs_policy_names, .help = "beefs: rule that states when an " \
	       "event starts; faster: when the events on which it depends have ended; " \
	       "beefs defines the others (default faster)"), \
	OPTION(UINT, "beefs-workers", AT(known.beefs_workers), .arg = "N", .min = 0, .max = 4096, \
	       .help = "beefs: number of threads (default 0: as many as in the trace)"),	\
	OPTION(DURATION, "beefs-delay", AT(known.beefs_delay_ns), .arg = "TIME", .min = 0,	\
	       .max = 1e9,									\
	       .help = "beefs: time to add to each sleep before an event, in whole "		\
	       "microseconds (default 0)")

struct adapter_options {
	/* --times self|self:FORM|preload|block|none (times.h); NULL: the adapter's default */
	const char *times;
	const char *export;	/* --export FORMAT[/trace|thread|process|device]: engine exec */
	const char *command;	/* --command: words with placeholders; NULL: the adapter's */
	const char *environment; /* --environment NAME=VALUE...: words; NULL none */
	const char *start_in;	/* --start-in: working directory; NULL: the adapter's */
	const char *user;	/* --user: user of the replayer; NULL: the user of this process */
	/* --accept-status: statuses that mean success, in addition to 0 */
	const char *accept_status;
	int64_t time_limit_ns;	/* --time-limit: the replayer is killed after this time */
	bool full_speed;	/* --full-speed: engine exec ignores the traced times */
	struct known_options known; /* options of single adapters */
};

/* Designated initialisers for a struct adapter_options. */
#define ADAPTER_OPTIONS_STANDARD                                                                   \
	.time_limit_ns = INT64_C(600000000000), .known = KNOWN_OPTIONS_STANDARD

/* Rows of an option table; AT(FIELD) is the offset of a field of the struct adapter_options. */
#define ADAPTER_OPTION_ROWS(AT)									   \
	OPTION(STRING, "times", AT(times), .group = "Replayers of other projects", .arg = "HOW",\
	       .help = "source of the times of requests: the output of the replayer "		\
	       "(self), a preloaded library (preload), the kernel's tracepoints at the " \
	       "device (block) or none. With engine exec, self must state the format of "	\
	       "the output, such as self:csv(begin=3,end=4,unit=us) (default: the replayer's "	\
	       "usual source)"), \
	OPTION(STRING, "export", AT(export), .arg = "FORMAT", .help = "engine exec: format " \
	       "in which the replayer gets the trace (default csv); with /thread, /process or " \
	       "/device appended, one file for each thread, process or device"), \
	OPTION(STRING, "command", AT(command), .arg = "WORDS", .help = "command that "		\
	       "starts the replayer, as a list of words with placeholders: [\"replayer\", " \
	       "\"--in\", \"{trace}\"] (default: that of the engine)"), \
	OPTION(STRING, "environment", AT(environment), .arg = "WORDS",				\
	       .help = "additional environment variables of the command, each NAME=VALUE " \
	       "(default none)"),								\
	OPTION(STRING, "start-in", AT(start_in), .arg = "DIR", .help = "working directory " \
	       "of the command, such as {target} (default {scratch}, a directory of the " \
	       "run)"),										\
	OPTION(STRING, "user", AT(user), .arg = "NAME",						\
	       .help = "user that runs the command (default: the current user)"),	\
	OPTION(STRING, "accept-status", AT(accept_status), .arg = "LIST",			\
	       .help = "exit statuses of the command, besides 0, that mean success "		\
	       "(default none)"), \
	OPTION(DURATION, "time-limit", AT(time_limit_ns), .arg = "TIME", .min = 1e6, .max = 1e15, \
	       .help = "kill the command after this time (default 10min)"),		\
	OPTION(FLAG, "full-speed", AT(full_speed), .help = "engine exec: declare that the "	\
	       "replayer ignores the traced times and issues each request as soon as possible " \
	       "(default no)"),									\
	KNOWN_OPTION_ROWS(AT)
