/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted object store traces of IBM. */
#include "tests/fuzz/fuzz_format.h"
#include "capture/formats/mapping.h"
FUZZ_FORMAT(format_ibmcos, .n_more = 0)
