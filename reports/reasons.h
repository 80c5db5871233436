/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reasons of decisions and verdicts in words, the same in every form. */
#pragma once

#include "validate/analysis/analysis.h"

/* Words the reasons of all components and verdicts, in their members `reason` and
 * `verdict_reason`. */
void analysis_word(struct analysis *a);
