/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DFTracer's traces from strangers. */
#include "tests/fuzz/fuzz_format.h"
FUZZ_FORMAT(format_dftracer, .n_more = 0)
