/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows fill, are taken and are reused; threads and processes start and end; memory is
 * exhausted. */
#include "tests/unit/capture/recorder.h"

#include <pthread.h>
#include <sys/stat.h>

enum { IN_WINDOW = (LOG_UNITS - LOG_FIRST_UNIT) / 2, THREADS = 4500, LITTLE = 16 };

/* --- in the other process ------------------------------------------------ */

static int fill_and_go_on(void)
{
	for (uint64_t i = 0; i < 5 * IN_WINDOW; i++)
		record_io(i);
	raise(SIGSTOP); /* full windows are taken meanwhile */
	for (uint64_t i = 5 * IN_WINDOW; i < 9 * IN_WINDOW; i++)
		record_io(i);
	return 0;
}

static void *one_record(void *arg)
{
	record_io((uint64_t)(uintptr_t)arg);
	return NULL;
}

/* Starts more threads than there are places: the places of ended threads are reused. */
static int many_threads(void)
{
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_t t;
		if (pthread_create(&t, NULL, one_record, (void *)i) || pthread_join(t, NULL))
			return 1;
	}
	return 0;
}

static pthread_barrier_t together;

static void *many_records(void *arg)
{
	pthread_barrier_wait(&together);
	for (uint64_t i = 0; i < 3000; i++)
		capture_io(OP_PREAD, i, i, (int)(intptr_t)arg, i, 0, 0, 0);
	return NULL;
}

static int threads_at_once(void)
{
	pthread_t t[64];
	pthread_barrier_init(&together, NULL, 64);
	for (intptr_t i = 0; i < 64; i++)
		if (pthread_create(&t[i], NULL, many_records, (void *)i))
			return 1;
	for (int i = 0; i < 64; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static int children(void)
{
	record_io(1);
	for (int k = 0; k < 3; k++) {
		pid_t pid = fork();
		/* the child has its own windows, although it inherits the mapping of its parent */
		if (!pid) {
			capture_more();
			for (uint64_t i = 0; i < 100; i++)
				record_io(100 + i);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		record_io(2 + (uint64_t)k);
	}
	return 0;
}

/* The children run like children of vfork(): in their parent's memory, nested deeper than the
 * library can store. */
static int children_in_this_memory(void)
{
	record_io(0);
	for (uint32_t depth = 1; depth <= 6; depth++) {
		capture_vfork_child(1000 + depth);
		record_io(depth);
	}
	for (uint64_t depth = 6; depth >= 1; depth--) {
		capture_vfork_parent();
		record_io(depth + 99);
	}
	capture_vfork_parent(); /* without a matching vfork */
	record_io(200);
	return 0;
}

static int no_room(void)
{
	struct log_control *c = capture_control();
	atomic_store(&c->closed, 1); /* no collector frees windows */
	for (uint64_t i = 0; i < 20 * IN_WINDOW; i++)
		record_io(i);
	return 0;
}

static int far_more(void)
{
	for (uint64_t i = 0; i < 100 * IN_WINDOW; i++)
		record_io(i);
	return 0;
}

static int no_file(void)
{
	for (uint64_t i = 0; i < 10; i++)
		record_io(i);
	return 0;
}

static const struct part parts[] = {{"fill_and_go_on", fill_and_go_on},
				    {"many_threads", many_threads},
				    {"threads_at_once", threads_at_once},
				    {"children", children},
				    {"children_in_this_memory", children_in_this_memory},
				    {"no_room", no_room},
				    {"no_file", no_file},
				    {"far_more", far_more},
				    {NULL, NULL}};

/* --- results in the buffers ---------------------------------------------- */

static void see_number(const struct merge_record *r, size_t n, void *context)
{
	(void)context;
	assert_int_equal(r->r->offset, n);
	assert_int_equal(r->r->begin, n + 1000);
	assert_int_equal(r->r->end, n + 2000);
}

static void full_windows_are_taken_and_used_again(void **state)
{
	(void)state;
	struct spool s;
	recorder_open(&s, 0);
	pid_t pid = recorder_start(&s, "fill_and_go_on", 0);
	recorder_wait_stopped(pid);
	const char *base = only_image(&s);
	const struct log_file *f = (const struct log_file *)(const void *)base;
	uint32_t n = f->n, generation = log_generation(window_of(base, 1)), n_free = 0,
		 n_active = 0;
	for (uint32_t i = 1; i < n; i++) {
		n_free += log_state(window_of(base, i)->use) == WINDOW_FREE;
		n_active += log_state(window_of(base, i)->use) == WINDOW_ACTIVE;
	}
	/* the records of the start come first: five windows are full and the sixth is in use */
	assert_int_equal(n, 7);
	assert_int_equal(n_free, 5);
	assert_int_equal(n_active, 1);
	assert_int_equal(s.n_windows, 5);
	kill(pid, SIGCONT);
	recorder_wait(pid, 0);
	assert_int_equal(f->n, n); /* no new windows */
	/* the first that was free */
	assert_int_equal(log_generation(window_of(base, 1)), generation + 1);
	drained(&s, true);
	assert_int_equal(each_record(&s, OP_PREAD, see_number, NULL), 9 * IN_WINDOW);
	assert_int_equal(s.n_torn, 0);
	spool_close(&s);
}

/* While there is room, the collector postpones work that would take CPU time from the program, and
 * no thread waits. */
static void full_windows_stay_while_cpus_are_busy(void **state)
{
	(void)state;
	struct spool s;
	struct err e = ERR_INIT;
	recorder_open(&s, 0);
	pid_t pid = recorder_start(&s, "fill_and_go_on", 0);
	recorder_wait_stopped(pid);
	s.n_put_off_max = 5;
	assert_int_equal(spool_drain(&s, SPOOL_BUSY, &e), 0);
	assert_int_equal(s.n_images, 1);
	assert_int_equal(s.n_windows, 0);
	s.n_put_off_max = 4;
	assert_int_equal(spool_drain(&s, SPOOL_BUSY, &e), 0);
	assert_int_equal(s.n_windows, 5);
	assert_int_equal(s.control->wanted, 0);
	kill(pid, SIGCONT);
	recorder_wait(pid, 0);
	s.n_put_off_max = 1000;
	/* it has ended: no process is disturbed */
	assert_int_equal(spool_drain(&s, SPOOL_BUSY, &e), 0);
	assert_null(s.image[0].base);
	assert_int_equal(each_record(&s, OP_PREAD, see_number, NULL), 9 * IN_WINDOW);
	spool_close(&s);
}

static void waiting_threads_are_served_on_busy_cpus(void **state)
{
	(void)state;
	struct spool s;
	struct err e = ERR_INIT;
	int status = 0, tries = 0;
	recorder_open(&s, 0);
	/* a file of few windows, and many more records than fit into them */
	pid_t pid = recorder_start(&s, "far_more", LITTLE * (rlim_t)LOG_WINDOW);
	while (!atomic_load(&s.control->wanted) && tries++ < 60000)
		usleep(1000);
	assert_true(tries < 60000);
	s.n_put_off_max = UINT32_MAX;
	assert_int_equal(spool_drain(&s, SPOOL_BUSY, &e), 0);
	assert_true(s.n_windows > LITTLE / 2);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		assert_int_equal(spool_drain(&s, SPOOL_BUSY, &e), 0);
		usleep(1000);
	}
	assert_int_equal(status, 0);
	drained(&s, true);
	assert_int_equal(each_record(&s, OP_PREAD, see_number, NULL), 100 * IN_WINDOW);
	assert_int_equal(s.control->n_lost, 0);
	spool_close(&s);
}

struct threads_seen {
	char seen[THREADS];
	size_t n_tids;
};

static void see_thread(const struct merge_record *r, size_t n, void *context)
{
	struct threads_seen *t = context;
	(void)n;
	assert_true(r->r->offset < THREADS);
	assert_int_equal(t->seen[r->r->offset]++, 0);
	assert_int_not_equal(r->tid, r->pid);
}

static void places_of_ended_threads_are_reused(void **state)
{
	(void)state;
	struct spool s;
	static struct threads_seen seen;
	recorder_open(&s, 0);
	pid_t pid = recorder_start(&s, "many_threads", 0);
	int status = 0;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		drained(&s, false);
		usleep(1000);
	}
	assert_int_equal(status, 0);
	drained(&s, true);
	assert_int_equal(each_record(&s, OP_PREAD, see_thread, &seen), THREADS);
	assert_int_equal(s.control->n_lost, 0);
	spool_close(&s);
}

static void see_turn(const struct merge_record *r, size_t n, void *context)
{
	uint64_t *next = context;
	(void)n;
	assert_true(r->r->fd >= 0 && r->r->fd < 64);
	assert_int_equal(r->r->offset, next[r->r->fd]++); /* each thread's in its order */
}

static void threads_at_once_keep_apart(void **state)
{
	(void)state;
	struct spool s;
	uint64_t next[64] = {0};
	recorder_run(&s, 0, "threads_at_once");
	drained(&s, true);
	assert_int_equal(each_record(&s, OP_PREAD, see_turn, next), 64 * 3000);
	spool_close(&s);
}

static void see_image(const struct merge_record *r, size_t n, void *context)
{
	size_t *of_image = context;
	(void)n;
	assert_true(r->image < 4);
	of_image[r->image]++;
}

static void see_start(const struct merge_record *r, size_t n, void *context)
{
	uint32_t *parent = context;
	if (!n)
		*parent = r->pid;
	else
		assert_int_equal(r->r->result, *parent);
	assert_int_equal(r->r->fd, r->pid);
	assert_true(r->path_len > 0 && r->path[0] == '/' && r->extra_len > 0 && r->extra[0] == '/');
}

static void a_forked_child_begins_anew(void **state)
{
	(void)state;
	struct spool s;
	size_t of_image[4] = {0};
	uint32_t parent = 0;
	recorder_run(&s, 0, "children");
	drained(&s, true);
	assert_int_equal(s.n_images, 4);
	assert_int_equal(each_record(&s, OP_PREAD, see_image, of_image), 4 + 3 * 100);
	for (int i = 0; i < 4; i++)
		assert_true(of_image[i] == 4 || of_image[i] == 100);
	assert_int_equal(each_record(&s, LOG_START, see_start, &parent), 4);
	spool_close(&s);
}

static void see_depth(const struct merge_record *r, size_t n, void *context)
{
	uint64_t at = r->r->offset, depth = at == 0 || at == 200 ? 0 : at < 100 ? at : at - 100;
	(void)n;
	/* a child nested more than four deep is recorded as its parent; afterwards each process
	 * must have its own number again */
	assert_int_equal(r->pid == *(uint32_t *)context, depth == 0);
	assert_true(depth == 0 || r->pid == 1000 + (depth < 4 ? depth : 4));
}

static void children_of_vfork_have_numbers_of_their_own(void **state)
{
	(void)state;
	struct spool s;
	recorder_open(&s, 0);
	pid_t pid = recorder_start(&s, "children_in_this_memory", 0);
	recorder_wait(pid, 0);
	drained(&s, true);
	assert_int_equal(each_record(&s, OP_PREAD, see_depth, &pid), 14);
	spool_close(&s);
}

static void see_count(const struct merge_record *r, size_t n, void *context)
{
	(void)context;
	/* the first records are kept: records without room are lost, and no record is
	 * overwritten */
	assert_int_equal(r->r->offset, n);
}

static void records_without_room_are_counted(void **state)
{
	(void)state;
	struct spool s;
	recorder_open(&s, 0);
	recorder_wait(recorder_start(&s, "no_room", LITTLE * (rlim_t)LOG_WINDOW), 0);
	drained(&s, true);
	size_t n = each_record(&s, OP_PREAD, see_count, NULL);
	assert_int_equal(n + s.control->n_lost, 20 * IN_WINDOW);
	assert_true(n > (LITTLE - 2) * IN_WINDOW && n < LITTLE * IN_WINDOW);
	spool_close(&s);
}

static void without_a_file_all_records_are_counted(void **state)
{
	(void)state;
	struct spool s;
	recorder_open(&s, 0);
	recorder_wait(recorder_start(&s, "no_file", 4096), 0); /* and no SIGXFSZ */
	drained(&s, true);
	assert_int_equal(s.n_images, 0);
	assert_true(s.control->n_lost >= 10);
	spool_close(&s);
}

int main(int argc, char **argv)
{
	part_run(argc, argv, parts);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_windows_are_taken_and_used_again),
		cmocka_unit_test(full_windows_stay_while_cpus_are_busy),
		cmocka_unit_test(waiting_threads_are_served_on_busy_cpus),
		cmocka_unit_test(places_of_ended_threads_are_reused),
		cmocka_unit_test(threads_at_once_keep_apart),
		cmocka_unit_test(a_forked_child_begins_anew),
		cmocka_unit_test(children_of_vfork_have_numbers_of_their_own),
		cmocka_unit_test(records_without_room_are_counted),
		cmocka_unit_test(without_a_file_all_records_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
