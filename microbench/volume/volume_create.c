/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Creates a volume: directory, server, loop device, lead. */
#include <jansson.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "common/files.h"
#include "microbench/volume/server.h"
#include "microbench/volume/throttle.h"
#include "microbench/volume/volume_private.h"

#define SECTOR 4096

struct throttling { /* data for model throttled */
	bool is;
	struct service_limits limits;
	char *group;
};

/* --- checks and directories --------------------------------------------- */

static int memory_check(uint64_t n_bytes, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	unsigned long long kib = 0;
	int ret = 0;
	if (!file_read("/proc/meminfo", &text, 1 << 20, NULL)) {
		const char *line = strstr(text.s, "MemAvailable:");
		if (line && sscanf(line, "MemAvailable: %llu", &kib) == 1 &&
		    n_bytes / 1024 > kib / 10 * 9)
			ret = err_set(e, ENOMEM, "a volume of %llu MiB needs more than 90 %% of "
				"the available memory (%llu MiB): keep it in a file (--file)",
				(unsigned long long)(n_bytes >> 20), kib >> 10);
	}
	return ret;
}

static int config_check(const struct volume_config *c, char **service, struct throttling *t,
			struct err *e)
{
	struct service *s;
	if (!c->n_bytes || c->n_bytes % SECTOR)
		return err_set(e, EINVAL, "--size must be above 0, and a multiple of %d bytes",
			       SECTOR);
	if (!c->log_cap || c->log_cap > UINT64_C(1) << 32)
		return err_set(e, EINVAL, "--log must be between 1 and 2^32 requests");
	int ret = service_parse(&s, c->service, c->n_bytes, c->seed, e);
	if (ret)
		return ret;
	*service = service_describe(s);
	t->is = service_throttled(s, &t->limits);
	service_free(s);
	if (t->is && !c->loop)
		return err_set(e, EINVAL,
			       "throttled needs a loop device, which this volume does not have "
			       "(%s)",
			       geteuid() ? "loop devices need root" : "--no-loop");
	ret = t->is ? throttle_group("", &t->group, e) : 0;
	if (ret)
		return ret;
	return c->backing ? 0 : memory_check(c->n_bytes, e);
}

/* Creates the root directory, in which other users must not be able to write. An existing directory
 * is not changed, because it may be any directory, such as /tmp. */
static int root_make(const char *root, struct err *e)
{
	struct stat st;
	SCOPED_FREE char *parent = xstrdup(root);
	char *slash = strrchr(parent, '/');
	int ret = 0;
	if (slash && slash > parent) {
		*slash = 0;
		ret = dir_create(parent, e);
	}
	if (ret || mkdir(root, 0700) == 0)
		return ret;
	if (errno != EEXIST || lstat(root, &st) < 0)
		return err_sys(e, errno, "cannot create directory %s", root);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return err_set(e, EPERM, "%s is not a directory, or belongs to another "
			"user: choose another directory with --root", root);
	return st.st_mode & 022
		   ? err_set(e, EPERM,
			     "%s: other users can write there, so it is not safe for volumes: "
			     "chmod go-w %s", root, root)
		   : 0;
}

/* Makes the backing file. An existing file keeps its content, but its length may change. */
static int backing_make(const struct volume_config *c, char **backing, struct err *e)
{
	if (!c->backing)
		return 0;
	int fd = open(c->backing, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
	struct stat st;
	if (fd < 0)
		return err_sys(e, errno, "cannot open %s", c->backing);
	int ret = fstat(fd, &st) < 0 ? err_sys(e, errno, "cannot examine %s", c->backing) : 0;
	if (!ret && !S_ISREG(st.st_mode))
		ret = err_set(e, EINVAL, "%s is not a regular file", c->backing);
	int code = !ret && (uint64_t)st.st_size < c->n_bytes
		       ? posix_fallocate(fd, 0, (off_t)c->n_bytes)
		       : 0;
	if (code)
		ret = err_sys(e, code, "%s: not enough space for %llu MiB", c->backing,
			      (unsigned long long)(c->n_bytes >> 20));
	close(fd);
	if (!ret && !(*backing = realpath(c->backing, NULL)))
		ret = err_sys(e, errno, "cannot resolve %s", c->backing);
	return ret;
}

/* --- the server ---------------------------------------------------------- */

/* Closes all other descriptors. Otherwise, a program that waits until a pipe is closed would wait
 * for the server. Returns the new number of the lock. */
static int keep_only(int lock_fd, int *ready_fd)
{
	int lock = fcntl(lock_fd, F_DUPFD, 10), ready = fcntl(*ready_fd, F_DUPFD, 10),
	    null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	dup2(lock, 3);
	dup2(ready, 4);
	close_range(5, ~0u, 0);
	*ready_fd = 4;
	return 3;
}

/* Runs in the child: a separate session without a terminal. Errors before serving go through the
 * pipe. */
static void server_run(const struct volume *v, const struct volume_config *c, int lock_fd,
		       int ready_fd)
{
	struct err e = ERR_INIT;
	char pid[32], *mount = volume_inside(v, "mount");
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL); /* an inherited mask could block termination */
	/* FUSE ends at these signals only if they have no other handler, such as an inherited
	 * one */
	static const int ending[] = {SIGHUP, SIGINT, SIGTERM};
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		signal(ending[i], SIG_DFL);
	setsid();
	signal(SIGPIPE, SIG_IGN);
	lock_fd = keep_only(lock_fd, &ready_fd);
	if (chdir("/") < 0 ||
	    pwrite(lock_fd, pid, (size_t)snprintf(pid, sizeof pid, "%d\n", (int)getpid()), 0) < 0)
		_exit(3);
	const struct volume_server server = {v->name,    mount,   c->n_bytes, v->backing,
					     v->service, c->seed, v->log,     c->log_cap};
	int ret = volume_serve(&server, ready_fd, &e);
	if (ret)
		(void)!write(ready_fd, e.msg,
			     /* the pipe is already closed if the server had served */
			     strlen(e.msg));
	_exit(ret ? 3 : 0);
}

static int answer_read(int fd, struct err *e)
{
	char text[sizeof e->msg] = "";
	size_t n = 0;
	for (ssize_t got;
	     n < sizeof text - 1 && (got = read(fd, text + n, sizeof text - 1 - n)) != 0;) {
		if (got < 0 && errno != EINTR)
			break;
		n += got > 0 ? (size_t)got : 0;
		if (text[0] == '+')
			return 0;
	}
	return err_set(e, EIO, "%s", n ? text : "the volume's server ended without a message");
}

static int server_start(struct volume *v, const struct volume_config *c, struct err *e)
{
	SCOPED_FREE char *lock = volume_inside(v, "lock");
	int lock_fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600), pipe_fd[2] = {-1, -1};
	int ret = lock_fd < 0 || flock(lock_fd, LOCK_EX) < 0 || pipe2(pipe_fd, O_CLOEXEC) < 0
		      ? err_sys(e, errno, "cannot use the lock file %s", lock)
		      : 0;
	pid_t pid = v->pid = ret ? 0 : fork();
	if (!ret && pid < 0)
		ret = err_sys(e, errno, "cannot start the volume's server");
	if (!ret && !pid) {
		close(pipe_fd[0]);
		server_run(v, c, lock_fd, pipe_fd[1]);
	}
	fd_close(pipe_fd[1]);
	ret = ret ? ret : answer_read(pipe_fd[0], e);
	if (pid > 0 && ret)
		waitpid(pid, NULL,
			0); /* the server ends by itself; then the directory can be removed */
	fd_close(pipe_fd[0]);
	if (lock_fd >= 0)
		close(lock_fd); /* the server holds the lock */
	return ret;
}

/* --- creation ------------------------------------------------------------ */

static int facts_write(const struct volume *v, struct err *e)
{
	json_t *leads = json_array();
	for (size_t i = 0; i < VOLUME_DEPTHS; i++)
		json_array_append_new(leads, json_integer(v->lead.ns[i]));
	json_auto_t *o = json_pack(
	    "{s:s, s:I, s:I, s:o, s:I, s:I, s:I, s:s*, s:s*}", "service", v->service, "size",
	    (json_int_t)v->n_bytes, "seed", (json_int_t)v->seed, "leads_ns", leads, "n_steady",
	    (json_int_t)v->lead.n_steady, "way_low_ns", (json_int_t)v->lead.low_ns, "way_high_ns",
	    (json_int_t)v->lead.high_ns, "backing", v->backing, "group", v->group);
	char *text = o ? json_dumps(o, JSON_INDENT(2)) : NULL,
	     *path = volume_inside(v, "volume.json");
	int ret = text ? file_write_atomic(path, text, strlen(text), e)
		       : err_set(e, EINVAL, "volume %s: the path of its cgroup or of its file "
					   "(--file) is not valid UTF-8", v->name);
	FREE_EACH(path, text);
	return ret;
}

static int lead_settle(struct volume *v, const struct volume_config *c, struct err *e)
{
	if (c->lead_ns == VOLUME_LEAD_AUTO)
		return volume_lead_measure(v, &v->lead, e);
	struct volume_log log;
	int ret = volume_log_open(&log, v->log, true, e);
	if (ret)
		return ret;
	for (size_t i = 0; i < VOLUME_DEPTHS; i++) {
		v->lead.ns[i] = c->lead_ns;
		atomic_store(&log.head->lead_ns[i], c->lead_ns);
	}
	volume_log_close(&log);
	return 0;
}

/* Starts the volume, whose directory exists. */
static int bring_up(struct volume *v, const struct volume_config *c, const struct throttling *t,
		    struct err *e)
{
	SCOPED_FREE char *mount = volume_inside(v, "mount");
	int ret =
	    mkdir(mount, 0700) < 0 ? err_sys(e, errno, "cannot create directory %s", mount) : 0;
	ret = ret ? ret : server_start(v, c, e);
	if (!ret && c->loop)
		ret = loop_attach(v->file, true, v->device, e);
	if (!ret && !t->is) /* throttled: no delay that a lead could compensate */
		ret = lead_settle(v, c, e);
	if (!ret)
		ret = facts_write(
		    v, e); /* before the limits are set: removal needs the group */
	return ret || !t->is ? ret : throttle_set(t->group, v->device, &t->limits, e);
}

int volume_create(const char *root, const char *name, const struct volume_config *c,
		  struct volume *v, struct err *e)
{
	*v = (struct volume){0};
	struct throttling t = {.is = false};
	char *service = NULL, *backing = NULL, *top = volume_root(root);
	int ret = volume_name_check(name, e);
	ret = ret ? ret : config_check(c, &service, &t, e);
	ret = ret ? ret : root_make(top, e);
	if (!ret) { /* the root exists now, so its links can be resolved */
		free(top);
		top = volume_root_resolve(root);
	}
	SCOPED_FREE char *dir = xasprintf("%s/%s", top, name);
	if (!ret && mkdir(dir, 0700) < 0)
		ret = errno != EEXIST ? err_sys(e, errno, "cannot create directory %s", dir)
		      : volume_is(dir)
			  ? err_set(e, EEXIST,
				    "volume \"%s\" already exists: remove it with \"validate "
				    "volume remove %s\"",
				    name, name)
			  : err_set(e, EEXIST, "%s exists and is not a volume of this "
				      "user: choose another name", dir);
	bool made = !ret;
	ret = ret ? ret : backing_make(c, &backing, e);
	if (!ret) {
		volume_read(v, top, name);
		v->service = xstrdup(service);
		v->backing = backing ? xstrdup(backing) : NULL;
		v->group = t.group ? xstrdup(t.group) : NULL;
		v->n_bytes = c->n_bytes;
		v->seed = c->seed;
		ret = bring_up(v, c, &t, e);
	}
	if (made) {
		volume_release(v);
		volume_read(v, top, name);
	}
	if (made && ret) {
		bool refused;
		volume_remove(v, &refused, NULL);
		volume_release(v);
	}
	FREE_EACH(top, backing, service, t.group);
	return ret;
}
