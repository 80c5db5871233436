/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that run in turn: by gate, by signal, and programs without a gate whose processes have
 * sessions of their own. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/clock.h"
#include "tests/unit/validate/temp_dir.h"
#include "validate/campaign/launch.h"
#include "validate/campaign/rounds.h"

#define N_ROLES 3
/* A process goes on until it has made so many requests and was paused so often, however long its
 * slices are. */
#define N_REQUESTS 400
#define N_PAUSES 6
#define MAX_REQUESTS 100000
#define REQUEST_NS 100000
/* Other programs may keep a process off the CPUs for seconds. */
#define QUIET_LIMIT_NS INT64_C(60000000000)

struct seen { /* shared with the processes */
	_Atomic uint64_t n_done;
	uint64_t n_pauses;
	int64_t paused_ns; /* of the page, at the last request */
	int64_t begin_ns[MAX_REQUESTS];
};

/* MOVES: the process of another project, which moves to a session of its own while it runs */
enum kind { BY_GATE, BY_SIGNAL, FOREIGN, MOVES, BREAKS };

struct fixture {
	char *dir;
	int signal_fd;
	sigset_t old;
	struct rounds rounds;
	struct round_role role[N_ROLES];
	struct seen *seen[N_ROLES];
	int fd[N_ROLES];
};

static void request_make(struct seen *s)
{
	const int64_t begin_ns = s->begin_ns[s->n_done] = clock_monotonic_ns();
	while (clock_monotonic_ns() - begin_ns < REQUEST_NS)
		;
	s->n_done++;
}

static bool goes_on(struct pause *p, struct seen *s)
{
	const int64_t paused_ns = atomic_load(&p->page->paused_ns);
	s->n_pauses += paused_ns > s->paused_ns;
	s->paused_ns = paused_ns;
	return (s->n_done < N_REQUESTS || s->n_pauses < N_PAUSES) && s->n_done < MAX_REQUESTS;
}

/* A program with a gate. */
static void gated(struct pause *p, struct seen *s, enum kind kind)
{
	pause_threads(p, 1, NULL);
	pause_enter(p, 0);
	while (goes_on(p, s)) {
		if (pause_wanted(p->word))
			pause_here(p, 0);
		if (kind == BREAKS && s->n_done == N_REQUESTS / 4)
			_exit(7);
		request_make(s);
	}
	pause_leave(p, 0);
	pause_finish(p);
}

/* A keeper; its grandchild makes the requests. */
static void kept(struct pause *p, struct seen *s, const char *dir, enum kind kind)
{
	if (fork() == 0) {
		setpgid(0, 0);
		if (fork() == 0) {
			if (kind != MOVES)
				setsid();
			char *path = xasprintf("%s/file", dir);
			if (open(path, O_RDONLY) < 0)
				_exit(1);
			while (goes_on(p, s)) {
				if (kind == MOVES && s->n_pauses > 0 &&
				    getpgrp() != getpid())
					setsid(); /* after the first pause */
				request_make(s);
			}
			_exit(0);
		}
		wait(NULL);
		_exit(0);
	}
	pause_keep(p);
	wait(NULL);
	pause_leave(p, 0);
	pause_finish(p);
}

static void role_start(struct fixture *f, size_t i, enum kind kind)
{
	struct round_role *x = &f->role[i];
	struct pause_page *page;
	char text[16];
	assert_int_equal(pause_page_make(&page, &f->fd[i], NULL), 0);
	f->seen[i] = mmap(NULL, sizeof *f->seen[i], PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(f->seen[i] != MAP_FAILED);
	const int64_t start_ns = clock_monotonic_ns();
	pid_t pid = fork();
	if (pid == 0) {
		struct pause p;
		setpgid(0, 0);
		sigprocmask(SIG_SETMASK, &f->old, NULL);
		snprintf(text, sizeof text, "%d", f->fd[i]);
		setenv(PAUSE_VARIABLE, text, 1);
		if (pause_join(&p, NULL))
			_exit(1);
		if (kind == FOREIGN || kind == MOVES)
			kept(&p, f->seen[i], f->dir, kind);
		else
			gated(&p, f->seen[i], kind);
		_exit(0);
	}
	setpgid(pid, pid);
	/* no gate stops this process: it may make requests before the campaign looks for it */
	while ((kind == FOREIGN || kind == MOVES) && !f->seen[i]->n_done)
		usleep(100);
	*x = (struct round_role){.page = page, .pid = pid, .by = kind == BY_GATE || kind == BREAKS ? PAUSE_GATE : PAUSE_SIGNAL,
				 .start_ns = start_ns, .quiet_limit_ns = QUIET_LIMIT_NS, .left_ns = INT64_C(1000000000000), .target = kind == FOREIGN || kind == MOVES ? f->dir : NULL};
	assert_int_equal(round_role_ready(x, f->signal_fd), 0);
	assert_int_equal(x->state, ROUND_GOING);
}

static void begin(struct fixture *f, const enum kind *kind, uint64_t seed)
{
	char *dir = temp_dir_make();
	*f = (struct fixture){.dir = realpath(dir, NULL)};
	free(dir);
	file_put(f->dir, "file", "x", 1);
	assert_int_equal(signals_take(&f->old, &f->signal_fd, NULL), 0);
	for (size_t i = 0; i < N_ROLES; i++)
		role_start(f, i, kind[i]);
	f->rounds = (struct rounds){.role = f->role, .n = N_ROLES, .slice_ns = 5000000, .seed = seed, .signal_fd = f->signal_fd};
	assert_int_equal(rounds_run(&f->rounds), 0);
}

static void end(struct fixture *f)
{
	for (size_t i = 0; i < N_ROLES; i++) {
		round_role_finish(&f->role[i]);
		assert_int_equal(waitpid(f->role[i].pid, NULL, 0), f->role[i].pid);
		round_role_release(&f->role[i]);
		pause_page_free(f->role[i].page, f->fd[i]);
		munmap(f->seen[i], sizeof *f->seen[i]);
	}
	signals_restore(&f->old, f->signal_fd);
	temp_dir_remove(f->dir);
}

struct piece {
	struct slice slice;
	size_t role;
};

static int by_time(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	return (x->slice.open_ns > y->slice.open_ns) - (x->slice.open_ns < y->slice.open_ns);
}

/* The slices of all roles from `from_ns` on, ascending. The caller frees. */
static struct piece *pieces_of(const struct fixture *f, size_t *n)
{
	struct piece *all = xcalloc(100000, sizeof *all);
	*n = 0;
	for (size_t i = 0; i < N_ROLES; i++)
		for (size_t k = 0; k < f->role[i].slices.n; k++)
			all[(*n)++] = (struct piece){f->role[i].slices.slice[k], i};
	qsort(all, *n, sizeof *all, by_time);
	return all;
}

/* Every slice is closed, and no slice of another role opens before the process is quiet. */
static void check_apart(const struct fixture *f)
{
	size_t n;
	struct piece *all = pieces_of(f, &n);
	for (size_t i = 0; i < n; i++) {
		assert_true(all[i].slice.open_ns > 0 &&
			    all[i].slice.open_ns <= all[i].slice.close_ns);
		assert_true(all[i].slice.close_ns <= all[i].slice.quiet_ns);
		assert_true(i + 1 == n || all[i].slice.quiet_ns <= all[i + 1].slice.open_ns);
	}
	free(all);
}

/* Every request of role i began in one of its slices: outside of them it does not run. */
static void check_inside(const struct fixture *f, size_t i)
{
	const struct slices *s = &f->role[i].slices;
	assert_int_equal(f->role[i].state, ROUND_DONE);
	assert_in_range(f->seen[i]->n_done, N_REQUESTS, MAX_REQUESTS - 1);
	assert_int_equal(f->role[i].n_late, 0);
	for (size_t k = 0, at = 0; k < f->seen[i]->n_done; k++) {
		while (at < s->n && s->slice[at].quiet_ns < f->seen[i]->begin_ns[k])
			at++;
		assert_true(at < s->n && f->seen[i]->begin_ns[k] >= s->slice[at].open_ns);
	}
}

static void check_kinds(const enum kind *kind)
{
	struct fixture f;
	begin(&f, kind, 7);
	check_apart(&f);
	for (size_t i = 0; i < N_ROLES; i++) {
		check_inside(&f, i);
		assert_true(f.role[i].slices.n > N_PAUSES);
	}
	end(&f);
}

/* A process that leaves the signalled process group is found again and stopped; otherwise it would
 * run on during its pauses. */
static void test_a_process_that_begins_a_session(void **state)
{
	(void)state;
	static const enum kind kind[] = {BY_GATE, MOVES, BY_GATE};
	struct fixture f;
	begin(&f, kind, 9);
	check_apart(&f);
	for (size_t i = 0; i < N_ROLES; i++)
		check_inside(&f, i);
	end(&f);
}

static void test_no_two_at_a_time(void **state)
{
	(void)state;
	static const enum kind kinds[][N_ROLES] = {{BY_GATE, BY_GATE, BY_GATE},
						   {BY_SIGNAL, BY_SIGNAL, BY_SIGNAL},
						   {BY_GATE, FOREIGN, FOREIGN}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		check_kinds(kinds[i]);
}

/* A failing role leaves the rounds; the others continue to their last request. */
static void test_a_role_that_breaks(void **state)
{
	(void)state;
	static const enum kind kind[] = {BY_GATE, BREAKS, FOREIGN};
	struct fixture f;
	begin(&f, kind, 8);
	assert_int_equal(f.role[1].state, ROUND_GONE);
	assert_int_equal(f.seen[1]->n_done, N_REQUESTS / 4);
	check_apart(&f);
	check_inside(&f, 0);
	check_inside(&f, 2);
	end(&f);
}

/* The order of the roles in the complete rounds, as a string. */
static char *firsts(uint64_t seed)
{
	static const enum kind kind[] = {BY_GATE, BY_GATE, BY_GATE};
	struct fixture f;
	size_t n, least = SIZE_MAX;
	begin(&f, kind, seed);
	struct piece *all = pieces_of(&f, &n);
	for (size_t i = 0; i < N_ROLES; i++)
		least = f.role[i].slices.n < least ? f.role[i].slices.n : least;
	const size_t n_rounds = least < 5 ? least : 5;
	char *text = xcalloc(n_rounds * N_ROLES + 1, 1);
	for (size_t i = 0; i < n_rounds * N_ROLES; i++) {
		text[i] = (char)('a' + all[i].role);
		for (size_t k = i - i % N_ROLES; k < i; k++) /* each role once in a round */
			assert_true(text[k] != text[i]);
	}
	free(all);
	end(&f);
	return text;
}

static void test_the_order_is_drawn(void **state)
{
	(void)state;
	char *one = firsts(1), *again = firsts(1), *other = firsts(2);
	const size_t n = strlen(one) < strlen(again) ? strlen(one) : strlen(again);
	assert_int_equal(n, 5 * N_ROLES);
	assert_memory_equal(one, again, n);
	assert_true(strncmp(one, other, n) != 0);
	bool changes = false;
	for (size_t i = N_ROLES; i < n; i++)
		changes |= one[i] != one[i % N_ROLES];
	assert_true(changes);
	free(one);
	free(again);
	free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_two_at_a_time),
	    cmocka_unit_test(test_a_process_that_begins_a_session),
	    cmocka_unit_test(test_a_role_that_breaks),
	    cmocka_unit_test(test_the_order_is_drawn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
