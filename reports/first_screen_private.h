/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the first screen share. */
#ifndef REPORTS_FIRST_SCREEN_PRIVATE_H
#define REPORTS_FIRST_SCREEN_PRIVATE_H

#include "validate/analysis/analysis.h"

/* No component of the undecided case is undecided: the verdict's reason says what forbids trust. */
bool first_screen_is_barred(const struct cell *c);

#endif
