/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time that the kernel, FUSE and the loop device add to a request's service time. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "microbench/volume/log.h"
#include "microbench/volume/service.h"
#include "microbench/volume/volume.h"

#define N_MAX 1024
#define N_MIN 8
#define BLOCK 4096
#define PLACES 16
#define WARM_NS 50000000
#define MEASURE_NS 400000000

static int ascending(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The log entry of a read at `offset` from the n-th on; other programs may use the device too.
 * NULL: none. */
static const struct volume_entry *entry_of(const struct volume_log *log, uint64_t n,
					   uint64_t offset)
{
	for (; n < atomic_load(&log->head->n); n++)
		if (log->entry[n].op == SERVICE_READ && log->entry[n].offset == offset &&
		    log->entry[n].length == BLOCK)
			return &log->entry[n];
	return NULL;
}

/* One direct read at `offset`: the time outside the server, in both directions. */
static int way(int fd, char *buffer, off_t offset, const struct volume_log *log, int64_t *ns)
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
	*ns = (end_ns - begin_ns) - (x->end_ns - x->arrival_ns);
	return 0;
}

/* The first reads are slower and do not count. */
static int measure(int fd, char *buffer, struct volume_log *log, struct volume_lead *lead)
{
	int64_t sample[N_MAX], begun_ns = clock_monotonic_ns(), now_ns = begun_ns;
	int n = 0, i = 0, ret = 0;
	bool warm = false;
	while (n < N_MAX && !ret && (n < N_MIN || now_ns - begun_ns < MEASURE_NS)) {
		if (atomic_load(&log->head->n) == log->head->cap)
			volume_log_reset(log);
		ret = way(fd, buffer, (off_t)(i++ % PLACES) * BLOCK, log, &sample[n]);
		now_ns = clock_monotonic_ns();
		n += warm && !ret;
		if (!warm && !ret && now_ns - begun_ns >= WARM_NS) {
			warm = true;
			begun_ns = now_ns;
		}
	}
	if (ret)
		return ret;
	qsort(sample, (size_t)n, sizeof *sample, ascending);
	int64_t low = sample[n / 4], high = sample[n - 1 - n / 4];
	/* longer times are due to other work */
	int64_t most = 2 * sample[n / 20], ns = low < most ? low : most;
	*lead = (struct volume_lead){.ns = ns > 0 ? ns : 0, .low_ns = low, .high_ns = high};
	return 0;
}

int volume_lead_measure(const char *path, const char *log_path, struct volume_lead *lead,
			struct err *e)
{
	struct volume_log log;
	int ret = volume_log_open(&log, log_path, true, e);
	if (ret)
		return ret;
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *buffer = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (fd < 0)
		ret = err_sys(e, errno, "%s", path);
	else if (buffer == MAP_FAILED)
		ret = err_sys(e, errno, "no memory for a buffer");
	else if ((ret = measure(fd, buffer, &log, lead)))
		err_sys(e, -ret, "%s: cannot measure its overhead on service times", path);
	if (buffer != MAP_FAILED)
		munmap(buffer, BLOCK);
	if (fd >= 0)
		close(fd);
	if (!ret) {
		volume_log_reset(&log);
		atomic_store(&log.head->lead_ns, lead->ns);
		/* random service times must not depend on the number of these reads */
		atomic_fetch_add(&log.head->n_restarts, 1);
	}
	volume_log_close(&log);
	return ret;
}
