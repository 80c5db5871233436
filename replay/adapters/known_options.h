/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the replayers whose adapters come with the program: each name begins with the adapter's. What they mean to the replayer is
 * in doc/adapters.md. */
#ifndef REPLAY_KNOWN_OPTIONS_H
#define REPLAY_KNOWN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

extern const char *const fio_ioengine_names[];	     /* NULL-terminated, as --help lists them; the others alike */
extern const char *const fio_direct_names[];
extern const char *const blkreplay_conflicts_names[]; /* enum in blkreplay.c */
extern const char *const hfplayer_mode_names[];
extern const char *const artc_order_names[];
extern const char *const beefs_policy_names[];

struct known_options {
	int fio_ioengine;
	uint64_t fio_iodepth; /* 0: as many as the trace has in flight */
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

/* Designated initialisers: what each replayer does by itself, where it does something by itself. */
#define KNOWN_OPTIONS_STANDARD                                                                                                  \
	{.btreplay_bunch_ns = 10000000, .btreplay_bunch_max = 8, .btreplay_streams = 1, .blkreplay_threads = 64,                \
	 .hfplayer_threads = 1, .hfplayer_queue = 8192}

/* Rows of an option table; AT(FIELD) is the offset of a field of the struct adapter_options. */
#define KNOWN_OPTION_ROWS(AT)                                                                                                   \
	{.name = "fio-ioengine", .type = OPT_CHOICE, .offset = AT(known.fio_ioengine), .arg = "NAME", .choices = fio_ioengine_names,  \
	 .help = "fio: how it makes requests (psync)"},                                                                         \
	{.name = "fio-iodepth", .type = OPT_UINT, .offset = AT(known.fio_iodepth), .arg = "N", .min = 0, .max = 65536,                \
	 .help = "fio: requests in flight at most, of libaio and io_uring (0: as many as the trace has)"},                      \
	{.name = "fio-direct", .type = OPT_CHOICE, .offset = AT(known.fio_direct), .arg = "WHEN", .choices = fio_direct_names,        \
	 .help = "fio: past the page cache (auto: on a device)"},                                                               \
	{.name = "fio-no-stall", .type = OPT_FLAG, .offset = AT(known.fio_no_stall),                                                  \
	 .help = "fio: as fast as it can, and not at the traced times"},                                                        \
	{.name = "btreplay-bunch", .type = OPT_DURATION, .offset = AT(known.btreplay_bunch_ns), .arg = "TIME", .min = 0, .max = 1e12, \
	 .help = "btreplay: requests so close to the first of a bunch are in it, and start with it; 0: each alone (10ms)"},     \
	{.name = "btreplay-bunch-max", .type = OPT_UINT, .offset = AT(known.btreplay_bunch_max), .arg = "N", .min = 1, .max = 512,    \
	 .help = "btreplay: requests of a bunch at most (8)"},                                                                  \
	{.name = "btreplay-streams", .type = OPT_UINT, .offset = AT(known.btreplay_streams), .arg = "N", .min = 1, .max = 1024,       \
	 .help = "btreplay: streams, each on a processor of its own; the traced threads take turns (1)"},                       \
	{.name = "blkreplay-threads", .type = OPT_UINT, .offset = AT(known.blkreplay_threads), .arg = "N", .min = 1, .max = 32768,    \
	 .help = "blkreplay: processes that make requests (64)"},                                                               \
	{.name = "blkreplay-conflicts", .type = OPT_CHOICE, .offset = AT(known.blkreplay_conflicts), .arg = "HOW",                    \
	 .choices = blkreplay_conflicts_names,                                                                                  \
	 .help = "blkreplay: requests whose blocks overlap (partial: pushed back, its own default)"},                           \
	{.name = "hfplayer-mode", .type = OPT_CHOICE, .offset = AT(known.hfplayer_mode), .arg = "MODE", .choices = hfplayer_mode_names, \
	 .help = "hfplayer: at the traced times, by dependencies, as fast as possible, or by load (hf)"},                       \
	{.name = "hfplayer-threads", .type = OPT_UINT, .offset = AT(known.hfplayer_threads), .arg = "N", .min = 1, .max = 64,         \
	 .help = "hfplayer: threads that make requests; it needs three processors more (1)"},                                   \
	{.name = "hfplayer-queue", .type = OPT_UINT, .offset = AT(known.hfplayer_queue), .arg = "N", .min = 1, .max = 65536,          \
	 .help = "hfplayer: requests in flight at most (8192)"},                                                                \
	{.name = "hfplayer-bundle", .type = OPT_DURATION, .offset = AT(known.hfplayer_bundle_ns), .arg = "TIME", .min = 0, .max = 1e9, \
	 .help = "hfplayer: requests closer than this are handed over together, not in mode dep (0: none)"},                    \
	{.name = "artc-order", .type = OPT_CHOICE, .offset = AT(known.artc_order), .arg = "ORDER", .choices = artc_order_names,       \
	 .help = "ARTC: what a call waits for (root: its own rules)"},                                                          \
	{.name = "artc-gaps", .type = OPT_FLAG, .offset = AT(known.artc_gaps),                                                        \
	 .help = "ARTC: with the traced gaps before each call, and not as fast as possible"},                                   \
	{.name = "beefs-policy", .type = OPT_CHOICE, .offset = AT(known.beefs_policy), .arg = "POLICY", .choices = beefs_policy_names, \
	 .help = "beefs: when an event starts (faster: when its parents are done)"},                                            \
	{.name = "beefs-workers", .type = OPT_UINT, .offset = AT(known.beefs_workers), .arg = "N", .min = 0, .max = 4096,             \
	 .help = "beefs: threads that make the calls (0: as many as the trace has)"},                                           \
	{.name = "beefs-delay", .type = OPT_DURATION, .offset = AT(known.beefs_delay_ns), .arg = "TIME", .min = 0, .max = 1e9,        \
	 .help = "beefs: added to each delay, whole us (0)"}

#endif
