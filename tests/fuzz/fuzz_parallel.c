/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted text of parallel applications' traces. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_parallel, .n_more = 0)
