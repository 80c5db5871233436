/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted lines of perf trace. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_perf_trace, .n_more = 0)
