/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted oracleGeneral traces. */
#include "tests/fuzz/fuzz_format.h"

FUZZ_FORMAT(format_oraclegeneral, .as = "read")
