/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted cache traces of Twitter. */
#include "tests/fuzz/fuzz_format.h"
#include "capture/formats/mapping.h"
FUZZ_FORMAT(format_twitter, .n_more = 0)
