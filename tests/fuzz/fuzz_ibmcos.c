/* SPDX-License-Identifier: GPL-3.0-or-later */
/* IBM's object store traces from strangers. */
#include "tests/fuzz/fuzz_format.h"
#include "capture/formats/mapping.h"
FUZZ_FORMAT(format_ibmcos, .n_more = 0)
