/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted Darshan DXT. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_dxt, .n_more = 0)
