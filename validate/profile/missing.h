/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a trace is incomplete, although its file may be whole. */
#ifndef VALIDATE_PROFILE_MISSING_H
#define VALIDATE_PROFILE_MISSING_H

#include "validate/profile/tally.h"

/* The i-th reason, in words that follow "the trace is incomplete: ". NULL when there are no more.
 * `buf` takes the text. Reasons: it was made of a trace without an end, lost events, programs or
 * rings that capture could not look into, asynchronous requests that only the call shows which
 * handed them over, an interrupted capture. */
const char *missing_reason(const struct tally *s, const struct trace_meta *meta, unsigned int i,
			   char *buf, size_t size);

#endif
