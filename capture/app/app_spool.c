/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies records from the windows of the traced processes into one spool file. The mapped memory is
 * untrusted and changes while it is read. So each number is copied once, and the copy is
 * checked. */
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include "capture/app/app_private.h"
#include "common/files.h"
#include "common/process_memory.h"
#include "common/unnamed_file.h"

/* `memory`: available bytes. Limit of the windows: an eighth of it, because windows are charged to
 * the program's cgroup, which is mostly also that of this process. */
static int control_make(struct spool *s, const struct clock *clock, uint32_t flags,
			uint64_t memory, struct err *e)
{
	int fd = openat(s->dir_fd, "control", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	/* allocate the page now: a page without room would raise SIGBUS later, also in the
	 * programs */
	int code = fd < 0 ? errno : -file_reserve(fd, sizeof *s->control);
	if (code) {
		int ret = err_sys(e, code, "cannot create %s/control (choose another directory "
					"with --scratch)", s->dir);
		fd_close(fd);
		return ret;
	}
	void *at = mmap(NULL, sizeof *s->control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return err_sys(e, errno, "cannot map %s/control", s->dir);
	s->control = at;
	s->control->clock_source = clock->source;
	s->control->flags = flags;
	s->control->windows_max = memory / 8 / LOG_WINDOW;
	struct stat ns;
	s->control->pid_namespace = stat("/proc/self/ns/pid", &ns) ? 0 : ns.st_ino;
	s->control->magic = LOG_MAGIC;
	return 0;
}

/* At most 64 MiB, 1/64 of the available `memory`, and a quarter of the free scratch space. */
static uint32_t put_off_max(int dir_fd, uint64_t memory)
{
	const uint64_t most = UINT64_C(64) << 20;
	struct statvfs v;
	uint64_t room = fstatvfs(dir_fd, &v) ? 0 : (uint64_t)v.f_bavail * v.f_frsize / 4;
	uint64_t bytes = memory / 64 < room ? memory / 64 : room;
	return (uint32_t)((bytes < most ? bytes : most) / LOG_WINDOW);
}

int spool_open(struct spool *s, const char *scratch, const char *near, const struct clock *clock,
	       uint32_t flags, struct err *e)
{
	*s = (struct spool){.dir_fd = -1, .fd = -1};
	const uint64_t memory = memory_available_bytes();
	int ret = app_scratch_make(scratch, &s->dir, &s->dir_fd, e);
	ret = ret ? ret : control_make(s, clock, flags, memory, e);
	if (!ret && (s->fd = unnamed_file_beside(near, e)) < 0)
		ret = s->fd;
	s->buffer = xmalloc(LOG_WINDOW);
	s->n_put_off_max = ret ? 0 : put_off_max(s->dir_fd, memory);
	if (ret)
		spool_close(s);
	return ret;
}

static void image_unmap(struct spool *s, struct spool_image *i)
{
	if (i->base) {
		munmap(i->base, (size_t)i->n_max * LOG_WINDOW);
		unlinkat(s->dir_fd, i->name, 0);
		i->base = NULL;
	}
}

void spool_close(struct spool *s)
{
	if (s->control) {
		atomic_store(&s->control->closed, 1);
		munmap(s->control, sizeof *s->control);
	}
	for (size_t i = 0; i < s->n_images; i++) {
		image_unmap(s, &s->image[i]);
		free(s->image[i].name);
	}
	fd_close(s->dir_fd);
	fd_close(s->fd);
	if (s->dir)
		dir_remove_tree(s->dir, NULL);
	FREE_EACH(s->dir, s->image, s->window, s->buffer, s->namespace);
	*s = (struct spool){.dir_fd = -1, .fd = -1};
}

/* --- process images ------------------------------------------------------ */

static bool image_known(const struct spool *s, const struct stat *st)
{
	for (size_t i = s->n_images; i-- > 0;)
		if (s->image[i].base && s->image[i].inode == st->st_ino &&
		    s->image[i].device == st->st_dev)
			return true;
	return false;
}

static uint32_t pid_base_of(struct spool *s, const struct log_file *f)
{
	size_t i = 0;
	if (!f->elsewhere)
		return 0;
	while (i < s->n_namespaces && s->namespace[i] != f->pid_namespace)
		i++;
	if (i == s->n_namespaces) {
		GROW(s->namespace, s->n_namespaces, s->namespaces_cap);
		s->namespace[s->n_namespaces++] = f->pid_namespace;
	}
	return PID_BASE * (uint32_t)(i % PID_NAMESPACES_MAX + 1);
}

/* Adds the file of an image. Skips an incomplete file, because its process may have been killed
 * while creating it. A file that cannot be opened or mapped is counted, and tried again at the next
 * scan. */
static void image_add(struct spool *s, const char *name)
{
	struct stat st;
	int fd = openat(s->dir_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0) {
		s->n_unmapped += errno != ENOENT;
		return;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < 2 * LOG_WINDOW ||
	    st.st_size % LOG_WINDOW || image_known(s, &st)) {
		close(fd);
		return;
	}
	void *at = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED) {
		s->n_unmapped++;
		return;
	}
	const struct log_file *f = at;
	uint32_t n_max = (uint32_t)(st.st_size / LOG_WINDOW);
	if (__atomic_load_n(&f->magic, __ATOMIC_ACQUIRE) != LOG_MAGIC || f->n_max != n_max) {
		munmap(at, (size_t)st.st_size);
		return;
	}
	const uint32_t pid_base = pid_base_of(s, f);
	GROW(s->image, s->n_images, s->images_cap);
	s->image[s->n_images++] = (struct spool_image){.name = xstrdup(name),
						       .start = f->start,
						       .pid = f->pid + pid_base,
						       .pid_base = pid_base,
						       .n_max = n_max,
						       .base = at,
						       .device = st.st_dev,
						       .inode = st.st_ino};
}

static void images_find(struct spool *s)
{
	int fd = openat(s->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	s->n_unmapped = !d;
	if (!d && fd >= 0)
		close(fd);
	for (struct dirent *x; d && (x = readdir(d));)
		if (x->d_name[0] >= '0' && x->d_name[0] <= '9')
			image_add(s, x->d_name);
	if (d)
		closedir(d);
}

static bool thread_is_gone(uint32_t pid, uint32_t tid)
{
	return syscall(SYS_tgkill, pid, tid, 0) < 0 && errno == ESRCH;
}

/* Whether the image is in another PID namespace. Its number cannot be checked here, so it ends with
 * the capture. */
static bool is_elsewhere(const struct spool_image *i)
{
	return ((const struct log_file *)i->base)->elsewhere;
}

/* --- windows ------------------------------------------------------------- */

static bool is_committed(const char *unit, uint32_t generation)
{
	return atomic_load_explicit(&((const struct log_record *)(const void *)unit)->commit,
				    memory_order_acquire) == generation;
}

/* Number of units, counted from `unit`, that complete records fill. */
static uint32_t units_committed(const char *unit, uint32_t n_units, uint32_t generation)
{
	uint32_t i = 0;
	while (i < n_units && is_committed(unit + (size_t)i * LOG_UNIT, generation)) {
		uint32_t n = log_units(unit + (size_t)i * LOG_UNIT, n_units - i);
		i += n ? n : 1;
	}
	return i;
}

/* Copies the complete records in n_units units from `unit` on to s->buffer. Some of the records are
 * not committed. */
static uint32_t window_gather(struct spool *s, const char *unit, uint32_t n_units,
			      uint32_t generation, bool was_full)
{
	uint32_t kept = 0;
	bool torn = false;
	for (uint32_t i = 0; i < n_units;) {
		const char *at = unit + (size_t)i * LOG_UNIT;
		uint32_t n = units_committed(at, n_units - i, generation);
		memcpy(s->buffer + (size_t)kept * LOG_UNIT, at, (size_t)n * LOG_UNIT);
		/* in a window that was never full, the units after the last record are empty or
		 * have old data */
		s->n_torn += was_full && !n && !torn;
		torn = !n;
		kept += n;
		i += n ? n : 1;
	}
	return kept;
}

static int window_spool(struct spool *s, uint32_t image, const struct log_window *w,
			const char *from, uint32_t n_units, struct err *e)
{
	size_t len = (size_t)n_units * LOG_UNIT;
	if (file_write_at(s->fd, from, len, s->end, e))
		return err_context(e, "cannot store requests in the directory of the trace "
				      "(choose another directory with -o)");
	GROW(s->window, s->n_windows, s->windows_cap);
	s->window[s->n_windows++] = (struct spool_window){.at = s->end,
							  .sequence = w->sequence,
							  .n_units = n_units,
							  .image = image,
							  .pid = spool_pid(s, image, w->pid),
							  .tid = spool_pid(s, image, w->tid),
							  .cpus_known = w->cpus_known};
	memcpy(s->window[s->n_windows - 1].cpus, w->cpus, sizeof w->cpus);
	s->end += len;
	return 0;
}

/* `last`: the process has ended. */
static int window_drain(struct spool *s, uint32_t image, char *base, bool last, struct err *e)
{
	struct log_window *w = (struct log_window *)base;
	uint64_t use = atomic_load_explicit(&w->use, memory_order_acquire);
	enum log_window_state state = log_state(use);
	bool ended = last || state == WINDOW_ORPHAN || (state == WINDOW_ACTIVE &&
		!is_elsewhere(&s->image[image]) && thread_is_gone(w->pid, w->tid));
	if (state != WINDOW_FULL && !(ended && (state == WINDOW_ACTIVE || state == WINDOW_ORPHAN)))
		return 0;
	uint32_t end = state == WINDOW_FULL ? w->used / LOG_UNIT : LOG_UNITS,
		 generation = (uint32_t)(use >> 32);
	uint32_t n_units =
	    (end < LOG_UNITS ? end : LOG_UNITS) - (end < LOG_FIRST_UNIT ? end : LOG_FIRST_UNIT);
	const char *from = base + LOG_FIRST_UNIT * LOG_UNIT;
	uint32_t kept = units_committed(from, n_units, generation);
	if (kept < n_units && !ended) /* a record is still being written */
		return 0;
	if (kept < n_units) {
		kept = window_gather(s, from, n_units, generation, state == WINDOW_FULL);
		from = (const char *)s->buffer;
	}
	int ret = kept ? window_spool(s, image, w, from, kept, e) : 0;
	if (!ret)
		atomic_store_explicit(&w->use, log_use(generation, WINDOW_FREE),
				      memory_order_release);
	return ret;
}

/* The number of full windows of an image. */
static uint32_t image_n_full(const struct spool_image *i, uint32_t n)
{
	uint32_t n_full = 0;
	for (uint32_t k = 1; k < n; k++) {
		const struct log_window *w =
		    (const struct log_window *)(const void *)(i->base + (size_t)k * LOG_WINDOW);
		n_full +=
		    log_state(atomic_load_explicit(&w->use, memory_order_relaxed)) == WINDOW_FULL;
	}
	return n_full;
}

/* Whether the image's full windows may wait: within `left`, which counts for all images together,
 * and at most half of the image's windows. */
static bool image_may_wait(const struct spool_image *i, uint32_t n, uint32_t *left)
{
	uint32_t most = *left < i->n_max / 2 ? *left : i->n_max / 2, n_full = image_n_full(i, n);
	if (n_full > most)
		return false;
	*left -= n_full;
	return true;
}

static int windows_drain(struct spool *s, uint32_t image, uint32_t n, bool ended, struct err *e)
{
	struct spool_image *i = &s->image[image];
	struct log_file *f = (struct log_file *)i->base;
	size_t before = s->n_windows;
	int ret = 0;
	for (uint32_t k = 1; k < n && !ret; k++) {
		ret = window_drain(s, image, i->base + (size_t)k * LOG_WINDOW, ended, e);
		/* the first windows are reused while they are in a cache */
		if (s->n_windows > before) {
			atomic_store_explicit(&f->hint, k - 1, memory_order_relaxed);
			before = SIZE_MAX;
		}
	}
	return ret;
}

static int image_drain(struct spool *s, uint32_t image, enum spool_when when, uint32_t *left,
		       struct err *e)
{
	struct spool_image *i = &s->image[image];
	/* checked first: afterwards, all records from before the end of the process are visible */
	bool ended = when == SPOOL_LAST ||
		     (!is_elsewhere(i) && kill((pid_t)i->pid, 0) < 0 && errno == ESRCH);
	uint32_t n = atomic_load_explicit(&((struct log_file *)i->base)->n, memory_order_acquire);
	n = n < i->n_max ? n : i->n_max;
	if (when == SPOOL_BUSY && !ended && image_may_wait(i, n, left))
		return 0;
	int ret = windows_drain(s, image, n, ended, e);
	if (!ret && ended)
		image_unmap(s, i);
	return ret;
}

int spool_drain(struct spool *s, enum spool_when when, struct err *e)
{
	int ret = 0;
	uint32_t left = s->n_put_off_max;
	if (atomic_exchange_explicit(&s->control->wanted, 0, memory_order_relaxed) &&
	    when == SPOOL_BUSY)
		when = SPOOL_NOW;
	images_find(s);
	if (when == SPOOL_LAST) /* records of images that were not mapped are lost */
		atomic_fetch_add_explicit(&s->control->n_lost, s->n_unmapped, memory_order_relaxed);
	for (size_t i = 0; i < s->n_images && !ret; i++)
		if (s->image[i].base)
			ret = image_drain(s, (uint32_t)i, when, &left, e);
	return ret;
}

/* Whether the image is the latest image of its process: the running program. */
static bool is_last_image(const struct spool *s, size_t i)
{
	for (size_t k = i + 1; k < s->n_images; k++)
		if (s->image[k].base && s->image[k].pid == s->image[i].pid)
			return false;
	return true;
}

uint64_t spool_memory(const struct spool *s)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < s->n_images; i++)
		if (s->image[i].base && !is_elsewhere(&s->image[i]) && is_last_image(s, i))
			sum += process_anonymous_bytes((pid_t)s->image[i].pid);
	return sum;
}
