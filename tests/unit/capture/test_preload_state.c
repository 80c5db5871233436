/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a file before its first use: the records about it; for its digest, a file is read
 * only once. */
#include "tests/unit/capture/recorder.h"

#include <fcntl.h>
#include <sys/stat.h>

static char directory[4096];

/* --- in the other process ------------------------------------------------ */

static void note_all(void)
{
	static const char *const names[] = {"abc",  "holes", "comb", "link",
					    "none", "empty", "many"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		capture_look(AT_FDCWD, names[i]);
	capture_look(AT_FDCWD, (const char *)8); /* the kernel's to refuse */
	capture_look(AT_FDCWD, NULL);
}

static int looks(void)
{
	if (chdir(getenv("FILES")))
		return 1;
	note_all();
	return 0;
}

static int lists(void)
{
	int fd = open(getenv("FILES"), O_RDONLY | O_DIRECTORY);
	state_note_list(fd);
	if (chdir(getenv("FILES")))
		return 1;
	state_note_tree("tree", STATE_DEPTH);
	state_note_tree("tree", 1);
	return 0;
}

static int twice(void)
{
	if (chdir(getenv("FILES")))
		return 1;
	note_all();
	note_all();
	pid_t pid = fork();
	if (!pid) {
		capture_more();
		note_all();
		_exit(0);
	}
	return waitpid(pid, NULL, 0) != pid;
}

/* The table is full of other files, so this file finds no place and gets no record. */
static int table_is_full(void)
{
	struct log_control *c = capture_control();
	for (uint32_t i = 0; i < LOG_DIGESTS; i++)
		atomic_store(&c->digested[i], UINT64_MAX);
	return twice();
}

static const struct part parts[] = {{"looks", looks},
				    {"lists", lists},
				    {"twice", twice},
				    {"table_is_full", table_is_full},
				    {NULL, NULL}};

/* --- results in the buffers ---------------------------------------------- */

static void file_make(const char *name, const char *text, off_t at)
{
	int fd = open(name, O_RDWR | O_CREAT, 0640);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, strlen(text), at), strlen(text));
	close(fd);
}

static int files_make(void **state)
{
	const char *tmp = getenv("TMPDIR");
	(void)state;
	snprintf(directory, sizeof directory, "%s/recorder-XXXXXX", tmp ? tmp : "/tmp");
	umask(022);
	if (!mkdtemp(directory) || setenv("FILES", directory, 1) || chdir(directory))
		return -1;
	file_make("abc", "abc", 0);
	file_make("empty", "", 0);
	file_make("holes", "end", 1 << 20);
	for (int i = 0; i < 300; i++) /* more holes than fit in a note */
		file_make("comb", "x", (2 * i + 1) * 65536L);
	file_make("many", "", 0);
	for (int i = 0; i < 20000; i++) /* longer than several reads of the digest */
		file_make("many", "0123456789", i * 10L);
	return symlink("abc", "link") || mkdir("tree", 0750) || mkdir("tree/below", 0700) ||
	       mkdir("tree/below/more", 0700) || symlink("none", "tree/below/dangling");
}

static int files_remove(void **state)
{
	char command[5000];
	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", directory);
	return chdir("/") || system(command);
}

/* Number of directories from the root to the working directory, each of which is recorded once. */
static size_t n_on_way(void)
{
	char path[4096];
	size_t n = 0;
	assert_non_null(getcwd(path, sizeof path));
	for (const char *c = path; *c; c++)
		n += *c == '/';
	return n;
}

static bool is_named(const struct merge_record *r, const char *name)
{
	return r->path_len == strlen(name) && !memcmp(r->path, name, r->path_len);
}

static void see_look(const struct merge_record *r, size_t n, void *context)
{
	uint64_t hole[2] = {0, 0};
	unsigned int *seen = context;
	(void)n;
	if (r->extra_len >= sizeof hole)
		memcpy(hole, r->extra, sizeof hole);
	if (is_named(r, "abc")) {
		assert_int_equal(r->r->flags, S_IFREG | 0640);
		assert_int_equal(r->r->length, 3);
		assert_int_equal(r->extra_len, 0);
	} else if (is_named(r, "link")) { /* the target has a record of its own */
		assert_int_equal(r->r->flags & S_IFMT, S_IFLNK);
		assert_int_equal(r->extra_len, 3);
		assert_memory_equal(r->extra, "abc", 3);
	} else if (is_named(r, "none")) {
		assert_int_equal(r->r->flags, 0);
		assert_int_equal(r->r->length, 0);
	} else if (is_named(r, "holes")) {
		assert_int_equal(r->r->length, (1 << 20) + 3);
		assert_int_equal(hole[0], 0);
		assert_int_equal(hole[1], 1 << 20);
		assert_int_equal(r->r->fd, 0);
	} else if (is_named(r, "comb")) {
		assert_int_equal(r->extra_len, 256 * sizeof hole);
		assert_int_equal(r->r->fd, 1); /* there are more holes */
	} else {
		return;
	}
	++*seen;
}

static void a_snapshot_has_type_size_holes_and_target(void **state)
{
	(void)state;
	struct spool s;
	unsigned int seen = 0;
	recorder_run(&s, LOG_STATE, "looks");
	drained(&s, true);
	/* also the target, under the name in the link and under the name that the kernel returns,
	 * and the directories on the way */
	assert_int_equal(each_record(&s, LOG_STATE_OF, see_look, &seen), 7 + 2 + n_on_way());
	assert_int_equal(seen, 6);
	assert_int_equal(each_record(&s, LOG_DIGEST_OF, NULL, NULL), 0);
	spool_close(&s);
	recorder_run(&s, 0, "looks");
	drained(&s, true);
	assert_int_equal(each_record(&s, LOG_STATE_OF, NULL, NULL), 0); /* not requested */
	spool_close(&s);
}

struct listed {
	size_t below, dangling, entries;
};

static void see_entry(const struct merge_record *r, size_t n, void *context)
{
	struct listed *l = context;
	(void)n;
	l->entries += r->r->dir != AT_FDCWD;
	l->below += is_named(r, "tree/below");
	l->dangling += is_named(r, "tree/below/dangling");
	assert_false(is_named(r, ".") || is_named(r, ".."));
}

static void listed_files_and_trees_are_examined(void **state)
{
	(void)state;
	struct spool s;
	struct listed l = {0, 0, 0};
	recorder_run(&s, LOG_STATE, "lists");
	drained(&s, true);
	assert_int_equal(each_record(&s, LOG_STATE_OF, see_entry, &l), 7 + 3 + 1);
	assert_int_equal(l.entries, 7); /* abc comb empty holes link many tree */
	assert_int_equal(l.below, 2);
	assert_int_equal(l.dangling, 1);
	spool_close(&s);
}

static void see_digest(const struct merge_record *r, size_t n, void *context)
{
	/* FIPS 180-2, B.1, and the digest of no bytes; of 20,000 times 0123456789 by
	 * sha256sum(1) */
	static const struct {
		const char *name, *digest;
	} known[] = {{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		     {"empty", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		     {"many", "8ddf9b2317645923bc681372ebcfc99afec63b3a6870db4b6ee7bc1bd56eb262"}};
	char hex[2 * LOG_DIGEST_BYTES + 1];
	unsigned int *seen = context;
	(void)n;
	assert_int_equal(r->extra_len, LOG_DIGEST_BYTES);
	for (size_t i = 0; i < LOG_DIGEST_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)r->extra[i]);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is_named(r, known[i].name)) {
			assert_string_equal(hex, known[i].digest);
			++*seen;
		}
}

static void a_file_is_read_once_for_its_digest(void **state)
{
	(void)state;
	struct spool s;
	unsigned int seen = 0;
	recorder_run(&s, LOG_STATE | LOG_DIGEST, "twice");
	drained(&s, true);
	assert_int_equal(each_record(&s, LOG_STATE_OF, NULL, NULL), 3 * (7 + 2) + n_on_way());
	/* by all processes together */
	assert_int_equal(each_record(&s, LOG_DIGEST_OF, see_digest, &seen), 5);
	assert_int_equal(seen, 3);
	spool_close(&s);
}

static void without_a_place_a_file_has_no_digest(void **state)
{
	(void)state;
	struct spool s;
	recorder_run(&s, LOG_STATE | LOG_DIGEST, "table_is_full");
	drained(&s, true);
	assert_int_equal(each_record(&s, LOG_STATE_OF, NULL, NULL), 3 * (7 + 2) + n_on_way());
	assert_int_equal(each_record(&s, LOG_DIGEST_OF, NULL, NULL), 0);
	spool_close(&s);
}

int main(int argc, char **argv)
{
	part_run(argc, argv, parts);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_snapshot_has_type_size_holes_and_target),
		cmocka_unit_test(listed_files_and_trees_are_examined),
		cmocka_unit_test(a_file_is_read_once_for_its_digest),
		cmocka_unit_test(without_a_place_a_file_has_no_digest),
	};
	return cmocka_run_group_tests(tests, files_make, files_remove);
}
