/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted text of blkparse. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_blkparse, .n_more = 0)
