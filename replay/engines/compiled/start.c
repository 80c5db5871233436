/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/compiled/compiled.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common/unnamed_file.h"
#include "replay/content/captured.h"
#include "replay/engines/compiled/control.h"
#include "replay/issue/crew.h"

#define ALIGN 4096u
#define LOOK_MS 1000 /* interval in ms of checks whether the program has delivered its results */
/* number of checks after which a program is killed if it has delivered its results but its last
 * call does not return */
#define LOOKS_MAX 3

extern char **environ;

/* --- memory -------------------------------------------------------------- */

static int control_make(struct control **to, int *fd, const struct replay_plan *p, struct err *e)
{
	uint64_t fds_at = round_up(sizeof(struct control), ALIGN),
		 steps_at = fds_at + round_up(p->n_slots * sizeof(int), ALIGN);
	const struct balloon none = {.n_steps = 0}, *balloon = p->balloon ? p->balloon : &none;
	uint64_t steps_bytes = balloon->n_steps * sizeof *balloon->step,
		 outcomes_at = steps_at + round_up(steps_bytes, ALIGN);
	uint64_t n_bytes = outcomes_at + round_up(image_outcome_bytes(p) + 1, ALIGN);
	struct control *c;
	*fd = memfd_create("validate-replay", MFD_CLOEXEC);
	if (*fd < 0 || ftruncate(*fd, (off_t)n_bytes) < 0)
		return err_sys(e, errno, "not enough memory to share with the compiled program");
	int code = -file_reserve(*fd, n_bytes);
	c = code ? MAP_FAILED : mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (c == MAP_FAILED)
		return err_sys(e, code ? code : errno,
			       "not enough memory to share %llu KiB with the compiled program",
			       (unsigned long long)(n_bytes >> 10));
	(void)madvise(c, n_bytes, MADV_HUGEPAGE);
	*c = (struct control){
	    .magic = CONTROL_MAGIC,
	    .n_bytes = n_bytes,
	    .header_bytes = sizeof *c,
	    .fds_at = fds_at,
	    .steps_at = steps_at,
	    .balloon = {.n_steps = balloon->n_steps,
			.by_time = balloon->by_time,
			.beside = getpid()},
	    .outcomes_at = outcomes_at,
	    .n_slots = p->n_slots,
	};
	captured_descriptors(p->calls.captured, &c->content_fd, &c->content_memory_fd);
	if (steps_bytes)
		memcpy(control_steps(c), balloon->step, steps_bytes);
	c->plan.clock = p->clock;
	c->plan.payload = p->payload;
	c->plan.root = p->root;
	c->plan.calls.null_fd = p->calls.null_fd;
	for (uint32_t i = 0; i < p->n_slots; i++)
		atomic_init(&control_fds(c)[i], atomic_load(&p->fds[i]));
	*to = c;
	return 0;
}

/* --- the new process ----------------------------------------------------- */

static void keep_open(int fd)
{
	if (fd >= 0)
		(void)fcntl(fd, F_SETFD, 0);
}

static void child_run(struct control *c, int control_fd, int program_fd,
		      const struct replay_plan *p, pid_t parent) __attribute__((noreturn));

static void child_run(struct control *c, int control_fd, int program_fd,
		      const struct replay_plan *p, pid_t parent)
{
	char number[16];
	char *const argv[] = {(char[]){"validate-program"}, number, NULL};
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* no process would read its results */
	if (getppid() != parent)
		_exit(127);
	for (uint32_t i = 0; i < p->n_slots; i++)
		keep_open(atomic_load(&p->fds[i]));
	keep_open(p->root.fd);
	keep_open(p->calls.null_fd);
	keep_open(control_fd);
	keep_open(c->content_fd);
	keep_open(c->content_memory_fd);
	snprintf(number, sizeof number, "%d", control_fd);
	fexecve(program_fd, argv, environ);
	c->result = err_sys(&c->err, errno, "the compiled program cannot be executed");
	atomic_store(&c->state, CONTROL_ENDED);
	_exit(127);
}

/* --- the starter --------------------------------------------------------- */

/* Returns the wait status, or -1 if the program delivered its results but did not end. */
static int program_wait(pid_t pid, const struct control *c)
{
	int status, pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int n_looks = 0;
	pid_t got;
	while ((got = waitpid(pid, &status, pid_fd >= 0 ? WNOHANG : 0)) == 0 ||
	       (got < 0 && errno == EINTR)) {
		if (got == 0) {
			struct pollfd p = {.fd = pid_fd, .events = POLLIN};
			poll(&p, pid_fd >= 0 ? 1 : 0, LOOK_MS);
		}
		if (atomic_load(&c->state) == CONTROL_ENDED && ++n_looks > LOOKS_MAX) {
			kill(pid, SIGKILL);
			status = -1;
			break;
		}
	}
	fd_close(pid_fd);
	return got < 0 ? -1 : status;
}

/* Clears the incomplete outcomes of a program that was stopped. Returns the number of complete
 * outcomes. */
static uint64_t outcomes_clean(struct replay_plan *p)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			struct outcome *o = &p->lane[i].outcome[k];
			bool whole = o->begin_ticks && outcome_end(o) >= o->begin_ticks;
			if (!whole)
				*o = (struct outcome){.begin_ticks = 0};
			n += whole;
		}
	return n;
}

static void results_take(struct replay_plan *p, const struct control *c)
{
	const struct replay_plan *done = &c->plan;
	p->clock = done->clock;
	p->start_ticks = done->start_ticks;
	p->facts = done->facts;
	p->n_futex_sleeps = done->n_futex_sleeps;
	p->n_timed_sleeps = done->n_timed_sleeps;
	p->n_late_wakes = done->n_late_wakes;
	p->stopped = done->stopped;
	p->n_relays = done->n_relays;
	p->scheduling = done->scheduling;
	crew_due_to_ticks(p, done->due_ticks_per_ns);
	p->calls.common->counts = c->counts;
	if (!p->balloon)
		return;
	p->balloon->own_bytes = c->balloon.own_bytes;
	p->balloon->least_bytes = c->balloon.least_bytes;
	p->balloon->most_bytes = c->balloon.most_bytes;
	p->balloon->n_changes = c->balloon.n_changes;
}

static int program_broke(struct replay_plan *p, const struct control *c, int status, struct err *e)
{
	uint64_t n = outcomes_clean(p);
	p->partial = n > 0 && c->plan.start_ticks;
	if (p->partial) {
		p->start_ticks = c->plan.start_ticks;
		crew_due_to_ticks(p, c->plan.due_ticks_per_ns);
		(void)clock_reanchor(&p->clock, NULL);
	}
	if (WIFSIGNALED(status))
		return err_set(e, EIO, "the compiled program was ended by signal %d (%s) after "
			"%llu of %u requests", WTERMSIG(status), strsignal(WTERMSIG(status)),
			(unsigned long long)n, p->n);
	return err_set(e, EIO, "the compiled program ended early, with status %d, after %llu of "
		"%u requests", WEXITSTATUS(status), (unsigned long long)n, p->n);
}

int start_program(struct replay_plan *p, const struct replay_config *config, int program_fd,
		  struct err *e)
{
	struct control *c = NULL;
	SCOPED_FD int control_fd = -1;
	int ret = control_make(&c, &control_fd, p, e);
	if (ret)
		return ret;
	/* The shared memory replaces the plan's memory of outcomes. From now on the plan owns
	 * it. */
	for (size_t i = 0; i < sizeof p->memory / sizeof *p->memory; i++) {
		struct vm_region *r = &p->memory[i];
		if (!r->base || r->base != (void *)p->lane[0].outcome)
			continue;
		vm_free(r);
		*r = (struct vm_region){c, (size_t)c->n_bytes};
	}
	image_outcomes_set(p, control_outcomes(c));
	ret = replay_config_send(&c->sent, config, "compiled", e);
	if (ret)
		return ret;
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		child_run(c, control_fd, program_fd, p, parent);
	if (pid < 0)
		return err_sys(e, errno, "cannot start the compiled program");
	int status = program_wait(pid, c);
	/* The replay trace contains the program's descriptor numbers. */
	for (uint32_t i = 0; i < p->n_slots; i++)
		fd_close(atomic_exchange(&p->fds[i], atomic_load(&control_fds(c)[i])));
	p->fds_elsewhere = true;
	if (atomic_load(&c->state) != CONTROL_ENDED)
		return program_broke(p, c, status, e);
	results_take(p, c);
	return c->result ? err_set(e, -c->result, "%s", c->err.msg) : 0;
}
