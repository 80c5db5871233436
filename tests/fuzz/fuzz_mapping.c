/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted mapping files, and text read by them: the input is the mapping, a NUL, the text. */
#include "capture/formats/mapping.h"
#include "tests/fuzz/fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	struct mapping m;
	struct err e = ERR_INIT;
	if (!nul || nul - data > 100000)
		return 0;
	int rc = mapping_parse(&m, "mapping", (const char *)data, &e);
	assert(!rc || e.msg[0]);
	size_t len = size - (size_t)(nul + 1 - data);
	if (!rc)
		mapping_bid(&m, nul + 1, len < FORMAT_HEAD_BYTES ? len : FORMAT_HEAD_BYTES);
	mapping_release(&m);
	if (rc)
		return 0;
	char path[64];
	int fd = memfd_create("mapping", 0);
	if (fd < 0 || write(fd, data, (size_t)(nul - data)) != nul - data)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	/* its own bid asks nothing of the head */
	fuzz_format(&format_mapping, nul + 1, len, (struct trace_open_options){.mapping = path});
	close(fd);
	return 0;
}
