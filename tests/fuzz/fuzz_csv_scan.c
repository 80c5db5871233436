/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV split by this program and by libcsv: requests, names and heap items must be equal. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/csv_twice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEADER "pid,tid,begin,end,function,args,rvalue,error,seq,intended,dispatch\n"

static void try(const char *head, size_t head_len, const uint8_t *data, size_t size)
{
	char path[64];
	int fd = memfd_create("fuzz", 0);
	if (fd < 0 || write(fd, head, head_len) != (ssize_t)head_len ||
	    write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	csv_twice(path);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try("", 0, data, size);
	try(HEADER, sizeof HEADER - 1, data, size);
	return 0;
}
