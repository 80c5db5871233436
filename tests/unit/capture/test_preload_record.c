/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A record in its window, byte by byte, and the effect of its texts. */
#include "tests/unit/capture/recorder.h"

#include <fcntl.h>
#include <sys/time.h>

/* --- in the other process ------------------------------------------------ */

static int one_of_each(void)
{
	errno = ENOSPC;
	record_io(0x1122334455667788);
	capture_io(OP_READ, 0x0011223344556677, 0x0011223344556677 + 0x8899aabb, 0x1234,
		   0x665544332211, 0x80000001, 0, 0x7ffff000);
	capture_io(OP_WRITE, 5, 6, -1, OFFSET_NONE, 10, 0, -1);
	if (errno != ENOSPC)
		return 1;
	const struct note n = {.begin = 7, .end = 9, .op = OP_RENAME, .fd = 3, .dir = AT_FDCWD, .flags = 0x80000001u, .offset = 11,
			       .length = 12, .result = -1, .path = "from/here", .second_dir = 44, .extra = "to", .extra_len = 2};
	errno = EXDEV;
	capture_note(&n);
	return errno == EXDEV ? 0 : 2;
}

static int texts(void)
{
	static char path[6000], extra[LOG_TEXT_MAX];
	memset(path, 'p', sizeof path - 1);
	memset(extra, 'e', sizeof extra);
	const struct note all[] = {
		{.begin = 1, .op = OP_OPEN, .path = ""},
		{.begin = 2, .op = OP_OPEN, .path = path},
		{.begin = 3, .op = OP_OPEN, .path = path + 5999 - 40},
		{.begin = 4, .op = OP_OPEN, .extra = extra, .extra_len = sizeof extra},
		{.begin = 5, .op = OP_OPEN, .path = path, .extra = extra, .extra_len = sizeof extra},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		capture_note(&all[i]);
	const struct note bad = {.begin = 6, .op = OP_OPEN, .result = -1, .path = (const char *)8, .extra = (const void *)8, .extra_len = 9};
	errno = EFAULT; /* the kernel has returned EFAULT for the pointers */
	capture_note(&bad);
	return 0;
}

static int n_handled;

static void handler(int number)
{
	(void)number;
	capture_io(OP_WRITE, 1, 2, 9, (uint64_t)n_handled++, 0, 0, 0);
	const struct note n = {.begin = 1, .end = 2, .op = OP_STAT, .path = "from a handler"};
	capture_note(&n);
}

/* Each field with the largest value that one unit holds, and with the next value. */
static const struct log_record bounds[] = {
	{.begin = (UINT64_C(1) << 56) - 1, .end = UINT64_C(1) << 56},
	{.begin = UINT64_C(1) << 56, .end = UINT64_C(1) << 56},
	{.begin = 2, .end = 2 + (uint64_t)UINT32_MAX},
	{.begin = 2, .end = 3 + (uint64_t)UINT32_MAX},
	{.begin = 3, .end = 2},
	{.offset = (UINT64_C(1) << 48) - 2},
	{.offset = (UINT64_C(1) << 48) - 1},
	{.offset = OFFSET_NONE},
	{.offset = OFFSET_NONE - 1},
	{.length = UINT32_MAX},
	{.length = UINT64_C(1) << 32},
	{.result = INT32_MAX},
	{.result = INT64_C(1) << 31},
	{.result = -1, .error = EIO},
	{.result = INT64_MIN, .error = EIO},
	{.fd = -1},
	{.fd = 65534},
	{.fd = 65535},
	{.fd = -2},
	{.fd = INT32_MIN},
	{.flags = 1},
};
enum { N_BOUNDS = sizeof bounds / sizeof *bounds };
static const char in_one_unit[N_BOUNDS + 1] = "101001010101000110000"; /* ('1': so it is) */

static int at_the_bounds(void)
{
	errno = EIO;
	for (size_t i = 0; i < N_BOUNDS; i++) {
		const struct log_record *b = &bounds[i];
		capture_io(OP_PREAD, b->begin, b->end, b->fd, b->offset, b->length, b->flags,
			   b->result);
	}
	return 0;
}

/* A signal handler runs between any two instructions of the recorder. */
static int handlers(void)
{
	const struct sigaction a = {.sa_handler = handler};
	const struct itimerval often = {{0, 20}, {0, 20}}, never = {{0, 0}, {0, 0}};
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (uint64_t i = 0; i < 100000 || (n_handled < 20 && i < 20000000); i++) {
		record_io(i);
		if (i % 7 == 0) {
			const struct note n = {.begin = i, .end = i, .op = OP_OPEN, .path = "between"};
			capture_note(&n);
		}
	}
	setitimer(ITIMER_REAL, &never, NULL);
	return 0;
}

static void torn_parts(void)
{
	record_io(1);
	struct log_record *open_one =
	    (struct log_record *)(void *)capture_reserve(capture_self, sizeof *open_one);
	open_one->op = OP_WRITE; /* killed before the record is committed */
	record_io(2);
	struct log_short *little =
	    (struct log_short *)(void *)capture_reserve(capture_self, sizeof *little);
	little->begin_op = (uint64_t)OP_WRITE << LOG_SHORT_BEGIN_BITS;
	capture_io(OP_PREAD, 3, 4, 5, 6, 7, 0, 8);
}

static int torn(void)
{
	torn_parts();
	raise(SIGKILL);
	return 0;
}

/* A window with an incomplete part, which later records fill. */
static int torn_in_a_full_one(void)
{
	torn_parts();
	for (uint64_t i = 0; i < LOG_UNITS; i++)
		capture_io(OP_PREAD, 3, 4, 5, 6, 7, 0, 8);
	return 0;
}

static const struct part parts[] = {{"one_of_each", one_of_each},
				    {"at_the_bounds", at_the_bounds},
				    {"texts", texts},
				    {"handlers", handlers},
				    {"torn", torn},
				    {"torn_in_a_full_one", torn_in_a_full_one},
				    {NULL, NULL}};

/* --- results in the buffers ---------------------------------------------- */

static const void *find(const struct log_window *w, uint16_t op)
{
	struct log_record r;
	for (uint32_t i = LOG_FIRST_UNIT, n; (n = log_units(unit_of(w, i), LOG_UNITS - i));
	     i += n) {
		log_expand(unit_of(w, i), n, &r);
		if (r.op == op)
			return unit_of(w, i);
	}
	fail_msg("no record of operation %u", op);
	return NULL;
}

static void a_record_is_64_bytes_and_its_text_follows(const struct log_window *w)
{
	const unsigned char *b = find(w, OP_PREAD);
	static const unsigned char offset[8] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
	const uint64_t begin = 0x1122334455667788 + 1000, end = begin + 1000;
	assert_memory_equal(b, &begin, 8);
	assert_memory_equal(b + 8, &end, 8);
	assert_memory_equal(b + 16, offset, 8);
	assert_int_equal(b[24] | b[25] << 8, OP_PREAD);
	assert_int_equal(b[26] | b[27] << 8, 2); /* units */
	const uint32_t generation = log_generation(w);
	assert_memory_equal(b + 28, &generation, 4);
	static const unsigned char rest[] = {0, 16, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0,
					     0, 0,  7, 0, 0, 0, 0, 0, 0, 0,  3, 0, 0, 0};
	assert_memory_equal(b + 32, rest, sizeof rest);
	assert_int_equal(b[60] | b[61] << 8, 0); /* error */
	const struct log_record *failed = find(w, OP_WRITE);
	assert_int_equal(failed->result, -1);
	assert_int_equal(failed->error, ENOSPC);
	const struct log_record *named = find(w, OP_RENAME);
	const struct log_text text = {9, 2, 44};
	assert_int_equal(named->n_units, 3);
	assert_int_equal(named->error, EXDEV);
	assert_int_equal(named->dir, AT_FDCWD);
	assert_int_equal(named->flags, 0x80000001u);
	assert_memory_equal(named + 1, &text, sizeof text);
	assert_memory_equal((const char *)(named + 1) + sizeof text, "from/hereto", 11);
}

static void a_short_one_is_32_bytes(const struct log_window *w)
{
	const unsigned char *b = find(w, OP_READ);
	static const unsigned char want[] = {
	    0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, OP_READ, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66,
	    0x34, 0x12, 0xbb, 0xaa, 0x99, 0x88, 0x01, 0,       0,    0x80, 0,    0xf0, 0xff, 0xff};
	const uint32_t generation = log_generation(w);
	assert_memory_equal(b, want, sizeof want);
	assert_memory_equal(b + sizeof want, &generation, 4);
}

static void records_lie_in_their_window_byte_by_byte(void **state)
{
	(void)state;
	struct spool s;
	recorder_open(&s, 0);
	pid_t pid = recorder_start(&s, "one_of_each", 0);
	siginfo_t info;
	/* still in its own window: nothing is taken yet */
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(info.si_status, 0);
	const struct log_window *w = window_of(only_image(&s), 1);
	assert_int_equal(log_state(w->use), WINDOW_ACTIVE);
	assert_int_equal(w->pid, pid);
	assert_int_equal(w->tid, pid);
	a_record_is_64_bytes_and_its_text_follows(w);
	a_short_one_is_32_bytes(w);
	recorder_wait(pid, 0);
	spool_close(&s);
}

static void see_bound(const struct merge_record *r, size_t n, void *context)
{
	bool *seen = context;
	size_t i = 0;
	const struct log_record *b = bounds, *got = r->r;
	(void)n;
	while (i < N_BOUNDS &&
	       (seen[i] || b->begin != got->begin || b->end != got->end ||
		b->offset != got->offset || b->length != got->length || b->result != got->result ||
		b->fd != got->fd || b->flags != got->flags))
		b = &bounds[++i];
	assert_true(i < N_BOUNDS);
	seen[i] = true;
	assert_int_equal(got->error, b->error);
	assert_int_equal(got->n_units, in_one_unit[i] == '1' ? 1 : 2);
}

static void large_values_take_two_units(void **state)
{
	(void)state;
	struct spool s;
	bool seen[N_BOUNDS] = {false};
	recorder_run(&s, 0, "at_the_bounds");
	drained(&s, true);
	assert_int_equal(each_record(&s, OP_PREAD, see_bound, seen), N_BOUNDS);
	spool_close(&s);
}

static void see_text(const struct merge_record *r, size_t n, void *context)
{
	/* path and extra, each truncated to the room of a window after its header; without path and
	 * extra there are none */
	static const size_t want[][2] = {
	    {0, 0}, {4096, 0}, {40, 0}, {0, LOG_TEXT_MAX - 4096}, {4096, LOG_TEXT_MAX - 4096},
	    {0, 0}};
	(void)context;
	assert_int_equal(r->r->begin, n + 1);
	assert_int_equal(r->path_len, want[n][0]);
	assert_int_equal(r->extra_len, want[n][1]);
	for (size_t i = 0; i < r->path_len; i++)
		assert_int_equal(r->path[i], 'p');
	for (size_t i = 0; i < r->extra_len; i++)
		assert_int_equal(r->extra[i], 'e');
	assert_int_equal(r->r->error, n == 5 ? EFAULT : 0);
	assert_int_equal(r->path != NULL, n != 5);
}

static void long_texts_are_cut_and_bad_pointers_are_not_read(void **state)
{
	(void)state;
	struct spool s;
	recorder_run(&s, 0, "texts");
	drained(&s, true);
	assert_int_equal(each_record(&s, OP_OPEN, see_text, NULL), 6);
	assert_int_equal(s.control->n_lost, 0);
	spool_close(&s);
}

static void see_number(const struct merge_record *r, size_t n, void *context)
{
	(void)context;
	assert_int_equal(r->r->offset, n); /* each once, in their order */
}

static void handlers_of_signals_disturb_no_record(void **state)
{
	(void)state;
	struct spool s;
	recorder_open(&s, 0);
	pid_t pid = recorder_start(&s, "handlers", 0);
	int status = 0;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		drained(&s, false);
		usleep(2000);
	}
	assert_int_equal(status, 0);
	drained(&s, true);
	size_t n = each_record(&s, OP_PREAD, see_number, NULL),
	       n_handled_there = each_record(&s, OP_STAT, NULL, NULL);
	assert_true(n >= 100000 && n_handled_there >= 20);
	assert_int_equal(each_record(&s, OP_OPEN, NULL, NULL), (n + 6) / 7);
	assert_int_equal(each_record(&s, OP_WRITE, NULL, NULL), n_handled_there);
	assert_int_equal(s.control->n_lost, 0);
	assert_int_equal(s.n_torn, 0);
	spool_close(&s);
}

static void uncommitted_records_are_left_out(void **state)
{
	(void)state;
	struct spool s;
	recorder_open(&s, 0);
	recorder_wait(recorder_start(&s, "torn", 0), SIGKILL);
	drained(&s, true);
	assert_int_equal(each_record(&s, OP_PREAD, NULL, NULL), 3);
	assert_int_equal(each_record(&s, OP_WRITE, NULL, NULL), 0);
	spool_close(&s);
	recorder_run(&s, 0, "torn_in_a_full_one");
	drained(&s, true);
	assert_int_equal(each_record(&s, OP_PREAD, NULL, NULL), 3 + LOG_UNITS);
	assert_int_equal(each_record(&s, OP_WRITE, NULL, NULL), 0);
	/* later records follow, so the missing records are counted */
	assert_int_equal(s.n_torn, 2);
	spool_close(&s);
}

int main(int argc, char **argv)
{
	part_run(argc, argv, parts);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_lie_in_their_window_byte_by_byte),
		cmocka_unit_test(large_values_take_two_units),
		cmocka_unit_test(long_texts_are_cut_and_bad_pointers_are_not_read),
		cmocka_unit_test(handlers_of_signals_disturb_no_record),
		cmocka_unit_test(uncommitted_records_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
