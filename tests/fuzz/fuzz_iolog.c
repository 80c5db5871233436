/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio's iologs from strangers. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_iolog, .wait_unit_ns = 1000)
