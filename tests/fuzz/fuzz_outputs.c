/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output of replayers of other projects, with any bytes; the first byte chooses the replayer.
 * Reading ends, accepted requests are complete, and errors have a message. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/op.h"
#include "replay/engines/adapters/outputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take(void *ctx, const struct adapter_request *q, struct err *e)
{
	uint64_t *n = ctx;
	(void)e;
	assert(q->op == OP_INVALID || op_name(q->op));
	assert(q->begin_ns != TIME_NONE);
	++*n;
	return 0;
}

static char prefix[4000]; /* of this process' files */

static void prefix_make(void)
{
	const char *tmp = getenv("TMPDIR");
	if (!*prefix)
		snprintf(prefix, sizeof prefix, "%s/out-%d", tmp ? tmp : "/tmp", (int)getpid());
}

static void file_make(const char *suffix, const uint8_t *data, size_t size)
{
	char path[4100];
	snprintf(path, sizeof path, "%s%s", prefix, suffix);
	FILE *f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

/* fio has two files: the second begins after the first byte 1. */
static int fio_read(const uint8_t *data, size_t size, const struct request_taker *t, struct err *e)
{
	const uint8_t *second = memchr(data, 1, size);
	size_t first = second ? (size_t)(second - data) : size;
	file_make("_lat.1.log", data, first);
	file_make("_slat.1.log", second ? second + 1 : data, second ? size - first - 1 : 0);
	return fio_logs_read(prefix, t, e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int (*const readers[])(const char *, const struct request_taker *, struct err *) = {
	    blkreplay_output_read, artc_output_read, beefs_output_read};
	struct err e = ERR_INIT;
	uint64_t n = 0;
	const struct request_taker taker = {take, &n};
	if (!size)
		return 0;
	prefix_make();
	int ret;
	if (data[0] % 4 == 3) {
		ret = fio_read(data + 1, size - 1, &taker, &e);
	} else {
		file_make("", data + 1, size - 1);
		ret = readers[data[0] % 4](prefix, &taker, &e);
	}
	assert(!ret || e.msg[0]);
	char *text = strndup((const char *)data, size);
	const char *end;
	int64_t value;
	if (!adapter_number(text, data[0] % 10, &value, &end, &e))
		assert(end > text && end <= text + strlen(text));
	free(text);
	return 0;
}
