/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/launch.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "common/pause.h"
#include "common/process_memory.h"
#include "common/signals.h"
#include "common/text.h"

/* --- memory of the launched processes ------------------------------------ */

/* Memory of a process and its descendants: what its memory cgroup is charged, without page
 * cache. */

#define DEPTH_MAX 8

struct status_bytes { /* from /proc/PID/status */
	uint64_t anonymous, page_tables, shared;
};

static bool status_read(pid_t pid, struct status_bytes *s)
{
	char path[40], line[200];
	unsigned long long kib;
	*s = (struct status_bytes){0};
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	SCOPED_FILE FILE *in = fopen(path, "re");
	if (!in)
		return false;
	while (fgets(line, sizeof line, in)) {
		if (sscanf(line, "RssAnon: %llu", &kib) == 1)
			s->anonymous = kib * 1024;
		else if (sscanf(line, "VmPTE: %llu", &kib) == 1)
			s->page_tables = kib * 1024;
		else if (sscanf(line, "RssShmem: %llu", &kib) == 1)
			s->shared = kib * 1024;
	}
	return true;
}

struct own_descendants {
	uint64_t sum, shared; /* bytes; `shared` is the largest */
	unsigned int n;
};

static void descendants_add(pid_t pid, struct own_descendants *d, int depth)
{
	char path[60];
	int child;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	FILE *in = depth < DEPTH_MAX ? fopen(path, "re") : NULL;
	if (!in)
		return;
	while (fscanf(in, "%d", &child) == 1) {
		struct status_bytes s;
		if (!status_read(child, &s))
			continue;
		d->sum += process_anonymous_bytes(child) + s.page_tables;
		if (s.shared > d->shared)
			d->shared = s.shared;
		d->n++;
		descendants_add(child, d, depth + 1);
	}
	fclose(in);
}

/* Returns the anonymous memory and page tables of a process and its descendants, in bytes. Memory
 * shared after a fork counts once. Of memory that is shared on purpose (outcomes of a descendant),
 * only the largest part of any process counts. 0: the process has exited. Without
 * CONFIG_PROC_CHILDREN: of the process alone. */
static uint64_t own_memory_bytes(pid_t pid)
{
	struct status_bytes s;
	struct own_descendants d = {0, 0, 0};
	if (!status_read(pid, &s))
		return 0;
	descendants_add(pid, &d, 0);
	/* reading the proportional share is slow, and it is needed only if there are descendants */
	uint64_t own = d.n ? process_anonymous_bytes(pid) : s.anonymous;
	return own + s.page_tables + d.sum + d.shared;
}

#define GRACE_NS 2000000000 /* between SIGTERM and SIGKILL */
#define WATCH_MS 2
#define LOG_MAX_BYTES (1 << 20)

/* --- signals ------------------------------------------------------------- */

int signals_take(sigset_t *old, int *fd, struct err *e)
{
	sigset_t set;
	signals_hold(&set, true, old);
	*fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (*fd >= 0)
		return 0;
	int code = errno;
	signals_release(old, false);
	return err_sys(e, code, "cannot create a signalfd");
}

void signals_restore(const sigset_t *old, int fd)
{
	if (fd < 0)
		return;
	close(fd);
	signals_release(old, true);
}

bool signals_pending(int fd)
{
	struct signalfd_siginfo s;
	bool end = false;
	while (read(fd, &s, sizeof s) == sizeof s)
		end |= s.ssi_signo != SIGCHLD;
	return end;
}

/* --- the child's side ---------------------------------------------------- */

struct child_failure { /* is sent through a pipe, which exec() closes */
	int code;
	char step[100];
};

static void child_fail(int pipe_fd, const char *step) __attribute__((noreturn));

static void child_fail(int pipe_fd, const char *step)
{
	struct child_failure f = {.code = errno};
	snprintf(f.step, sizeof f.step, "%s", step);
	(void)!write(pipe_fd, &f, sizeof f);
	_exit(127);
}

/* Lets the kernel kill the child if the campaign dies. Otherwise the child would write to the files
 * of the resumed campaign. */
static void child_bind(pid_t parent, int pipe_fd)
{
	setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		child_fail(pipe_fd, "cannot ask the kernel to kill this process if the "
				    "campaign ends");
	if (getppid() != parent)
		_exit(127);
}

static void child_exec(const struct launch_spec *s, pid_t parent, int pipe_fd, int log)
{
	child_bind(parent, pipe_fd);
	if (s->cgroup_procs) {
		int fd = open(s->cgroup_procs, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, "0\n", 2) != 2)
			child_fail(pipe_fd, "cannot enter its memory cgroup");
		close(fd);
	}
	if (s->cpus && sched_setaffinity(0, sizeof *s->cpus, s->cpus) < 0)
		child_fail(pipe_fd, "cannot set its CPUs (cpus)");
	errno = scheduling_apply(&s->scheduling);
	if (errno)
		child_fail(pipe_fd, "cannot set its scheduling policy (scheduler)");
	int null = open("/dev/null", O_RDONLY);
	if (null < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		child_fail(pipe_fd, "cannot set its input and output");
	if (null > 2)
		close(null);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (s->pause_fd) {
		char number[16];
		snprintf(number, sizeof number, "%d", s->pause_fd);
		if (fcntl(s->pause_fd, F_SETFD, 0) < 0 || setenv(PAUSE_VARIABLE, number, 1) < 0)
			child_fail(pipe_fd, "cannot give it the shared memory by which the "
					    "campaign pauses it");
	}
	execv(s->file ? s->file : s->argv[0], s->argv);
	child_fail(pipe_fd, "cannot execute it");
}

/* --- the campaign's side ------------------------------------------------- */

struct waiting {
	const struct launch_spec *spec;
	struct launch_result *result;
	pid_t pid;
	int64_t deadline_ns;
	int n_kills; /* 1: SIGTERM sent, 2: SIGKILL sent */
};

static void child_end(struct waiting *w, enum launch_end why)
{
	if (w->n_kills == 0)
		w->result->end = why;
	kill(-w->pid, w->n_kills ? SIGKILL : SIGTERM);
	/* it may be stopped */
	kill(-w->pid, SIGCONT);
	w->n_kills++;
	w->deadline_ns = clock_monotonic_ns() + GRACE_NS;
}

static void usage_take(struct launch_result *r, const struct rusage *use)
{
	r->cpu_ns = (use->ru_utime.tv_sec + use->ru_stime.tv_sec) * INT64_C(1000000000) +
		    (use->ru_utime.tv_usec + use->ru_stime.tv_usec) * INT64_C(1000);
	r->peak_bytes = (uint64_t)use->ru_maxrss * 1024;
}

/* Sleeps until the child has exited; kills it if necessary. `watch`: pidfd of the child, if the
 * signalfd does not report its end. Returns its wait status. */
static int child_wait(struct waiting *w, int watch)
{
	for (;;) {
		int status;
		struct rusage use;
		pid_t got = wait4(w->pid, &status, WNOHANG, &use);
		if (got == w->pid) {
			usage_take(w->result, &use);
			return status;
		}
		if (got < 0 && errno != EINTR)
			/* cannot happen, because the process is a child of this process */
			return 0x7f00;
		if (w->spec->watch_memory) {
			struct launch_result *r = w->result;
			GROW(r->memory, r->n_memory, r->cap_memory);
			r->memory[r->n_memory++] =
			    (struct memory_sample){clock_monotonic_ns(), own_memory_bytes(w->pid)};
		}
		int64_t left_ms = (w->deadline_ns - clock_monotonic_ns()) / 1000000 + 1;
		if (left_ms <= 0) {
			child_end(w, LAUNCH_TIMED_OUT);
			continue;
		}
		if (w->spec->watch_memory && left_ms > WATCH_MS)
			left_ms = WATCH_MS;
		struct pollfd p[] = {{.fd = w->spec->signal_fd, .events = POLLIN},
				     {.fd = watch, .events = POLLIN}};
		poll(p, sizeof p / sizeof *p, left_ms < 60000 ? (int)left_ms : 60000);
		if (signals_pending(w->spec->signal_fd))
			child_end(w, LAUNCH_INTERRUPTED);
	}
}

/* Makes a file in memory for the output of the child, so that its last lines are kept even if the
 * disk is full. Its size is fixed, so that a child cannot fill the memory. Unwritten bytes are
 * zero. */
static int log_make(struct err *e)
{
	int fd = memfd_create("validate-log", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && ftruncate(fd, LOG_MAX_BYTES) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) == 0)
		return fd;
	int ret = err_sys(e, errno, "cannot create a file in memory");
	fd_close(fd);
	return ret;
}

/* Reads the final error message of a program of this project, as one line. Returns false if there
 * is none. */
static bool complaint_read(int fd, char *out, size_t size)
{
	static const char begin[] = "\nvalidate: ";
	char text[16384];
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = 0;
	const char *at = strstr(text, begin);
	if (!at)
		return false;
	snprintf(out, size, "%s", at + strlen(begin));
	text_make_line(out);
	return true;
}

static void reason_make(const struct launch_spec *s, struct launch_result *r, int log)
{
	char seconds[40], complaint[sizeof r->said];
	/* otherwise use the first lines of the output, as one line */
	ssize_t n = pread(log, r->said, sizeof r->said - 1, 0);
	r->said[n > 0 ? n : 0] = 0;
	text_make_line(r->said);
	const char *text = r->said;
	if (!strncmp(text, "validate: ", 10))
		text += 10;
	else if (complaint_read(log, complaint, sizeof complaint))
		text = complaint;
	const char *colon = *text ? ": " : "";
	r->reason[0] = 0;
	switch (r->end) {
	case LAUNCH_EXITED:
		if (r->status)
			snprintf(r->reason, sizeof r->reason, "exit status %d%s%s", r->status,
				 colon, text);
		return;
	case LAUNCH_SIGNALLED:
		snprintf(r->reason, sizeof r->reason, "ended by signal %d (%s)%s%s", r->status,
			 strsignal(r->status), colon, text);
		return;
	case LAUNCH_TIMED_OUT:
		snprintf(seconds, sizeof seconds, "%.10g", (double)s->timeout_ns * 1e-9);
		snprintf(r->reason, sizeof r->reason, "killed after the time-out of %s s%s%s",
			 seconds, colon, text);
		return;
	case LAUNCH_INTERRUPTED:
		snprintf(r->reason, sizeof r->reason, "interrupted");
	}
}

/* Reads the child's error before exec(). On success there is nothing to read. */
static int child_started(int pipe_fd, const char *path, struct err *e)
{
	struct child_failure f;
	const ssize_t n = TEMP_FAILURE_RETRY(read(pipe_fd, &f, sizeof f));
	if (n == 0)
		return 0;
	if (n != sizeof f)
		return err_set(e, EIO, "%s could not be started", path);
	f.step[sizeof f.step - 1] = 0;
	return err_sys(e, f.code, "%s was not started: %s", path, f.step);
}

int launch_begin(const struct launch_spec *s, struct launched *l, struct err *e)
{
	int pipe_fd[2];
	struct launch_result none;
	*l = (struct launched){.log = log_make(e)};
	if (l->log < 0)
		return l->log;
	if (pipe2(pipe_fd, O_CLOEXEC) < 0) {
		close(l->log);
		return err_sys(e, errno, "cannot create a pipe");
	}
	pid_t parent = getpid();
	l->start_ns = clock_monotonic_ns();
	l->deadline_ns = l->start_ns + s->timeout_ns;
	l->pid = fork();
	if (l->pid == 0)
		child_exec(s, parent, pipe_fd[1], l->log);
	int ret = l->pid < 0 ? err_sys(e, errno, "cannot start a process") : 0;
	close(pipe_fd[1]);
	if (!ret) {
		/* parent and child both call it, so the order does not matter */
		setpgid(l->pid, l->pid);
		ret = child_started(pipe_fd[0], s->argv[0], e);
		if (ret)
			launch_wait(s, l, false, &none);
	} else {
		close(l->log);
	}
	close(pipe_fd[0]);
	return ret;
}

void launch_wait(const struct launch_spec *s, struct launched *l, bool interrupted,
		 struct launch_result *r)
{
	*r = (struct launch_result){0};
	struct waiting w = {s, r, l->pid, l->deadline_ns, 0};
	if (interrupted)
		child_end(&w, LAUNCH_INTERRUPTED);
	int watch = s->signal_fd < 0 ? (int)syscall(SYS_pidfd_open, l->pid, 0) : -1;
	int status = child_wait(&w, watch);
	r->run_ns = clock_monotonic_ns() - l->start_ns;
	/* kill the remaining processes of its group */
	kill(-l->pid, SIGKILL);
	bool signalled = WIFSIGNALED(status);
	r->status = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
	if (!w.n_kills)
		r->end = signalled ? LAUNCH_SIGNALLED : LAUNCH_EXITED;
	reason_make(s, r, l->log);
	close(l->log);
	fd_close(watch);
}

int launch_run(const struct launch_spec *s, struct launch_result *r, struct err *e)
{
	struct launched l;
	*r = (struct launch_result){0};
	int ret = launch_begin(s, &l, e);
	if (!ret)
		launch_wait(s, &l, false, r);
	return ret;
}

int launch_helper(int (*work)(void *context, struct err *e), void *context, size_t size,
		  int signal_fd, struct err *e)
{
	int pipe_fd[2];
	struct err said = ERR_INIT;
	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return err_sys(e, errno, "cannot create a pipe");
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid == 0) {
		close(pipe_fd[0]);
		child_bind(parent, pipe_fd[1]);
		int ret = work(context, &said);
		said.code = -ret;
		(void)!write(pipe_fd[1], &said, sizeof said);
		(void)!write(pipe_fd[1], context, size);
		_exit(0);
	}
	int code = errno;
	close(pipe_fd[1]);
	if (pid < 0) {
		close(pipe_fd[0]);
		return err_sys(e, code, "cannot start a process");
	}
	const bool ended =
	    TEMP_FAILURE_RETRY(read(pipe_fd[0], &said, sizeof said)) == sizeof said &&
	    TEMP_FAILURE_RETRY(read(pipe_fd[0], context, size)) == (ssize_t)size;
	close(pipe_fd[0]);
	int status;
	TEMP_FAILURE_RETRY(waitpid(pid, &status, 0));
	bool interrupted = signals_pending(signal_fd);
	if (!ended && WIFEXITED(status) && WEXITSTATUS(status) == 3)
		return err_set(e, ENOMEM,
			       /* exit status of out_of_memory() */
			       "a process of the campaign ran out of memory");
	if (!ended)
		return err_set(e, EIO, "a process of the campaign ended with %s %d",
			       WIFSIGNALED(status) ? "signal" : "exit status",
			       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	if (said.code)
		return err_set(e, said.code, "%s", said.msg);
	return interrupted ? -EINTR : 0;
}
