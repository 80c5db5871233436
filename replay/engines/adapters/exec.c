/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any replayer that is described by options only. */
#include "replay/engines/adapters/adapter.h"

static const char *const takes[] = {"export", "workers", "speed", "full-speed", "read-only", NULL};

static const struct adapter adapter_exec = {
	.name = "exec",
	.format = "csv",
	.suffix = "",
	.times = ADAPTER_SELF | ADAPTER_PRELOAD | ADAPTER_BLOCK,
	.usual = ADAPTER_PRELOAD,
	.timed = true,
	.takes = takes,
};

ADAPTER_ENGINE(exec, 0,
	       "any other replayer; --command starts it, --export and --times describe its "
	       "input and its output");
