/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted protocols: the result is an error that names the file, or a protocol whose resolved
 * form gives the same plan. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/files.h"
#include "validate/protocol/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_bytes(const void *data, size_t size, struct protocol *p, struct err *e)
{
	char path[64];
	int fd = memfd_create("protocol", 0);
	assert(fd >= 0 && write_all(fd, data, size) == 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int ret = protocol_read(p, path, e);
	close(fd);
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct protocol p, again;
	struct strbuf text = STRBUF_INIT;
	struct err e = ERR_INIT;
	if (read_bytes(data, size, &p, &e) < 0) {
		assert(strstr(e.msg, "/proc/self/fd/"));
		return 0;
	}
	/* a title, a name or a list may be longer than a line when it is written in full */
	protocol_print_resolved(&p, &text);
	if (read_bytes(text.s, text.len, &again, &e) < 0) {
		if (!strstr(e.msg, "bytes long")) {
			fprintf(stderr, "%s\n%s\n", e.msg, text.s);
			abort();
		}
	} else {
		assert(again.n_scenarios == p.n_scenarios && again.n_replayers == p.n_replayers);
		assert(protocol_n_runs(&again) == protocol_n_runs(&p));
		assert(again.seed == p.seed && again.timeout_ns == p.timeout_ns);
		protocol_release(&again);
	}
	protocol_release(&p);
	strbuf_release(&text);
	return 0;
}
