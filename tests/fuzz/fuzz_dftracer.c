/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted traces of DFTracer. */
#include "tests/fuzz/fuzz_format.h"
FUZZ_FORMAT(format_dftracer, .n_more = 0)
