/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted key-value traces of CacheLib. */
#include "tests/fuzz/fuzz_format.h"
#include "capture/formats/mapping.h"
FUZZ_FORMAT(format_cachelib, .n_more = 0)
