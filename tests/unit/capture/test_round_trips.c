/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every format that is both read and written, on random traces of reads and writes: the data that
 * the format can represent are read back, and writing them again gives the same file. */
#include "capture/format.h"
#include "capture/op.h"
#include "tests/unit/capture/sample.h"

#define N_OBJECTS 5u
#define N_REQUESTS 300u

/* Values that each format keeps: times in units of `unit` ns; the ends; pid and tid. */
static const struct kept {
	const char *name;
	int64_t unit_ns;
	bool ends, threads, fds;
} formats[] = {
    {"trace", 1, true, true, true},  {"csv", 1, true, true, true},     {"strace", 1, true, false, true},
    {"msr", 100, true, false, false}, {"snia", 1, true, false, false}, {"spc", 1, false, false, false},
    {"iolog", 1000, false, false, false},
};

static uint64_t state;

static uint64_t below(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 20) % n;
}

static void make(const char *path, uint64_t seed, struct trace_record *r)
{
	struct trace_meta meta = {.level = LEVEL_SYSCALL, .wall_epoch_ns = 1700000000123456789, .root = "/srv"};
	struct trace_writer *w;
	struct err e = ERR_INIT;
	uint32_t object[N_OBJECTS];
	char name[32];
	int64_t now_ns = 0;
	state = seed;
	must(trace_writer_open(&w, path, &meta, &(struct trace_write_options){.no_sync = true}, &e), &e);
	for (uint32_t i = 0; i < N_OBJECTS; i++) {
		snprintf(name, sizeof name, "file%u", i);
		must(trace_writer_object(w, OBJECT_PATH, name, &object[i], &e), &e);
	}
	for (uint32_t i = 0; i < N_REQUESTS; i++) {
		uint64_t length = 512 * (1 + below(below(2) ? 8 : 4000)), file = below(N_OBJECTS);
		now_ns += (int64_t)below(below(3) ? 5000 : 3000000000);
		r[i] = (struct trace_record){.seq = i, .begin_ns = now_ns, .end_ns = now_ns + (int64_t)below(below(2) ? 90 : 2000000000),
					     .intended_ns = TIME_NONE, .dispatch_ns = TIME_NONE, .offset = below(below(2) ? 100 : 1u << 30) * 512,
					     .length = length, .rvalue = (int64_t)length, .pid = 7, .tid = 7 + (uint32_t)below(3),
					     .object = object[file], .fd = 3 + (int32_t)file, .heap = HEAP_NONE,
					     .op = below(2) ? OP_PREAD : OP_PWRITE};
		must(trace_writer_append(w, &r[i], 1, &e), &e);
	}
	must(trace_writer_close(w, &e), &e);
}

static bool near(int64_t have_ns, int64_t want_ns, int64_t unit_ns)
{
	int64_t off = have_ns - want_ns;
	/* both ends of a span are cut */
	return unit_ns == 1 ? !off : off > -2 * unit_ns && off < 2 * unit_ns;
}

static void check_one(const struct kept *k, struct trace *t, const struct trace_record *have,
		      const struct trace_record *want, int64_t first_ns, char names[N_OBJECTS][64])
{
	const char *name = trace_object(t, have->object)->name;
	if (!*names[want->object])
		snprintf(names[want->object], sizeof names[0], "%s", name);
	assert_string_equal(name, names[want->object]);
	assert_int_equal(have->op, want->op);
	assert_int_equal(have->offset, want->offset);
	assert_int_equal(have->length, want->length);
	assert_int_equal(have->rvalue, want->rvalue);
	if (!near(have->begin_ns - first_ns, want->begin_ns, k->unit_ns))
		fail_msg("%s: request %llu begins at %lld, not %lld", k->name,
			 (unsigned long long)want->seq, (long long)(have->begin_ns - first_ns),
			 (long long)want->begin_ns);
	if (k->ends)
		assert_true(
		    near(have->end_ns - have->begin_ns, want->end_ns - want->begin_ns, k->unit_ns));
	assert_true(have->tid == want->tid || (!k->threads && strcmp(k->name, "strace")));
	assert_true(!k->fds || have->fd == want->fd);
}

/* iolog adds opens and closes of files. */
static void check(const struct kept *k, const char *path, const struct trace_record *want)
{
	struct err e = ERR_INIT;
	const struct trace_record *r;
	struct trace *t;
	char names[N_OBJECTS][64] = {{0}};
	uint32_t n = 0;
	int64_t first_ns = 0;
	int rc;
	must(trace_open_with(&t, format_find(k->name), path, NULL, &e), &e);
	while ((rc = trace_next(t, &r, &e)) == 1) {
		if (r->op == OP_OPEN || r->op == OP_CLOSE)
			continue;
		assert_true(n < N_REQUESTS);
		if (!n)
			first_ns = r->begin_ns - want[0].begin_ns / k->unit_ns * k->unit_ns;
		check_one(k, t, r, &want[n], first_ns, names);
		n++;
	}
	must(rc, &e);
	assert_int_equal(n, N_REQUESTS);
	for (uint32_t i = 0; i < N_OBJECTS; i++) /* different objects stay different */
		for (uint32_t j = 0; j < i; j++)
			assert_string_not_equal(names[i], names[j]);
	trace_close(t);
}

static void export_to(const struct kept *k, const char *from, const char *to, uint64_t n)
{
	struct err e = ERR_INIT;
	struct trace_export_report report = {0};
	struct trace *t;
	must(trace_open(&t, from, &e), &e);
	must(format_find(k->name)->write(t, to, &report, &e), &e);
	assert_true(!report.n_written || report.n_written == n || !strcmp(k->name, "iolog"));
	trace_close(t);
}

static void a_format_reads_what_it_wrote(void **ctx)
{
	(void)ctx;
	static struct trace_record r[N_REQUESTS];
	for (uint64_t seed = 1; seed <= 12; seed++) {
		make(SCRATCH("t"), seed, r);
		for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
			const struct kept *k = &formats[i];
			size_t len_a, len_b;
			export_to(k, SCRATCH("t"), SCRATCH("a"), N_REQUESTS);
			check(k, SCRATCH("a"), r);
			export_to(k, SCRATCH("a"), SCRATCH("b"), N_REQUESTS);
			check(k, SCRATCH("b"), r);
			export_to(k, SCRATCH("b"), SCRATCH("c"), N_REQUESTS);
			char *a = (char *)slurp(SCRATCH("b"), &len_a),
			     *b = (char *)slurp(SCRATCH("c"), &len_b);
			/* each of the test's files has its own number */
			bool binary = !strcmp(k->name, "trace");
			if (len_a != len_b || (!binary && memcmp(a, b, len_a)))
				fail_msg("%s: written again it is another file", k->name);
			free(a);
			free(b);
			unlink(SCRATCH("a"));
			unlink(SCRATCH("b"));
			unlink(SCRATCH("c"));
		}
		unlink(SCRATCH("t"));
	}
}

/* The table must cover every format. */
static void all_formats(void **ctx)
{
	(void)ctx;
	for (const struct trace_format *const *f = trace_formats; *f; f++) {
		/* that format is ordered by threads, not by time: see test_parallel_text.c */
		bool found = !(*f)->open || !(*f)->write || *f == &format_parallel;
		for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
			found |= !strcmp(formats[i].name, (*f)->name);
		if (!found)
			fail_msg("%s is read and written, and has no row here", (*f)->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_format_reads_what_it_wrote),
					   cmocka_unit_test(all_formats)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
