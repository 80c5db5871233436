/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Twitter's cache traces from strangers. */
#include "tests/fuzz/fuzz_format.h"
#include "capture/formats/mapping.h"
FUZZ_FORMAT(format_twitter, .n_more = 0)
