/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted text of traces of parallel applications. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_parallel, .n_more = 0)
