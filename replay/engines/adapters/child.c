/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/adapters/child.h"

#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "common/signals.h"

#define LOOK_MS 100
#define SETTLE_NS 100000000 /* time that the remaining processes get to end by themselves */

struct child_result *child_result_make(struct err *e)
{
	struct child_result *r =
	    mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r != MAP_FAILED)
		return r;
	err_sys(e, errno, "cannot map the memory shared with the replayer's supervising process");
	return NULL;
}

void child_result_free(struct child_result *r)
{
	if (r)
		munmap(r, sizeof *r);
}

int child_user_find(const char *name, uid_t *uid, gid_t *gid, struct err *e)
{
	const struct passwd *p = getpwnam(name);
	if (!p)
		return err_set(e, ENOENT, "user: unknown user \"%s\"", name);
	*uid = p->pw_uid;
	*gid = p->pw_gid;
	if (geteuid() && geteuid() != *uid)
		return err_set(e, EACCES, "user: only root can start a replayer as %s", name);
	return 0;
}

/* --- the program's side -------------------------------------------------- */

struct keeper {
	const struct child_spec *spec;
	struct child_result *result;
	struct child_output output;
	pid_t program;
	int signals;
	bool ended; /* the program */
	int64_t used_ns, used_since_ns; /* CPU time, and when it last changed */
};

static int keep_fail(struct child_result *r, const char *step)
{
	r->error = errno ? errno : EIO;
	snprintf(r->step, sizeof r->step, "%s", step);
	return 1;
}

_Noreturn static void start_fail(const struct keeper *k, const char *step)
{
	keep_fail(k->result, step);
	_exit(127);
}

int child_user_become(const char *name)
{
	errno = 0;
	const struct passwd *p = getpwnam(name);
	if (!p)
		return errno ? errno : ENOENT;
	if (p->pw_uid == geteuid())
		return 0;
	return initgroups(p->pw_name, p->pw_gid) || setgid(p->pw_gid) || setuid(p->pw_uid) ? errno
											   : 0;
}

_Noreturn static void program_exec(const struct keeper *k, pid_t keeper)
{
	const struct child_spec *c = k->spec;
	sigset_t none;
	int input = open(c->input ? c->input : "/dev/null", O_RDONLY);
	setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != keeper)
		start_fail(k, "cannot ask the kernel to kill the replayer when validate ends");
	if (input < 0 || dup2(input, 0) < 0 || dup2(k->output.out_end, 1) < 0 ||
	    dup2(k->output.printed_end, 2) < 0)
		start_fail(k, "cannot set its input and output");
	if (c->cpus && sched_setaffinity(0, sizeof *c->cpus, c->cpus) < 0)
		start_fail(k, "cannot set its CPUs (cpus)");
	if (chdir(c->dir) < 0)
		start_fail(k, "cannot change to its directory (start-in)");
	for (char *const *v = c->environment; v && *v; v++)
		if (putenv(*v))
			start_fail(k, "cannot set its environment");
	if (c->user && (errno = child_user_become(c->user)))
		start_fail(k, "cannot change to its user (user)");
	if (c->user)
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* the change of user has reset it */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv(c->argv[0], c->argv);
	start_fail(k, "cannot execute it");
}

/* --- the keeper's side --------------------------------------------------- */

static int64_t now_ns(const struct keeper *k)
{
	return pause_active_ns(k->spec->pause);
}

static int64_t timeval_ns(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

/* Reaps all children that have ended. Returns false if no child is left. */
static bool children_reap(struct keeper *k)
{
	struct rusage u;
	int status;
	pid_t pid;
	while ((pid = wait4(-1, &status, WNOHANG, &u)) > 0) {
		struct child_result *r = k->result;
		const uint64_t peak = (uint64_t)u.ru_maxrss * 1024;
		r->user_ns += timeval_ns(u.ru_utime);
		r->system_ns += timeval_ns(u.ru_stime);
		r->peak_bytes = peak > r->peak_bytes ? peak : r->peak_bytes;
		r->n_minor += (uint64_t)u.ru_minflt;
		r->n_major += (uint64_t)u.ru_majflt;
		r->n_voluntary += (uint64_t)u.ru_nvcsw;
		r->n_involuntary += (uint64_t)u.ru_nivcsw;
		r->bytes_read += (uint64_t)u.ru_inblock * 512;
		r->bytes_written += (uint64_t)u.ru_oublock * 512;
		if (pid == k->program) {
			k->ended = true;
			k->result->status = status;
			k->result->ended_ns = clock_monotonic_ns();
		}
	}
	return pid == 0 || errno == EINTR;
}

static bool stop_asked(int fd)
{
	struct signalfd_siginfo s;
	bool stop = false;
	while (read(fd, &s, sizeof s) == sizeof s)
		stop |= s.ssi_signo != SIGCHLD;
	return stop;
}

static bool is_too_large(const struct keeper *k)
{
	struct stat st;
	const char *file = k->spec->watched;
	return k->output.error || k->output.n_taken > k->spec->output_limit_bytes ||
	       (file && !stat(file, &st) && S_ISREG(st.st_mode) &&
		(uint64_t)st.st_size > k->spec->output_limit_bytes);
}

/* Whether the program has used no CPU time for quiet_ns. */
static bool is_quiet(struct keeper *k)
{
	struct timespec used;
	clockid_t clock;
	const int64_t now = now_ns(k);
	if (!k->spec->quiet_ns || clock_getcpuclockid(k->program, &clock) ||
	    clock_gettime(clock, &used) < 0)
		return false;
	int64_t used_ns = used.tv_sec * INT64_C(1000000000) + used.tv_nsec;
	if (used_ns != k->used_ns || !k->used_since_ns) {
		k->used_ns = used_ns;
		k->used_since_ns = now;
	}
	return now - k->used_since_ns >= k->spec->quiet_ns &&
	       now - k->result->started_ns >= k->spec->quiet_from_ns + k->spec->quiet_ns;
}

/* Returns when the program has ended or must be killed. */
static enum child_end program_watch(struct keeper *k)
{
	int64_t limit_ns = k->result->started_ns + k->spec->time_limit_ns;
	bool ends = false;
	for (;;) {
		children_reap(k);
		if (k->ended)
			return CHILD_EXITED;
		if (!ends && k->spec->ended && !access(k->spec->ended, F_OK)) {
			ends = true;
			limit_ns = now_ns(k) + CHILD_ENDED_NS;
		}
		if (now_ns(k) >= limit_ns)
			return CHILD_TIMED_OUT;
		if (is_too_large(k))
			return CHILD_TOO_MUCH_OUTPUT;
		if (is_quiet(k))
			return CHILD_QUIET;
		int64_t left_ms = (limit_ns - now_ns(k)) / 1000000 + 1;
		child_output_wait(&k->output, k->signals,
				  left_ms < LOOK_MS ? (int)left_ms : LOOK_MS);
		if (stop_asked(k->signals))
			return CHILD_INTERRUPTED;
	}
}

/* Kills all remaining processes, and names them if the program had ended by itself. */
static void end_all(struct keeper *k, enum child_end end)
{
	int64_t until_ns = now_ns(k) + (end == CHILD_EXITED ? SETTLE_NS : 0);
	while (children_reap(k) && now_ns(k) < until_ns) {
		child_output_wait(&k->output, k->signals, 1);
		stop_asked(k->signals);
	}
	if (end == CHILD_EXITED)
		k->result->n_left = child_left_name(k->result->left, sizeof k->result->left);
	kill(-k->program, SIGKILL);
	while (children_reap(k)) {
		child_left_kill();
		child_output_wait(&k->output, k->signals, 1);
		stop_asked(k->signals);
	}
}

static bool signals_open(int *fd)
{
	sigset_t set, before;
	signals_hold(&set, true, &before);
	sigprocmask(SIG_SETMASK, &set, NULL);
	*fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return *fd >= 0;
}

int child_keep(const struct child_spec *s, struct child_result *r)
{
	struct keeper k = {.spec = s, .result = r, .signals = -1};
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
	    !signals_open(&k.signals))
		return keep_fail(r, "cannot create its supervising process");
	if (child_output_open(&k.output, s->output, s->printed, s->output_limit_bytes) < 0)
		return keep_fail(r, "cannot create files for the output of the replayer");
	const pid_t self = getpid();
	r->started_ns = clock_monotonic_ns();
	k.program = fork();
	if (k.program == 0)
		program_exec(&k, self);
	if (k.program < 0)
		return keep_fail(r, "cannot create its process");
	setpgid(k.program, k.program); /* both processes call it, because either may run first */
	child_output_started(&k.output);
	if (s->pause)
		pause_keep(s->pause);
	enum child_end end = program_watch(&k);
	end_all(&k, end);
	child_output_close(&k.output);
	r->n_printed_bytes = k.output.n_printed;
	r->output_error = k.output.error;
	r->end = r->error ? CHILD_NOT_STARTED : end;
	if (s->pause && s->pause->page) {
		/* Waits until the keeper has ended, so that the next steps do not disturb the
		 * program. SIGTERM, which a killed campaign sends, ends the wait. */
		sigset_t none;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		pause_leave(s->pause, 0);
		if (end != CHILD_INTERRUPTED)
			pause_finish(s->pause);
	}
	return r->error ? 1 : 0;
}
