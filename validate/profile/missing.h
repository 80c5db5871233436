/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reasons why the content of a trace is incomplete, although its file may be complete. */
#pragma once

#include "validate/profile/tally.h"

/* The i-th reason, as text that follows "the trace is incomplete: "; NULL after the last. `buf`
 * receives the text. Reasons: made of a trace without an end; lost events; programs or rings that
 * capture could not see; asynchronous requests of which only the submitting call is known; an
 * interrupted capture; lines that an import left out; the unseen_facts (capture/unseen.h). */
const char *missing_reason(const struct tally *s, const struct trace_meta *meta, unsigned int i,
			   char *buf, size_t size);

/* The i-th fact of a kind other than UNSEEN_REQUESTS; NULL after the last. */
const char *unknown_reason(const struct trace_meta *meta, enum unseen_kind kind, unsigned int i,
			   char *buf, size_t size);
