/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The headers of C that most files need. The project's headers include it, directly or through
 * another one, so sources include only what is not here. */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
