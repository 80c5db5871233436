/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted MSR Cambridge traces. */
#include "tests/fuzz/fuzz_format.h"
#include "capture/formats/mapping.h"
FUZZ_FORMAT(format_msr, .n_more = 0)
