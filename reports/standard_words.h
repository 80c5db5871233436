/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults of the points of a measurement standard in words. */
#pragma once

#include "validate/standard/standard.h"

/* Fills in the reasons of the points that are not valid. */
void standard_word(struct standard *s);
