/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any replayer, described by options alone. */
#include <errno.h>
#include <stddef.h>

#include "replay/adapters/adapter.h"
#include "replay/engines/engine.h"

static const struct adapter adapter_exec = {
	.name = "exec",
	.times = ADAPTER_SELF | ADAPTER_PRELOAD | ADAPTER_BLOCK,
	.usual = ADAPTER_PRELOAD,
	.timed = true,
};

ADAPTER_ENGINE(exec, "any other replayer: --export, --command and --times say how it is used");
