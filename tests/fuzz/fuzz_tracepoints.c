/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted text of kernel tracepoints. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_tracepoints, .n_more = 0)
