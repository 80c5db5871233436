/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/pause.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "common/clock.h"
#include "common/units.h"

static void futex_sleep(_Atomic uint32_t *word, uint32_t value, const struct timespec *limit)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, limit, NULL, 0);
}

static void futex_wake_all(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* --- the process that is paused ------------------------------------------ */

/* A process that has ended counts as gone, also before its parent has waited for it. */
static bool controller_is_gone(const struct pause_page *page)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, page->controller, 0),
			   .events = POLLIN};
	if (p.fd < 0)
		return errno == ESRCH;
	const bool gone = poll(&p, 1, 0) > 0;
	close(p.fd);
	return gone;
}

int pause_page_join(struct pause *p, const char *text, struct err *e)
{
	struct stat st;
	uint64_t fd = 0;
	int ret = parse_uint(text, &fd, e);
	unsetenv(PAUSE_VARIABLE);
	if (ret) {
		err_context(e, PAUSE_VARIABLE);
		return ret;
	}
	if (fd > INT_MAX || fstat((int)fd, &st) < 0 ||
	    st.st_size != (off_t)sizeof(struct pause_page))
		return err_set(e, EINVAL,
			       PAUSE_VARIABLE ": descriptor %llu is not the shared memory that a "
			       "campaign of this version of validate uses to pause processes; "
			       "outside a campaign, unset " PAUSE_VARIABLE,
			       (unsigned long long)fd);
	void *base =
	    mmap(NULL, sizeof(struct pause_page), PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	if (base == MAP_FAILED || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_sys(e, errno,
			       "cannot map the shared memory that " PAUSE_VARIABLE " names");
	close((int)fd);
	p->page = base;
	p->word = &p->page->word;
	/* the parent may have ended before the death signal was set */
	if (controller_is_gone(p->page))
		_exit(1);
	return 0;
}

void pause_event(struct pause_page *page)
{
	atomic_fetch_add(&page->n_events, 1);
	futex_wake_all(&page->n_events);
}

bool pause_here(struct pause *p, uint32_t i)
{
	uint32_t word = atomic_load(p->word);
	if (!p->page)
		return word & PAUSE_END;
	if (word & PAUSE_HOLD && !(word & PAUSE_END)) {
		atomic_store(&p->page->thread[i].state, PAUSE_PARKED);
		pause_event(p->page);
		while (((word = atomic_load(p->word)) & PAUSE_HOLD) && !(word & PAUSE_END))
			futex_sleep(p->word, word, NULL);
		atomic_store(&p->page->thread[i].state, PAUSE_RUNNING);
		/* the controller may have set the word again before it read that this thread
		 * runs */
		if (atomic_load(p->word) != word)
			return pause_here(p, i);
	}
	return word & PAUSE_END;
}

/* Sequentially consistent, as in the controller, which stores the word and then reads the states.
 * If the controller reads that this thread waits, then this thread reads the new word after its
 * wait. Otherwise, this thread reads the new word here and wakes the controller. Without that, the
 * controller would notice only after a time-out that the last thread is quiet. */
void pause_wait_begin(struct pause *p, uint32_t i)
{
	if (!p->page)
		return;
	atomic_store(&p->page->thread[i].state, PAUSE_WAITING);
	if (atomic_load(p->word) & PAUSE_HOLD)
		pause_event(p->page);
}

void pause_wait_end(struct pause *p, uint32_t i)
{
	if (p->page)
		atomic_store(&p->page->thread[i].state, PAUSE_RUNNING);
}

void pause_finish_wait(struct pause_page *page)
{
	const struct timespec second = {1, 0};
	while (!atomic_load(&page->finish) && !controller_is_gone(page))
		futex_sleep(&page->finish, 0, &second);
}

void pause_end(struct pause *p)
{
	atomic_fetch_or(p->word, PAUSE_END);
	if (p->page)
		futex_wake_all(p->word);
}

void pause_keep(struct pause *p)
{
	if (!p->page)
		return;
	atomic_store(&p->page->thread[0].state, PAUSE_RUNNING);
	atomic_store(&p->page->n_threads, 1);
	atomic_store(&p->page->keeper, (int32_t)getpid());
	pause_event(p->page);
}

/* While the controller continues the program, the result may be too small by one pause, but it is
 * never too large. So no limit ends a program that has time left. */
int64_t pause_active_ns(const struct pause *p)
{
	if (!p || !p->page)
		return clock_monotonic_ns();
	const int64_t since_ns = atomic_load(&p->page->paused_since_ns);
	const int64_t paused_ns = atomic_load(&p->page->paused_ns);
	return (since_ns ? since_ns : clock_monotonic_ns()) - paused_ns;
}

/* --- the controller ------------------------------------------------------ */

int pause_page_make(struct pause_page **page, int *fd, struct err *e)
{
	*page = NULL;
	*fd = memfd_create("validate-pause", MFD_CLOEXEC);
	void *base = MAP_FAILED;
	if (*fd >= 0 && ftruncate(*fd, (off_t)sizeof **page) == 0)
		base = mmap(NULL, sizeof **page, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (base == MAP_FAILED) {
		int ret = err_sys(e, errno, "cannot create the shared memory with which a "
					 "campaign pauses a process");
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
		return ret;
	}
	*page = base;
	(*page)->controller = getpid();
	atomic_store(&(*page)->word, PAUSE_HOLD);
	return 0;
}

void pause_page_free(struct pause_page *page, int fd)
{
	if (page)
		munmap(page, sizeof *page);
	fd_close(fd);
}

enum pause_look pause_look(const struct pause_page *page)
{
	const uint32_t n = atomic_load(&page->n_threads);
	uint32_t n_of[PAUSE_LEFT + 1] = {0};
	for (uint32_t i = 0; i < n && i < PAUSE_THREADS_MAX; i++) {
		const uint32_t state = atomic_load(&page->thread[i].state);
		n_of[state <= PAUSE_LEFT ? state : PAUSE_ABSENT]++;
	}
	if (!n || n_of[PAUSE_ABSENT])
		return PAUSE_NOT_READY;
	if (n_of[PAUSE_RUNNING])
		return PAUSE_BUSY;
	return n_of[PAUSE_LEFT] == n ? PAUSE_DONE : PAUSE_QUIET;
}

void pause_hold(struct pause_page *page)
{
	atomic_fetch_or(&page->word, PAUSE_HOLD);
}

void pause_go(struct pause_page *page)
{
	atomic_fetch_and(&page->word, ~(uint32_t)PAUSE_HOLD);
	futex_wake_all(&page->word);
}

void pause_clock_stop(struct pause_page *page)
{
	if (!atomic_load(&page->paused_since_ns))
		atomic_store(&page->paused_since_ns, clock_monotonic_ns());
}

void pause_clock_go(struct pause_page *page)
{
	const int64_t since_ns = atomic_load(&page->paused_since_ns);
	if (!since_ns)
		return;
	atomic_fetch_add(&page->paused_ns, clock_monotonic_ns() - since_ns);
	atomic_store(&page->paused_since_ns, 0);
}

void pause_let_finish(struct pause_page *page)
{
	atomic_store(&page->finish, 1);
	futex_wake_all(&page->finish);
}

void pause_events_wait(struct pause_page *page, uint32_t seen, int64_t ns)
{
	const struct timespec limit = {ns / 1000000000, ns % 1000000000};
	if (ns > 0)
		futex_sleep(&page->n_events, seen, &limit);
}
