/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/count_line.h"

#include <inttypes.h>
#include <stdio.h>

void count_line(const char *label, uint64_t n, const char *one, const char *more)
{
	if (n)
		printf("%-14s%" PRIu64 " %s\n", label, n, n == 1 ? one : more);
}
