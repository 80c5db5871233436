/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strace's text from strangers. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_strace, .n_more = 0)
