/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted binary files of blktrace. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_blktrace, .n_more = 0)
