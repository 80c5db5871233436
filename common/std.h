/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers that most files need: of C and POSIX, errors, memory and strings, like git-compat-util.h
 * of git. Most headers of the project include it, so a file includes only other headers. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <time.h>

#include "common/err.h"
#include "common/strbuf.h"
