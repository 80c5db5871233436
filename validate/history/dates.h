/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dates of campaigns: "2026-11-22T00:45:00Z". */
#ifndef VALIDATE_HISTORY_DATES_H
#define VALIDATE_HISTORY_DATES_H

#include <stdbool.h>

/* False also if a date is NULL or malformed: the order is unknown. */
bool date_is_earlier(const char *date, const char *than);

#endif
