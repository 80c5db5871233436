/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted SNIA traces. */
#include "tests/fuzz/fuzz_format.h"
#include "capture/formats/mapping.h"
FUZZ_FORMAT(format_snia, .n_more = 0)
