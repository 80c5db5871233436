/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted Alibaba traces. */
#include "tests/fuzz/fuzz_format.h"
#include "capture/formats/mapping.h"
FUZZ_FORMAT(format_alibaba, .n_more = 0)
