/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/validate/temp_dir.h"
#include "validate/results/journal.h"

#define N_EVENTS 20

struct seen {
	unsigned int n;
	int number[100];
};

static int on_event(const json_t *event, void *context, struct err *e)
{
	struct seen *s = context;
	(void)e;
	assert_true(s->n < 100);
	s->number[s->n++] = (int)json_integer_value(json_object_get(event, "number"));
	return 0;
}

static void append(struct journal *j, int number)
{
	struct err e = ERR_INIT;
	/* text that JSON must escape, and a false mark of a checksum */
	json_t *o = json_pack("{s:s, s:i, s:s}", "event", "run", "number", number, "reason",
			      "a\n\"b\" \\ ,\"crc\":\"00000000\"}");
	if (journal_append(j, o, &e) < 0)
		fail_msg("%s", e.msg);
	json_decref(o);
}

static char *journal_make(const char *dir, int n)
{
	struct journal j;
	struct err e = ERR_INIT;
	char *path = xasprintf("%s/journal", dir);
	assert_int_equal(journal_open(&j, path, 1, &e), 0);
	for (int i = 0; i < n; i++)
		append(&j, i);
	journal_close(&j);
	return path;
}

static void read_back(const char *path, struct seen *s, struct journal_reading *r)
{
	struct err e = ERR_INIT;
	*s = (struct seen){0};
	assert_int_equal(journal_read(path, on_event, s, r, &e), 0);
}

static void test_round(void **state)
{
	(void)state;
	char *dir = temp_dir_make(), *path = journal_make(dir, N_EVENTS);
	struct seen s;
	struct journal_reading r;
	read_back(path, &s, &r);
	assert_int_equal(s.n, N_EVENTS);
	for (int i = 0; i < N_EVENTS; i++)
		assert_int_equal(s.number[i], i);
	assert_int_equal(r.n_lines, N_EVENTS);
	assert_int_equal(r.n_damaged, 0);
	assert_false(r.torn);
	assert_int_equal(r.next_seq, N_EVENTS);
	free(path);
	temp_dir_remove(dir);
}

/* Truncated at any place: every complete line is read, and the next session continues after it. */
static void test_torn(void **state)
{
	(void)state;
	char *dir = temp_dir_make(), *path = journal_make(dir, 3);
	struct strbuf whole = STRBUF_INIT;
	struct err e = ERR_INIT;
	file_get(dir, "journal", &whole);
	size_t line = whole.len / 3;
	assert_int_equal(line * 3, whole.len); /* numbers of one digit: lines of equal length */
	for (size_t len = 0; len <= whole.len; len++) {
		struct seen s;
		struct journal_reading r;
		struct journal j;
		file_put(dir, "journal", whole.s, len);
		read_back(path, &s, &r);
		assert_int_equal(s.n, len / line);
		assert_int_equal(r.torn, len % line != 0);
		assert_int_equal(r.n_damaged, 0);
		assert_int_equal(journal_open(&j, path, 0, &e), 0);
		append(&j, 7);
		journal_close(&j);
		read_back(path, &s, &r);
		assert_int_equal(s.n, len / line + 1);
		assert_int_equal(s.number[s.n - 1], 7);
		assert_int_equal(r.n_damaged, 0);
		assert_false(r.torn);
	}
	strbuf_release(&whole);
	free(path);
	temp_dir_remove(dir);
}

/* A single flipped bit: that line is rejected and the others are read; a lost newline loses at most
 * the two lines that it joins. */
static void test_flipped(void **state)
{
	(void)state;
	char *dir = temp_dir_make(), *path = journal_make(dir, 3);
	struct strbuf whole = STRBUF_INIT;
	file_get(dir, "journal", &whole);
	for (size_t at = 0; at < whole.len; at++)
		for (int bit = 0; bit < 8; bit++) {
			struct seen s;
			struct journal_reading r;
			whole.s[at] ^= (char)(1 << bit);
			file_put(dir, "journal", whole.s, whole.len);
			read_back(path, &s, &r);
			bool newline = (char)(whole.s[at] ^ (1 << bit)) == '\n';
			assert_true(s.n == 2 || (newline && s.n >= 1 && s.n <= 2));
			assert_true(r.n_damaged >= 1 || r.torn);
			for (unsigned int i = 0; i < s.n; i++)
				assert_in_range(s.number[i], 0, 2);
			whole.s[at] ^= (char)(1 << bit);
		}
	strbuf_release(&whole);
	free(path);
	temp_dir_remove(dir);
}

/* A line as it is, or with another number and a valid checksum. */
static void line_copy(struct strbuf *out, const char *line, size_t len, bool rewritten)
{
	struct err e = ERR_INIT;
	if (!rewritten) {
		strbuf_add(out, line, len + 1);
		return;
	}
	json_t *o = journal_parse_line(line, len);
	assert_non_null(o);
	json_object_del(o, "crc");
	json_object_set_new(o, "number", json_integer(8));
	assert_int_equal(journal_line_add(out, o, &e), 0);
	json_decref(o);
}

/* Every line but the last removed, duplicated or rewritten with a valid checksum: each line is
 * accepted, and the journal is found to be changed. The lines after a damaged line are unknown. */
static void test_chain(void **state)
{
	(void)state;
	enum how { AS_IS, REMOVED, TWICE, REWRITTEN, DAMAGED, N_HOW };
	char *dir = temp_dir_make(), *path = journal_make(dir, 5);
	struct strbuf whole = STRBUF_INIT, changed = STRBUF_INIT;
	file_get(dir, "journal", &whole);
	const size_t len = whole.len / 5;
	for (size_t at = 0; at < 4; at++)
		for (int how = AS_IS; how < N_HOW; how++) {
			struct seen s;
			struct journal_reading r;
			strbuf_reset(&changed);
			for (size_t i = 0; i < 5; i++)
				for (int k = 0; k < (i != at          ? 1
						     : how == REMOVED ? 0
						     : how == TWICE   ? 2
								      : 1);
				     k++)
					line_copy(&changed, whole.s + i * len, len - 1,
						  i == at && how == REWRITTEN);
			if (how == DAMAGED)
				changed.s[at * len + len - 5] ^=
				    1; /* of the checksum that the next line names */
			file_put(dir, "journal", changed.s, changed.len);
			read_back(path, &s, &r);
			assert_int_equal(r.n_damaged, how == DAMAGED);
			const size_t broken = how == AS_IS || how == DAMAGED ? 0
					      : how == REMOVED               ? at + 1
									     : at + 2;
			assert_int_equal(r.first_unlinked, broken);
		}
	strbuf_release(&whole);
	strbuf_release(&changed);
	free(path);
	temp_dir_remove(dir);
}

static void test_not_events(void **state)
{
	(void)state;
	static const char *const lines[] = {"",
					    "{}",
					    "x",
					    "{\"event\":\"run\"}",
					    ",\"crc\":\"00000000\"}",
					    "{\"seq\":0,\"event\":\"run\",\"crc\":\"00000000\"}"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_null(journal_parse_line(lines[i], strlen(lines[i])));
}

static void test_lock(void **state)
{
	(void)state;
	char *dir = temp_dir_make(), *path = xasprintf("%s/journal", dir);
	struct journal a, b;
	struct err e = ERR_INIT;
	assert_int_equal(journal_open(&a, path, 0, &e), -ENOENT);
	assert_int_equal(journal_open(&a, path, 1, &e), 0);
	assert_int_equal(journal_open(&b, path, 1, &e), -EEXIST);
	assert_int_equal(journal_open(&b, path, 0, &e), -EBUSY);
	assert_non_null(strstr(e.msg, "another campaign"));
	journal_close(&a);
	assert_int_equal(journal_open(&b, path, 0, &e), 0);
	journal_close(&b);
	free(path);
	temp_dir_remove(dir);
}

/* A full disk: the event is an error, none of it remains, and the journal can be appended to
 * later. */
static void test_full(void **state)
{
	(void)state;
	char *dir = temp_dir_make(), *path = journal_make(dir, 3);
	struct journal j;
	struct err e = ERR_INIT;
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	pid_t pid = fork(); /* the limit on file size applies to the whole process */
	if (pid == 0) {
		signal(SIGXFSZ, SIG_IGN);
		struct rlimit limit = {(rlim_t)st.st_size + 30, (rlim_t)st.st_size + 30};
		setrlimit(RLIMIT_FSIZE, &limit);
		json_t *o = json_pack("{s:s, s:i}", "event", "run", "number", 99);
		int ret = journal_open(&j, path, 0, &e);
		ret = ret ? ret : journal_append(&j, o, &e);
		_exit(ret == -EFBIG && strstr(e.msg, path) ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	struct seen s;
	struct journal_reading r;
	read_back(path, &s, &r);
	assert_int_equal(s.n, 3);
	assert_int_equal(r.whole_bytes, st.st_size);
	assert_false(r.torn);
	free(path);
	temp_dir_remove(dir);
}

static bool want_but_empty(const char *line, size_t len, void *context)
{
	(void)line, (void)context;
	return len > 0;
}

static bool want_all(const char *line, size_t len, void *context)
{
	(void)line, (void)len, (void)context;
	return true;
}

/* In an untrusted directory: a journal that is no file, has no end, or has a line that would fill
 * the memory. */
static void test_hostile(void **state)
{
	(void)state;
	char *dir = temp_dir_make(), *path = journal_make(dir, 3),
	     *pipe_path = xasprintf("%s/pipe", dir);
	struct journal j;
	struct journal_reading r;
	struct err e = ERR_INIT;
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	alarm(20); /* a FIFO whose reader waits for a writer */
	assert_int_equal(journal_read(pipe_path, NULL, NULL, &r, &e), -EINVAL);
	assert_non_null(strstr(e.msg, pipe_path));
	assert_int_equal(journal_open(&j, pipe_path, 0, &e), -EINVAL);
	assert_int_equal(journal_read("/dev/zero", NULL, NULL, &r, &e), -EINVAL);
	alarm(0);

	size_t len = 5u << 20;
	struct strbuf text = STRBUF_INIT;
	struct seen s;
	file_get(dir, "journal", &text);
	char *spaces = xmalloc(len);
	memset(spaces, ' ', len);
	spaces[len - 1] = '\n';
	strbuf_add(&text, spaces, len);
	file_put(dir, "journal", text.s, text.len);
	assert_int_equal(journal_open(&j, path, 0, &e), 0);
	append(&j, 9);
	journal_close(&j);
	read_back(path, &s, &r);
	assert_int_equal(s.n, 4); /* the lines before it and after it */
	assert_int_equal(s.number[3], 9);
	assert_int_equal(r.n_damaged, 1);
	assert_int_equal(r.n_lines, 5);
	/* a line that is too long is reported as an empty line */
	s = (struct seen){0};
	assert_int_equal(journal_read_some(path, want_but_empty, on_event, &s, &r, &e), 0);
	assert_int_equal(s.n, 4);
	assert_int_equal(r.n_damaged, 0);
	s = (struct seen){0};
	assert_int_equal(journal_read_some(path, want_all, on_event, &s, &r, &e), 0);
	assert_int_equal(s.n, 4);
	assert_int_equal(r.n_damaged, 1);
	assert_int_equal(truncate(path, (off_t)1 << 31), 0);
	assert_int_equal(journal_read(path, NULL, NULL, &r, &e), -EFBIG);
	free(spaces);
	strbuf_release(&text);
	free(pipe_path);
	free(path);
	temp_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_round),      cmocka_unit_test(test_torn),
	    cmocka_unit_test(test_flipped),    cmocka_unit_test(test_chain),
	    cmocka_unit_test(test_not_events), cmocka_unit_test(test_lock),
	    cmocka_unit_test(test_full),       cmocka_unit_test(test_hostile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
