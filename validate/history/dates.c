/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/history/dates.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static bool is_date(const char *s)
{
	static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
	if (!s || strlen(s) != sizeof form - 1)
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)s[i]) : form[i] != s[i])
			return false;
	return true;
}

bool date_is_earlier(const char *date, const char *than)
{
	return is_date(date) && is_date(than) && strcmp(date, than) < 0;
}
