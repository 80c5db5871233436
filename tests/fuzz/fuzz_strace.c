/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted text of strace. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_strace, .n_more = 0)
