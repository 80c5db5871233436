/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the built-in adapters. Each name begins with that of the adapter. doc/adapters.md
 * defines them. */
#ifndef REPLAY_KNOWN_OPTIONS_H
#define REPLAY_KNOWN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

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

/* Designated initialisers: the defaults of the replayers themselves. */
#define KNOWN_OPTIONS_STANDARD                                                                                                  \
	{.btreplay_bunch_ns = 10000000, .btreplay_bunch_max = 8, .btreplay_streams = 1, .blkreplay_threads = 64,                \
	 .hfplayer_threads = 1, .hfplayer_queue = 8192}

/* Rows of an option table; AT(FIELD) is the offset of a field of the struct adapter_options. */
#define KNOWN_OPTION_ROWS(AT)                                                                                                   \
	{.group = "Options of known replayers", .name = "fio-ioengine", .type = OPT_CHOICE, .offset = AT(known.fio_ioengine), .arg = "NAME", .choices = fio_ioengine_names,  \
	 .help = "fio: its ioengine (default psync)"}, \
	{.name = "fio-iodepth", .type = OPT_UINT, .offset = AT(known.fio_iodepth), .arg = "N", .min = 0, .max = 65536,                \
	 .help = "fio: largest number of requests in flight, for libaio and io_uring (default " \
		 "0: as many as in the trace)"},                      \
	{.name = "fio-direct", .type = OPT_CHOICE, .offset = AT(known.fio_direct), .arg = "WHEN", .choices = fio_direct_names,        \
	 .help = "fio: bypass the page cache (default auto: only on a device)"}, \
	{.name = "fio-no-stall", .type = OPT_FLAG, .offset = AT(known.fio_no_stall),                                                  \
	 .help = "fio: replay at full speed instead of at the traced times"}, \
	{.name = "btreplay-bunch", .type = OPT_DURATION, .offset = AT(known.btreplay_bunch_ns), .arg = "TIME", .min = 0, .max = 1e12, \
	 .help = "btreplay: requests within this time of the first form a bunch and start " \
		 "together; 0: each alone (default 10ms)"},     \
	{.name = "btreplay-bunch-max", .type = OPT_UINT, .offset = AT(known.btreplay_bunch_max), .arg = "N", .min = 1, .max = 512,    \
	 .help = "btreplay: largest number of requests in a bunch (default 8)"}, \
	{.name = "btreplay-streams", .type = OPT_UINT, .offset = AT(known.btreplay_streams), .arg = "N", .min = 1, .max = 1024,       \
	 .help = "btreplay: number of streams, each on its own CPU; the traced threads are " \
		 "distributed in turn (default 1)"},                       \
	{.name = "blkreplay-threads", .type = OPT_UINT, .offset = AT(known.blkreplay_threads), .arg = "N", .min = 1, .max = 32768,    \
	 .help = "blkreplay: number of processes that issue requests (default 64)"}, \
	{.name = "blkreplay-conflicts", .type = OPT_CHOICE, .offset = AT(known.blkreplay_conflicts), .arg = "HOW",                    \
	 .choices = blkreplay_conflicts_names,                                                                                  \
	 .help = "blkreplay: handling of overlapping requests (default partial: postponed, as " \
		 "blkreplay itself)"},                           \
	{.name = "hfplayer-mode", .type = OPT_CHOICE, .offset = AT(known.hfplayer_mode), .arg = "MODE", .choices = hfplayer_mode_names, \
	 .help = "hfplayer: at the traced times, by dependencies, as fast as possible, or by " \
		 "load (default hf)"},                       \
	{.name = "hfplayer-threads", .type = OPT_UINT, .offset = AT(known.hfplayer_threads), .arg = "N", .min = 1, .max = 64,         \
	 .help = "hfplayer: number of threads that issue requests; it needs three more CPUs " \
		 "(default 1)"},                                   \
	{.name = "hfplayer-queue", .type = OPT_UINT, .offset = AT(known.hfplayer_queue), .arg = "N", .min = 1, .max = 65536,          \
	 .help = "hfplayer: largest number of requests in flight (default 8192)"}, \
	{.name = "hfplayer-bundle", .type = OPT_DURATION, .offset = AT(known.hfplayer_bundle_ns), .arg = "TIME", .min = 0, .max = 1e9, \
	 .help = "hfplayer: submit requests closer than this together, except in mode dep " \
		 "(default 0: none)"},                    \
	{.name = "artc-order", .type = OPT_CHOICE, .offset = AT(known.artc_order), .arg = "ORDER", .choices = artc_order_names,       \
	 .help = "ARTC: order of the calls (default root: its own rules)"}, \
	{.name = "artc-gaps", .type = OPT_FLAG, .offset = AT(known.artc_gaps),                                                        \
	 .help = "ARTC: keep the traced gap before each call instead of replaying at full speed"}, \
	{.name = "beefs-policy", .type = OPT_CHOICE, .offset = AT(known.beefs_policy), .arg = "POLICY", .choices = beefs_policy_names, \
	 .help = "beefs: when an event starts (default faster: when its parents have ended)"}, \
	{.name = "beefs-workers", .type = OPT_UINT, .offset = AT(known.beefs_workers), .arg = "N", .min = 0, .max = 4096,             \
	 .help = "beefs: number of threads (default 0: as many as in the trace)"}, \
	{.name = "beefs-delay", .type = OPT_DURATION, .offset = AT(known.beefs_delay_ns), .arg = "TIME", .min = 0, .max = 1e9,        \
	 .help = "beefs: add this to each delay, in whole microseconds (default 0)"}

#endif
