/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/volume/log.h"

#include <sys/mman.h>

#include "capture/trace.h"
#include "common/sort.h"
#include "common/unnamed_file.h"
#include "microbench/volume/service.h"

#define MAGIC "VALVLOG2"
#define HEAD_BYTES 4096

static int log_map(struct volume_log *l, int fd, size_t n_bytes, int protection, const char *path,
		   struct err *e)
{
	void *base = mmap(NULL, n_bytes, protection, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return err_sys(e, errno, "%s: cannot map the log", path);
	*l = (struct volume_log){base, (struct volume_entry *)((char *)base + HEAD_BYTES), n_bytes};
	return 0;
}

int volume_log_create(struct volume_log *l, const char *path, uint64_t cap, struct err *e)
{
	*l = (struct volume_log){0};
	size_t n_bytes = HEAD_BYTES + cap * sizeof(struct volume_entry);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, errno, "cannot create %s", path);
	/* reserve space: a full file system must not kill the server with SIGBUS */
	int code = -file_reserve(fd, n_bytes);
	int ret = code ? err_sys(e, code, "%s: not enough space for a log of %llu requests", path,
				 (unsigned long long)cap)
		       : log_map(l, fd, n_bytes, PROT_READ | PROT_WRITE, path, e);
	close(fd);
	if (!ret) {
		memcpy(l->head->magic, MAGIC, sizeof l->head->magic);
		l->head->cap = cap;
	}
	return ret;
}

int volume_log_open(struct volume_log *l, const char *path, bool write, struct err *e)
{
	*l = (struct volume_log){0};
	int fd = open(path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return err_sys(e, errno, "cannot open %s", path);
	struct stat st;
	int ret = fstat(fd, &st) < 0 ? err_sys(e, errno, "cannot examine %s", path) : 0;
	if (!ret && (!S_ISREG(st.st_mode) || st.st_size < HEAD_BYTES))
		ret = err_set(e, EILSEQ, "%s is not a log of a volume", path);
	if (!ret)
		ret = log_map(l, fd, (size_t)st.st_size, write ? PROT_READ | PROT_WRITE : PROT_READ,
			      path, e);
	close(fd);
	if (ret)
		return ret;
	uint64_t room = (l->n_bytes - HEAD_BYTES) / sizeof(struct volume_entry);
	if (memcmp(l->head->magic, MAGIC, sizeof l->head->magic) || l->head->cap > room ||
	    l->head->n > l->head->cap) {
		volume_log_close(l);
		return err_set(e, EILSEQ, "%s is not a log of a volume", path);
	}
	return 0;
}

void volume_log_close(struct volume_log *l)
{
	if (l->head)
		munmap(l->head, l->n_bytes);
	*l = (struct volume_log){0};
}

void volume_log_add(struct volume_log *l, const struct volume_entry *x)
{
	uint64_t n = atomic_load_explicit(&l->head->n, memory_order_relaxed);
	if (n >= l->head->cap) {
		atomic_fetch_add_explicit(&l->head->n_lost, 1, memory_order_relaxed);
		return;
	}
	l->entry[n] = *x;
	atomic_store_explicit(&l->head->n, n + 1, memory_order_release);
}

void volume_log_reset(struct volume_log *l)
{
	atomic_store(&l->head->n, 0);
	atomic_store(&l->head->n_lost, 0);
}

/* --- the log as a trace ------------------------------------------------- */

static struct trace_record record_of(const struct volume_entry *x, uint64_t seq, int64_t epoch_ns,
				     uint32_t object)
{
	static const uint16_t ops[] = {
	    [SERVICE_READ] = OP_PREAD, [SERVICE_WRITE] = OP_PWRITE, [SERVICE_FLUSH] = OP_FDATASYNC};
	return (struct trace_record){
		.seq = seq, .begin_ns = x->arrival_ns - epoch_ns,
		.dispatch_ns = x->start_ns - epoch_ns, .intended_ns = TIME_NONE,
		.end_ns = x->end_ns - epoch_ns,
		.offset = x->op == SERVICE_FLUSH ? OFFSET_NONE : x->offset, .length = x->length,
		.rvalue = x->error ? -1 : (int64_t)x->length, .error = x->error, .object = object,
		.fd = -1, .heap = HEAP_NONE,
		.op = ops[x->op <= SERVICE_FLUSH ? x->op : SERVICE_FLUSH],
	};
}

ORDER_BY(by_arrival, struct volume_entry, arrival_ns)

static int records_write(struct trace_writer *w, const struct volume_entry *entry, uint64_t n,
			 uint32_t object, struct err *e)
{
	struct trace_record batch[256];
	int ret = 0;
	for (uint64_t i = 0; i < n && !ret;) {
		size_t k = 0;
		for (; k < 256 && i < n; k++, i++)
			batch[k] = record_of(&entry[i], i, entry[0].arrival_ns, object);
		ret = trace_writer_append(w, batch, k, e);
	}
	return ret;
}

int volume_log_trace(const struct volume_log *l, const char *name, const char *service,
		     const char *path, struct err *e)
{
	uint64_t n = atomic_load_explicit(&l->head->n, memory_order_acquire);
	SCOPED_FREE struct volume_entry *sorted = malloc((n ? n : 1) * sizeof *sorted);
	if (!sorted)
		return err_set(e, ENOMEM, "not enough memory to sort %llu requests",
			       (unsigned long long)n);
	memcpy(sorted, l->entry, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_arrival);
	SCOPED_FREE char *command = xasprintf("validate volume, %s", service);
	const struct trace_meta meta = {.level = LEVEL_BLOCK,
					.epoch_ns = n ? sorted[0].arrival_ns : 0,
					.clock = "monotonic", .clock_resolution_ns = 1,
					.command = command, .captured_by = "volume",
					.n_events_lost = l->head->n_lost};
	struct trace_writer *w;
	uint32_t object;
	int ret = trace_writer_open(&w, path, &meta, &(struct trace_write_options){0}, e);
	if (ret)
		return ret;
	ret = trace_writer_object(w, OBJECT_DEVICE, name, &object, e);
	ret = ret ? ret : records_write(w, sorted, n, object, e);
	return trace_writer_end(w, ret, e);
}
