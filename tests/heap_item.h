/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Appends readable heap items of a trace to texts of tests. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "capture/trace.h"

/* As trace_heap(): borrowed, NULL if there is none. Ends the test if it cannot be read. */
static inline const void *heap_item(const struct trace *t, uint32_t ref, size_t *len)
{
	struct err e = ERR_INIT;
	const void *data;
	if (!trace_heap(t, ref, &data, len, &e))
		return data;
	fprintf(stderr, "%s\n", e.msg);
	abort();
}
