/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted iologs of fio. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_iolog, .wait_unit_ns = 1000)
