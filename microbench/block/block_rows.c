/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/block/block_load.h"
#include "microbench/workloads.h"

static const char *const own_options[] = {"queue-depth", "rate",       "arrivals", "burst", "sizes",
					  "span",        "read-share", "backend",  NULL};

static const struct workload_default defaults[] = {
    {"queue-depth", "32"}, {"burst", "1"}, {"read-share", "1"}, {"backend", "auto"}, {NULL, NULL},
};

const struct workload workload_block_random = {
	.name = "block-random", .alias = "br",
	.help = "random requests on a device, many in flight per thread (--device)", .op = OP_PREAD,
	.defaults = defaults, .own_options = own_options, .loop = block_loop, .block = true,
};

const struct workload workload_block_sequential = {
	.name = "block-sequential", .alias = "bs",
	.help = "sequential requests on a device, each thread in its own part (--device)",
	.op = OP_PREAD, .sequential = true, .defaults = defaults, .own_options = own_options,
	.loop = block_loop, .block = true,
};
