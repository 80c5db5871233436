/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's tracepoints as text from strangers. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_tracepoints, .n_more = 0)
