/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _FILE_OFFSET_BITS 64
#define FUSE_USE_VERSION 312
#include "microbench/volume/server.h"

#include <fuse_lowlevel.h>
#include <pthread.h>
#include <sys/mman.h>

#include "common/files.h"
#include "common/scheduling.h"
#include "microbench/volume/answers.h"
#include "microbench/volume/service.h"

#define INODE_VOLUME 2
#define FOREVER 86400.0
#define REQUEST_MAX (1u << 20)

struct server {
	const struct volume_server *v;
	char *image; /* image[v->n_bytes], or NULL */
	int fd;	     /* of the backing file, or -1 */
	pthread_mutex_t mutex; /* of the model, so that requests have one order of arrival */
	struct service *service;
	uint32_t n_restarts, slowness_ppm; /* last known values of the log's header */
	struct volume_log log;
	struct answers *answers;
};

static struct server *server_of(fuse_req_t request)
{
	return fuse_req_userdata(request);
}

/* --- answering ----------------------------------------------------------- */

static void answer_reply(const struct answer *x)
{
	fuse_req_t request = x->request;
	if (x->entry.error)
		fuse_reply_err(request, x->entry.error);
	else if (x->entry.op == SERVICE_READ)
		fuse_reply_buf(request, x->data, x->entry.length);
	else if (x->entry.op == SERVICE_WRITE)
		fuse_reply_write(request, x->entry.length);
	else
		fuse_reply_err(request, 0);
}

/* Records that a request arrives now. */
static struct volume_entry arrival_record(struct server *s, enum service_op op, uint64_t offset,
					  size_t length)
{
	pthread_mutex_lock(&s->mutex);
	uint32_t n_restarts = atomic_load_explicit(&s->log.head->n_restarts, memory_order_relaxed);
	if (n_restarts != s->n_restarts) {
		s->n_restarts = n_restarts;
		service_restart(s->service);
	}
	uint32_t slowness_ppm =
	    atomic_load_explicit(&s->log.head->slowness_ppm, memory_order_relaxed);
	if (slowness_ppm != s->slowness_ppm) {
		s->slowness_ppm = slowness_ppm;
		service_slow(s->service, slowness_ppm ? slowness_ppm / 1e6 : 1);
	}
	int64_t now_ns = clock_monotonic_ns();
	struct service_times t = service_take(s->service, op, offset, length, now_ns);
	pthread_mutex_unlock(&s->mutex);
	return (struct volume_entry){.arrival_ns = now_ns, .start_ns = t.start_ns,
				     .due_ns = t.done_ns, .offset = offset,
				     .length = (uint32_t)length,
				     .op = (uint8_t)op};
}

static size_t bytes_inside(const struct server *s, size_t n, off_t offset)
{
	uint64_t at = (uint64_t)offset;
	return at >= s->v->n_bytes ? 0 : n < s->v->n_bytes - at ? n : (size_t)(s->v->n_bytes - at);
}

static void on_read(fuse_req_t request, fuse_ino_t inode, size_t n, off_t offset,
		    struct fuse_file_info *fi)
{
	struct server *s = server_of(request);
	(void)fi;
	if (inode != INODE_VOLUME) {
		fuse_reply_err(request, EISDIR);
		return;
	}
	n = bytes_inside(s, n, offset);
	struct answer x = {.entry = arrival_record(s, SERVICE_READ, (uint64_t)offset, n),
	    .request = request};
	if (s->image) {
		x.data = s->image + offset;
	} else {
		x.data = x.owned = malloc(n ? n : 1);
		const ssize_t got =
		    x.owned ? read_all_at(s->fd, x.owned, n, (uint64_t)offset) : -ENOMEM;
		x.entry.error = (uint16_t)(got < 0 ? -got : (size_t)got < n ? EIO : 0);
	}
	answers_add(s->answers, &x);
}

static void on_write(fuse_req_t request, fuse_ino_t inode, const char *data, size_t n, off_t offset,
		     struct fuse_file_info *fi)
{
	struct server *s = server_of(request);
	(void)fi;
	if (inode != INODE_VOLUME || bytes_inside(s, n, offset) < n) {
		fuse_reply_err(request, inode == INODE_VOLUME ? ENOSPC : EISDIR);
		return;
	}
	struct answer x = {.entry = arrival_record(s, SERVICE_WRITE, (uint64_t)offset, n),
	    .request = request};
	if (s->image)
		memcpy(s->image + offset, data, n);
	else
		x.entry.error = (uint16_t)-write_all_at(s->fd, data, n, (uint64_t)offset);
	answers_add(s->answers, &x);
}

static void on_fsync(fuse_req_t request, fuse_ino_t inode, int data_only, struct fuse_file_info *fi)
{
	struct server *s = server_of(request);
	(void)inode, (void)data_only, (void)fi;
	struct answer x = {.entry = arrival_record(s, SERVICE_FLUSH, 0, 0), .request = request};
	answers_add(s->answers, &x);
}

/* A loop device discards by punching holes, which then read as zeros. Punching takes no service
 * time. */
static void on_fallocate(fuse_req_t request, fuse_ino_t inode, int mode, off_t offset, off_t length,
			 struct fuse_file_info *fi)
{
	struct server *s = server_of(request);
	(void)inode, (void)fi;
	if (!(mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) || offset < 0 || length < 0) {
		fuse_reply_err(request, EOPNOTSUPP);
		return;
	}
	size_t n = bytes_inside(s, (size_t)length, offset);
	if (s->image && n)
		memset(s->image + offset, 0, n);
	else if (n && fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
				(off_t)n) < 0) {
		fuse_reply_err(request, errno);
		return;
	}
	fuse_reply_err(request, 0);
}

/* --- the file system around the file ------------------------------------- */

static struct stat attributes_of(const struct server *s, fuse_ino_t inode)
{
	struct stat st = {.st_ino = inode, .st_mode = S_IFDIR | 0700, .st_nlink = 2,
	    .st_uid = getuid(), .st_gid = getgid(), .st_blksize = 4096};
	if (inode == INODE_VOLUME) {
		st.st_mode = S_IFREG | 0600;
		st.st_nlink = 1;
		st.st_size = (off_t)s->v->n_bytes;
		st.st_blocks = (blkcnt_t)(s->v->n_bytes / 512);
	}
	return st;
}

static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
	if (parent != FUSE_ROOT_ID || strcmp(name, VOLUME_FILE)) {
		fuse_reply_err(request, ENOENT);
		return;
	}
	struct fuse_entry_param entry = {.ino = INODE_VOLUME,
					 .attr = attributes_of(server_of(request), INODE_VOLUME),
					 .attr_timeout = FOREVER,
					 .entry_timeout = FOREVER};
	fuse_reply_entry(request, &entry);
}

static void on_getattr(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *fi)
{
	(void)fi;
	struct stat st = attributes_of(server_of(request), inode);
	fuse_reply_attr(request, &st, FOREVER);
}

/* Requests to set times and modes succeed without effect. The size cannot be changed. */
static void on_setattr(fuse_req_t request, fuse_ino_t inode, struct stat *st, int which,
		       struct fuse_file_info *fi)
{
	const struct server *s = server_of(request);
	if (which & FUSE_SET_ATTR_SIZE && st->st_size != (off_t)s->v->n_bytes)
		fuse_reply_err(request, EPERM);
	else
		on_getattr(request, inode, fi);
}

static void on_open(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *fi)
{
	if (inode == INODE_VOLUME)
		fuse_reply_open(request, fi);
	else
		fuse_reply_err(request, EISDIR);
}

static void on_readdir(fuse_req_t request, fuse_ino_t inode, size_t n, off_t offset,
		       struct fuse_file_info *fi)
{
	static const char *const names[] = {".", "..", VOLUME_FILE};
	const struct server *s = server_of(request);
	(void)inode, (void)fi;
	char buffer[1024];
	size_t used = 0, room = n < sizeof buffer ? n : sizeof buffer;
	for (off_t i = offset; i >= 0 && i < 3; i++) {
		struct stat st = attributes_of(s, i == 2 ? INODE_VOLUME : FUSE_ROOT_ID);
		size_t need =
		    fuse_add_direntry(request, buffer + used, room - used, names[i], &st, i + 1);
		if (need > room - used)
			break;
		used += need;
	}
	fuse_reply_buf(request, buffer, used);
}

static void on_init(void *data, struct fuse_conn_info *c)
{
	(void)data;
	c->want |=
	    c->capable & (FUSE_CAP_ASYNC_READ | FUSE_CAP_ASYNC_DIO | FUSE_CAP_PARALLEL_DIROPS);
	/* with this capability, the kernel would fetch the attributes before each read that follows
	 * a write */
	c->want &= ~(unsigned)FUSE_CAP_AUTO_INVAL_DATA;
	c->max_background = 4096; /* the kernel's default of 12 would limit the parallelism */
	c->congestion_threshold = 4096;
	c->max_write = REQUEST_MAX;
	c->max_readahead = REQUEST_MAX;
}

static const struct fuse_lowlevel_ops operations = {
	.init = on_init, .lookup = on_lookup, .getattr = on_getattr, .setattr = on_setattr,
	.open = on_open, .read = on_read, .write = on_write, .fsync = on_fsync,
	.fallocate = on_fallocate, .readdir = on_readdir,
};

/* --- the session --------------------------------------------------------- */

static int storage_open(struct server *s, struct err *e)
{
	const struct volume_server *v = s->v;
	if (v->backing) {
		s->fd = open(v->backing, O_RDWR | O_CLOEXEC);
		return s->fd < 0 ? err_sys(e, errno, "cannot open %s", v->backing) : 0;
	}
	/* touches every page, because a page fault can take as long as a service time */
	void *image = mmap(NULL, v->n_bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (image == MAP_FAILED)
		return err_sys(e, errno, "not enough memory for a volume of %llu bytes",
			       (unsigned long long)v->n_bytes);
	s->image = image;
	return 0;
}

/* Requests real-time scheduling for the calling thread and the threads that it starts, if the
 * system permits it: answers are then delayed less on a busy machine. Not on a machine with one
 * CPU: there, a thread that spins until a due time would prevent the clients from submitting
 * requests. */
static void realtime_request(struct server *s)
{
	const struct scheduling fifo = {.set = sysconf(_SC_NPROCESSORS_ONLN) > 1,
					.policy = SCHED_FIFO, .priority = 1};
	atomic_store(&s->log.head->realtime, fifo.set && !scheduling_apply(&fifo));
}

int volume_cpu_take(cpu_set_t *cpus)
{
	int cpu = CPU_COUNT(cpus) > 2 ? CPU_SETSIZE - 1 : -1;
	while (cpu >= 0 && !CPU_ISSET(cpu, cpus))
		cpu--;
	if (cpu >= 0)
		CPU_CLR(cpu, cpus);
	return cpu;
}

/* Starts the thread that answers, if possible on a CPU of its own. The calling thread and the
 * threads that it starts later no longer use that CPU. */
static int answers_place(struct server *s, struct err *e)
{
	cpu_set_t cpus;
	const int cpu = sched_getaffinity(0, sizeof cpus, &cpus) < 0 ? -1 : volume_cpu_take(&cpus);
	int ret = answers_start(&s->answers, answer_reply, &s->log, cpu, e);
	if (!ret && cpu >= 0)
		(void)pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
	return ret;
}

static int server_setup(struct server *s, struct err *e)
{
	const struct volume_server *v = s->v;
	int ret = service_parse(&s->service, v->service, v->n_bytes, v->seed, e);
	ret = ret ? ret : storage_open(s, e);
	ret = ret ? ret : volume_log_create(&s->log, v->log, v->log_cap, e);
	if (!ret) {
		realtime_request(s);
		ret = answers_place(s, e);
	}
	return ret;
}

static int session_loop(struct fuse_session *session, int ready_fd, struct err *e)
{
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	fuse_loop_cfg_set_clone_fd(config, 1);
	if (write(ready_fd, "+", 1) != 1) {
		fuse_loop_cfg_destroy(config);
		return err_set(e, EPIPE, "the process that created the volume has ended");
	}
	close(ready_fd);
	int ret = fuse_session_loop_mt(session, config);
	fuse_loop_cfg_destroy(config);
	return ret < 0 ? err_sys(e, -ret, "cannot serve the volume") : 0;
}

static int session_run(struct server *s, int ready_fd, struct err *e)
{
	SCOPED_FREE char *name =
	    xasprintf("-ofsname=validate-volume-%s,subtype=validate-volume", s->v->name);
	char *argv[] = {"validate-volume", name, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(2, argv);
	struct fuse_session *session = fuse_session_new(&args, &operations, sizeof operations, s);
	int ret = session ? 0 : err_set(e, EIO, "cannot begin a FUSE session");
	if (!ret && fuse_set_signal_handlers(session))
		ret = err_set(e, EIO, "cannot handle signals");
	if (!ret && fuse_session_mount(session, s->v->mount))
		ret = err_set(e, EPERM, "cannot mount a FUSE file system on %s: a mount needs "
			"/dev/fuse, and root or the package fuse3", s->v->mount);
	else if (!ret) {
		ret = session_loop(session, ready_fd, e);
		answers_stop(s->answers); /* while the session can still receive them */
		s->answers = NULL;
		/* volume_remove() unmounts the volume: it finds the loop device by the name of its
		 * file, which would be lost by unmounting here */
	}
	if (session) {
		fuse_remove_signal_handlers(session);
		fuse_session_destroy(session);
	}
	fuse_opt_free_args(&args);
	return ret;
}

int volume_serve(const struct volume_server *v, int ready_fd, struct err *e)
{
	struct server s = {.v = v, .fd = -1, .mutex = PTHREAD_MUTEX_INITIALIZER};
	int ret = server_setup(&s, e);
	ret = ret ? ret : session_run(&s, ready_fd, e);
	answers_stop(s.answers);
	volume_log_close(&s.log);
	service_free(s.service);
	if (s.image)
		munmap(s.image, s.v->n_bytes);
	fd_close(s.fd);
	return ret;
}
