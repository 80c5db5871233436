/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/work.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "common/processors.h"
#include "common/progress.h"
#include "common/signals.h"
#include "common/splitmix.h"
#include "validate/campaign/launch.h"

#define LOOK_NS 200000000 /* interval of progress updates */
#define MANY_PROCESSES 1024

/* Returns the seed of a trial. Adjacent trials get unrelated seeds. */
static unsigned long seed_of(uint64_t seed, uint64_t trial)
{
	return splitmix_mix(seed * 0xd1342543de82ef95u + trial * SPLITMIX_STEP);
}

/* Returns the memory of process k: its number of trials, then its counts. */
static uint64_t *part_of(uint64_t *shared, const struct shared_work *w, unsigned int k)
{
	return shared + (size_t)k * (w->n_counts + 1);
}

static void trials_make(const struct shared_work *w, unsigned int k, unsigned int n, uint64_t *part)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	for (uint64_t i = k; i < w->n_trials; i += n) {
		gsl_rng_set(rng, seed_of(w->seed, i));
		w->trial(w->context, rng, part + 1);
		__atomic_store_n(part, part[0] + 1, __ATOMIC_RELAXED);
	}
	gsl_rng_free(rng);
}

static pid_t process_start(const struct shared_work *w, unsigned int k, unsigned int n,
			   uint64_t *part)
{
	pid_t parent = getpid(), pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	trials_make(w, k, n, part);
	_exit(0);
}

struct work_crew {
	pid_t pid[MANY_PROCESSES];
	unsigned int n, n_running;
	bool failed;
};

static void crew_end(struct work_crew *c)
{
	for (unsigned int i = 0; i < c->n; i++)
		if (c->pid[i] > 0) {
			kill(c->pid[i], SIGKILL);
			TEMP_FAILURE_RETRY(waitpid(c->pid[i], NULL, 0));
		}
}

static void crew_look(struct work_crew *c)
{
	for (unsigned int i = 0; i < c->n; i++) {
		int status;
		if (c->pid[i] <= 0 || waitpid(c->pid[i], &status, WNOHANG) != c->pid[i])
			continue;
		c->pid[i] = 0;
		c->n_running--;
		c->failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	}
}

static int crew_wait(const struct shared_work *w, struct work_crew *c, uint64_t *shared,
		     const sigset_t *signals, struct err *e)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	struct progress progress;
	int ret = 0;
	progress_start(&progress, w->n_trials, (double)w->n_trials, !w->quiet);
	while (c->n_running && !c->failed && !ret) {
		int signal = sigtimedwait(signals, NULL, &pause);
		if (signal > 0 && signal != SIGCHLD)
			ret = err_set(e, EINTR, "interrupted");
		crew_look(c);
		uint64_t n = 0;
		for (unsigned int k = 0; k < c->n; k++)
			n += __atomic_load_n(part_of(shared, w, k), __ATOMIC_RELAXED);
		progress_step(&progress, n, (double)n, w->what);
	}
	progress_end(&progress);
	if (c->failed && !ret)
		ret = err_set(e, EIO, "%s: a simulation process was killed or failed", w->what);
	return ret;
}

int work_run(const struct shared_work *w, uint64_t *count, struct err *e)
{
	const unsigned int n = w->n_processes ? w->n_processes : (unsigned int)processors_allowed();
	struct work_crew c = {.n = n};
	if (c.n > MANY_PROCESSES)
		c.n = MANY_PROCESSES;
	size_t bytes = c.n * (w->n_counts + 1) * sizeof(uint64_t);
	uint64_t *shared =
	    mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return err_sys(e, errno, "cannot share %zu bytes with the simulation processes",
			       bytes);
	sigset_t signals, before;
	signals_hold(&signals, true, &before);
	int ret = 0;
	for (unsigned int k = 0; k < c.n && !ret; k++, c.n_running++) {
		c.pid[k] = process_start(w, k, c.n, part_of(shared, w, k));
		if (c.pid[k] < 0)
			ret = err_sys(e, errno, "cannot start a simulation process");
	}
	ret = ret ? ret : crew_wait(w, &c, shared, &signals, e);
	crew_end(&c);
	signals_release(&before, ret == -EINTR);
	memset(count, 0, w->n_counts * sizeof *count);
	for (unsigned int k = 0; k < c.n; k++)
		for (size_t i = 0; i < w->n_counts; i++)
			count[i] += part_of(shared, w, k)[i + 1];
	munmap(shared, bytes);
	return ret;
}
