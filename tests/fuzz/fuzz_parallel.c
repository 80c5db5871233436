/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of parallel applications' traces from strangers. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_parallel, .n_more = 0)
