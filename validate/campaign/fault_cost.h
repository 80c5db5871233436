/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page fault costs on this machine, so that faults that were counted can be weighed. */
#ifndef VALIDATE_FAULT_COST_H
#define VALIDATE_FAULT_COST_H

/* Time of a minor fault of anonymous memory in pages of the usual size, ns: the median over several regions of the first touch of
 * their pages less a second one. Takes some milliseconds. NaN where there is no memory for it. */
double fault_cost_ns(void);

#endif
