/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the kernel, FUSE and the loop device take with a request, apart from its service time. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "microbench/volume/log.h"
#include "microbench/volume/service.h"
#include "microbench/volume/volume.h"

#define N_MAX 64
#define N_MIN 4
#define BLOCK 4096
#define PATIENCE_NS 2000000000

static int ascending(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The entry of a read at `offset` among those from the n-th on; others may use the device, too. NULL when it did not come. */
static const struct volume_entry *entry_of(const struct volume_log *log, uint64_t n, uint64_t offset)
{
	int64_t give_up_ns = clock_monotonic_ns() + 100000000; /* it is written after the answer is given */
	do {
		for (; n < atomic_load(&log->head->n); n++)
			if (log->entry[n].op == SERVICE_READ && log->entry[n].offset == offset && log->entry[n].length == BLOCK)
				return &log->entry[n];
		cpu_relax();
	} while (clock_monotonic_ns() < give_up_ns);
	return NULL;
}

/* One direct read at `offset`: what it took beyond its service time. */
static int excess(int fd, char *buffer, off_t offset, const struct volume_log *log, int64_t *ns)
{
	uint64_t n = atomic_load(&log->head->n);
	int64_t begin_ns = clock_monotonic_ns();
	ssize_t got = pread(fd, buffer, BLOCK, offset);
	int64_t end_ns = clock_monotonic_ns();
	if (got != BLOCK)
		return got < 0 ? -errno : -EIO;
	const struct volume_entry *x = entry_of(log, n, (uint64_t)offset);
	if (!x)
		return -ENODATA;
	*ns = (end_ns - begin_ns) - (x->due_ns - x->arrival_ns);
	return 0;
}

static int measure(int fd, char *buffer, const struct volume_log *log, int64_t *lead_ns)
{
	int64_t sample[N_MAX], begun_ns = clock_monotonic_ns();
	int n = 0, ret = 0;
	for (; n < N_MAX && !ret && (n < N_MIN || clock_monotonic_ns() - begun_ns < PATIENCE_NS); n++)
		ret = excess(fd, buffer, (off_t)n % 16 * BLOCK, log, &sample[n]);
	if (ret)
		return ret;
	qsort(sample, (size_t)n, sizeof *sample, ascending);
	*lead_ns = sample[n / 2] > 0 ? sample[n / 2] : 0;
	return 0;
}

int volume_lead_measure(const char *path, const char *log_path, int64_t *lead_ns, struct err *e)
{
	struct volume_log log;
	int ret = volume_log_open(&log, log_path, true, e);
	if (ret)
		return ret;
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *buffer = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (fd < 0)
		ret = err_sys(e, errno, "%s", path);
	else if (buffer == MAP_FAILED)
		ret = err_sys(e, errno, "no memory for a buffer");
	else if ((ret = measure(fd, buffer, &log, lead_ns)))
		err_sys(e, -ret, "%s: cannot measure what it adds to service times", path);
	if (buffer != MAP_FAILED)
		munmap(buffer, BLOCK);
	if (fd >= 0)
		close(fd);
	if (!ret) {
		volume_log_reset(&log);
		atomic_store(&log.head->lead_ns, *lead_ns);
	}
	volume_log_close(&log);
	return ret;
}
