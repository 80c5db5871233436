/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of any bytes: the first byte chooses the options. Accepted columns have only finite
 * numbers. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "validate/columns/columns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const selectors[] = {NULL, "1", "2", "us", "a", "18446744073709551616"};
	struct columns c;
	struct err e = ERR_INIT;
	if (size == 0)
		return 0;
	struct column_choice choice[2] = {{selectors[data[0] % 6], data[0] & 0x40, NULL, false},
					  {selectors[data[0] / 6 % 6], true, data[0] & 4 ? "a" : NULL, data[0] & 8}};
	size_t n_choices = 1 + (data[0] & 0x80) / 0x80;
	enum columns_header header = (enum columns_header)(data[0] / 16 % 3);
	/* a copy of exactly this size, so that a read beyond its end is detected */
	char *text = malloc(size);
	assert(text);
	for (size_t i = 0; i + 1 < size; i++)
		text[i] = (char)data[i + 1];
	if (!columns_parse(&c, "fuzz", text, size - 1, choice, n_choices, header, &e)) {
		for (size_t i = 0; i < c.n_columns; i++)
			for (size_t j = 0; c.column[i].x && j < c.n; j++)
				assert(isfinite(c.column[i].x[j]));
		assert(c.n > 0);
		columns_release(&c);
	} else {
		assert(e.msg[0]);
	}
	free(text);
	return 0;
}
