/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The set of files is created, restored only if needed, confined to its directory, evicted, and
 * removed. */
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "capture/fileset/fileset_private.h"
#include "common/confine.h"
#include "common/files.h"
#include "tests/unit/capture/sample.h"

#define SEED 7

static struct fileset_entry entries[] = {
    {"f0", 3 * 4096, false}, {"d/e/odd", (1 << 20) + 12345, false}, {"d/empty", 0, false},          {"d", 0, true},
    {"d/e", 0, true},        {"alone/in/depth", 0, true},           {"big name \xff\n;", 5, false},
};
static const struct fileset set = {entries, sizeof entries / sizeof *entries};

struct place {
	char path[512];
	int fd;
};

static int make_place(void **state)
{
	struct place *p = calloc(1, sizeof *p);
	scratch(p->path, "set");
	mkdir(p->path, 0700);
	p->fd = open(p->path, O_RDONLY | O_DIRECTORY);
	*state = p;
	return p->fd < 0;
}

static int drop_place(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	close(p->fd);
	int rc = dir_remove_tree(p->path, &e);
	free(p);
	return rc;
}

/* Generates the bytes [offset, offset + len) of the content of `path`. */
static void fileset_content(uint64_t seed, const char *path, uint64_t offset, void *to, size_t len)
{
	struct fileset_entry entry = {.path = path};
	const struct fileset one = {.entry = &entry, .n = 1};
	content_make(content_key_of(&one, 0, seed), offset, to, len);
}

/* Whether the file has exactly the content that the set defines. */
static bool is_whole(int dir_fd, const struct fileset_entry *f)
{
	struct stat st;
	int fd = openat(dir_fd, f->path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) || (uint64_t)st.st_size != f->size)
		return false;
	char *have = malloc(f->size + 1), *want = malloc(f->size + 1);
	fileset_content(SEED, f->path, 0, want, f->size);
	bool same = read(fd, have, f->size) == (ssize_t)f->size && !memcmp(have, want, f->size);
	free(have);
	free(want);
	close(fd);
	return same;
}

static void check_whole(int dir_fd)
{
	struct stat st;
	for (size_t i = 0; i < set.n; i++) {
		if (entries[i].directory)
			assert_true(!fstatat(dir_fd, entries[i].path, &st, AT_SYMLINK_NOFOLLOW) &&
				    S_ISDIR(st.st_mode));
		else if (!is_whole(dir_fd, &entries[i]))
			fail_msg("%s is not as it should be", entries[i].path);
	}
}

static void content_depends_on_its_offset(void **state)
{
	(void)state;
	unsigned char whole[1000], part[1000], other[1000];
	fileset_content(1, "a", 0, whole, sizeof whole);
	for (size_t from = 0; from < 40; from++)
		for (size_t len = 0; len < 100; len++) {
			fileset_content(1, "a", from, part, len);
			assert_memory_equal(part, whole + from, len);
		}
	fileset_content(2, "a", 0, other, sizeof other);
	assert_memory_not_equal(whole, other, sizeof whole);
	fileset_content(1, "b", 0, other, sizeof other);
	assert_memory_not_equal(whole, other, sizeof whole);
	fileset_content(1, "a", UINT64_C(1) << 40, other, sizeof other);
	assert_memory_not_equal(whole, other, sizeof whole);
	/* uniformly distributed bytes: 4096 x 16 of them, each value 256 times, within six standard
	 * deviations */
	unsigned int n[256] = {0};
	for (size_t i = 0; i < 64; i++) {
		fileset_content(SEED, "die", i * 1000, whole, sizeof whole);
		for (size_t j = 0; j < sizeof whole; j++)
			n[whole[j]]++;
	}
	for (size_t i = 0; i < 256; i++)
		assert_true(n[i] > 155 && n[i] < 345);
}

static void made_and_made_again(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	must(fileset_restore(&set, p->fd, SEED, false, NULL, NULL, &e), &e);
	check_whole(p->fd);
	must(fileset_restore(&set, p->fd, SEED, false, NULL, NULL, &e), &e);
	check_whole(p->fd);
	must(fileset_remove(&set, p->fd, &e), &e);
	must(fileset_remove(&set, p->fd, &e), &e); /* no error if the files are missing */
	struct stat st;
	for (size_t i = 0; i < set.n; i++)
		assert_int_equal(fstatat(p->fd, entries[i].path, &st, AT_SYMLINK_NOFOLLOW), -1);
	assert_int_equal(fstatat(p->fd, "alone/in", &st, 0), 0); /* not named by the set */
}

static void write_at(int dir_fd, const char *path, off_t at, const char *text)
{
	int fd = openat(dir_fd, path, O_WRONLY);
	assert_int_equal(pwrite(fd, text, strlen(text), at), (ssize_t)strlen(text));
	close(fd);
}

static void only_what_changed_is_written(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	struct fileset_state s = FILESET_STATE_INIT;
	struct stat before, after;
	const uint64_t f0 = entries[0].size, odd = entries[1].size;
	must(fileset_restore(&set, p->fd, SEED, false, NULL, &s, &e), &e);
	assert_int_equal(s.n_bytes_written, f0 + odd + 5);
	assert_int_equal(fstatat(p->fd, "f0", &before, 0), 0);
	for (int i = 0; i < 3; i++) {
		must(fileset_restore(&set, p->fd, SEED, false, NULL, &s, &e), &e);
		assert_int_equal(s.n_bytes_written, 0);
	}
	/* immediately after a restore: a change within the same clock tick is found, too */
	for (int i = 0; i < 20; i++) {
		write_at(p->fd, "f0", 5, "x");
		must(fileset_restore(&set, p->fd, SEED, false, NULL, &s, &e), &e);
		assert_int_equal(s.n_bytes_written, f0);
		assert_int_equal(s.n_files_written, 1);
	}
	check_whole(p->fd);
	assert_int_equal(fstatat(p->fd, "f0", &after, 0), 0);
	assert_int_equal(before.st_ino, after.st_ino); /* in place */

	write_at(p->fd, "f0", (off_t)f0, "longer"); /* cut to its size */
	write_at(p->fd, "d/empty", 0, "longer");
	must(fileset_restore(&set, p->fd, SEED, false, NULL, &s, &e), &e);
	assert_int_equal(s.n_bytes_written, f0);
	assert_int_equal(s.n_files_written, 2);
	check_whole(p->fd);

	/* truncated, and extended again with a hole */
	assert_int_equal(truncate(SCRATCH("set/f0"), 100), 0);
	must(fileset_restore(&set, p->fd, SEED, false, NULL, &s, &e), &e);
	check_whole(p->fd);
	assert_int_equal(truncate(SCRATCH("set/f0"), 0), 0);
	assert_int_equal(truncate(SCRATCH("set/f0"), (off_t)f0), 0);
	must(fileset_restore(&set, p->fd, SEED, false, NULL, &s, &e), &e);
	check_whole(p->fd);

	assert_int_equal(unlinkat(p->fd, "d/e/odd", 0), 0); /* gone */
	must(fileset_restore(&set, p->fd, SEED, false, NULL, &s, &e), &e);
	assert_int_equal(s.n_bytes_written, odd);
	check_whole(p->fd);

	/* replaced by a copy of equal size */
	assert_int_equal(renameat(p->fd, "f0", p->fd, "kept"), 0);
	void *zeros = calloc(1, f0);
	must(file_write_atomic(SCRATCH("set/f0"), zeros, f0, &e), &e);
	free(zeros);
	must(fileset_restore(&set, p->fd, SEED, false, NULL, &s, &e), &e);
	assert_int_equal(s.n_bytes_written, f0);
	check_whole(p->fd);

	/* restored on request */
	must(fileset_restore(&set, p->fd, SEED, true, NULL, &s, &e), &e);
	assert_int_equal(s.n_bytes_written, f0 + odd + 5);
	must(fileset_restore(&set, p->fd, SEED + 1, false, NULL, &s, &e), &e); /* other content */
	assert_int_equal(s.n_bytes_written, f0 + odd + 5);
	assert_false(is_whole(p->fd, &entries[0]));
	fileset_state_release(&s);
}

/* A write through a mapping counts as a change. */
static void mapped_change_is_seen(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	struct fileset_state s = FILESET_STATE_INIT;
	must(fileset_restore(&set, p->fd, SEED, false, NULL, &s, &e), &e);
	int fd = openat(p->fd, "f0", O_RDWR);
	char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	map[7] = (char)~map[7];
	munmap(map, 4096);
	close(fd);
	must(fileset_restore(&set, p->fd, SEED, false, NULL, &s, &e), &e);
	check_whole(p->fd);
	fileset_state_release(&s);
}

static void expect_refusal(int dir_fd, const char *path, bool directory, int code)
{
	struct fileset_entry f = {path, directory ? 0 : 100, directory};
	const struct fileset one = {&f, 1};
	struct fileset_residency r;
	struct err e = ERR_INIT;
	assert_int_equal(fileset_restore(&one, dir_fd, SEED, true, NULL, NULL, &e), -code);
	assert_int_equal(e.code, code);
	char first[64];
	snprintf(first, sizeof first, "%.*s",
		 (int)(*path == '/' ? strlen(path) : strcspn(path, "/")), path);
	if (!strstr(e.msg, first)) /* the link in the middle of a path, or the whole path */
		fail_msg("\"%s\" does not name %s", e.msg, path);
	if (directory)
		return;
	assert_true(fileset_evict(&one, dir_fd, &e) < 0);
	assert_true(fileset_warm(&one, dir_fd, &e) < 0);
	assert_true(fileset_residency(&one, dir_fd, &r, &e) < 0);
}

static void nothing_outside_is_touched(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	struct stat st;
	const char *outside = SCRATCH("outside");
	spill(outside, "precious", 8);
	static const char *const paths[] = {"/etc/passwd", "../x", "a/../../x", "a/..", "..", ""};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		expect_refusal(p->fd, paths[i], false, EINVAL);
		expect_refusal(p->fd, paths[i], true, EINVAL);
	}
	assert_int_equal(symlinkat(outside, p->fd, "link"), 0);
	assert_int_equal(symlinkat("/tmp", p->fd, "dirlink"), 0);
	assert_int_equal(symlinkat("nowhere", p->fd, "dangling"), 0);
	assert_int_equal(symlinkat(".", p->fd, "selflink"), 0);
	assert_int_equal(mkfifoat(p->fd, "fifo", 0600), 0);
	assert_int_equal(mkdirat(p->fd, "dir", 0700), 0);
	assert_int_equal(linkat(AT_FDCWD, outside, p->fd, "hard", 0), 0);
	expect_refusal(p->fd, "link", false, EPERM);
	expect_refusal(p->fd, "link", true, EPERM);
	expect_refusal(p->fd, "dangling", false, EPERM);
	expect_refusal(p->fd, "dirlink/file", false, EPERM);
	expect_refusal(p->fd, "dirlink/file", true, EPERM);
	expect_refusal(p->fd, "selflink/f0", false, EPERM);
	expect_refusal(p->fd, "fifo", false, EPERM); /* and does not wait */
	expect_refusal(p->fd, "fifo", true, EPERM);
	expect_refusal(p->fd, "dir", false, EPERM);
	struct fileset_entry hard = {"hard", 8, false};
	const struct fileset one_hard = {&hard, 1};
	assert_int_equal(fileset_restore(&one_hard, p->fd, SEED, false, NULL, NULL, &e),
			 -EPERM);
	if (!geteuid() && !mknodat(p->fd, "device", S_IFCHR | 0600, makedev(1, 3)))
		expect_refusal(p->fd, "device", false, EPERM);

	struct fileset_entry f[] = {{"link", 1, false},
				    {"fifo", 1, false},
				    {"dir", 1, false},
				    {"dirlink/outside", 1, false},
				    {"fine", 1, false}};
	spill(SCRATCH("set/fine"), "x", 1);
	assert_int_equal(fileset_remove(&(struct fileset){f, 5}, p->fd, &e), -EPERM);
	assert_int_equal(fstatat(p->fd, "link", &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(fstatat(p->fd, "fifo", &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(fstatat(p->fd, "dir", &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(fstatat(p->fd, "fine", &st, AT_SYMLINK_NOFOLLOW), -1); /* the rest went */
	size_t len;
	char *text = slurp(outside, &len);
	assert_string_equal(text, "precious");
	free(text);
	unlink(outside);
}

static void others_files_stay(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	must(fileset_restore(&set, p->fd, SEED, false, NULL, NULL, &e), &e);
	spill(SCRATCH("set/d/mine"), "x", 1);
	must(fileset_remove(&set, p->fd, &e), &e);
	assert_int_equal(faccessat(p->fd, "d/mine", F_OK, 0), 0);
	assert_int_equal(faccessat(p->fd, "d/e", F_OK, 0), -1);
}

static uint64_t inode_of(int dir_fd, const char *path, nlink_t *n_links)
{
	struct stat st = {0};
	assert_int_equal(fstatat(dir_fd, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	*n_links = st.st_nlink;
	return st.st_ino;
}

/* Hard links of a file are links again after each restore; a name outside the set is refused. */
static void names_of_one_file_are_hard_links(void **state)
{
	const struct place *p = *state;
	struct fileset_entry named[] = {
	    {"a", 9000, false}, {"b/c", 5, false}, {"d", 9000, false}, {"e", 9000, false}};
	struct fileset_detail detail[] = {
	    {.same_file = 3}, {.same_file = 3}, {.mode = 0600}, {.same_file = 3}};
	const struct fileset s = {named, 4, detail};
	struct fileset_state kept = FILESET_STATE_INIT;
	struct err e = ERR_INIT;
	nlink_t n;
	uint32_t *first = fileset_first_names(&s);
	assert_true(first[0] == 0 && first[1] == 0 && first[2] == 2 && first[3] == 0);
	free(first);
	for (int round = 0; round < 5; round++) {
		if (fileset_restore(&s, p->fd, SEED, round == 4, NULL, &kept, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(kept.n_files_written, round == 0   ? 4
						       : round == 1 ? 0
						       : round == 2 ? 2 /* its ctime changed */
						       : round == 3 ? 4
								    : 2);
		const uint64_t a = inode_of(p->fd, "a", &n);
		assert_int_equal(n, 3);
		assert_true(inode_of(p->fd, "b/c", &n) == a && inode_of(p->fd, "e", &n) == a);
		assert_true(inode_of(p->fd, "d", &n) != a && n == 1);
		assert_true(is_whole(p->fd, &named[0]) && is_whole(p->fd, &named[2]));
		if (round == 1)
			assert_int_equal(unlinkat(p->fd, "b/c", 0), 0);
		if (round == 2) /* the first name now refers to another file */
			assert_int_equal(renameat(p->fd, "d", p->fd, "a"), 0);
	}
	assert_int_equal(linkat(p->fd, "a", p->fd, "outside", 0), 0);
	assert_int_equal(fileset_restore(&s, p->fd, SEED, true, NULL, &kept, &e), -EPERM);
	assert_non_null(strstr(e.msg, "4 hard links"));
	fileset_state_release(&kept);
}

static void what_does_not_fit_is_refused_at_once(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	struct fileset_entry f[] = {
	    {"small", 4096, false}, {"huge", INT64_MAX, false}, {"huge2", INT64_MAX, false}};
	const struct fileset three = {f, 3};
	assert_int_equal(fileset_restore(&three, p->fd, SEED, false, NULL, NULL, &e), -ENOSPC);
	assert_int_equal(faccessat(p->fd, "small", F_OK, 0), -1); /* nothing was begun */
	f[1].size = UINT64_MAX;
	assert_int_equal(fileset_restore(&three, p->fd, SEED, false, NULL, NULL, &e), -EFBIG);
	must(fileset_restore(&(struct fileset){NULL, 0}, p->fd, SEED, false, NULL, NULL, &e), &e);
}

static void missing_files_are_errors(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	struct fileset_residency r;
	assert_int_equal(fileset_evict(&set, p->fd, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "f0"));
	assert_int_equal(fileset_warm(&set, p->fd, &e), -ENOENT);
	assert_int_equal(fileset_residency(&set, p->fd, &r, &e), -ENOENT);
}

static void eviction_shows_in_residency(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	struct fileset_residency r;
	struct statfs fs;
	const uint64_t total = entries[0].size + entries[1].size + 5;
	must(fileset_restore(&set, p->fd, SEED, false, NULL, NULL, &e), &e);
	must(fileset_warm(&set, p->fd, &e), &e);
	must(fileset_residency(&set, p->fd, &r, &e), &e);
	assert_int_equal(r.total_bytes, total);
	assert_true(r.cached_bytes <= total && r.cached_bytes > total / 2);
	assert_int_equal(r.dirty_bytes, 0);
	write_at(p->fd, "f0", 0, "dirty");
	must(fileset_residency(&set, p->fd, &r, &e), &e);
	assert_int_equal(fstatfs(p->fd, &fs), 0);
	if (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC)
		skip(); /* memory is all it has */
	must(fileset_evict(&set, p->fd, &e), &e);
	must(fileset_residency(&set, p->fd, &r, &e), &e);
	assert_int_equal(r.total_bytes, total);
	assert_true(r.cached_bytes < total / 10); /* a page or two may be in use at this moment */
	assert_int_equal(r.dirty_bytes, 0);
	must(fileset_warm(&set, p->fd, &e), &e);
	must(fileset_residency(&set, p->fd, &r, &e), &e);
	assert_true(r.cached_bytes > total / 2);
}

static void many_files(void **state)
{
	struct place *p = *state;
	enum { N = 200 };
	struct err e = ERR_INIT;
	struct fileset_state s = FILESET_STATE_INIT;
	struct fileset_entry f[N];
	char name[N][32];
	for (int i = 0; i < N; i++) {
		/* files of different directories alternate, then those of a directory follow */
		snprintf(name[i], sizeof name[i], "dir%d/file%d", i < 100 ? i % 7 : i / 20, i);
		f[i] = (struct fileset_entry){name[i], (uint64_t)i * 100, false};
	}
	const struct fileset many = {f, N};
	must(fileset_restore(&many, p->fd, SEED, false, NULL, &s, &e), &e);
	assert_int_equal(s.n_files_written, N);
	must(fileset_restore(&many, p->fd, SEED, false, NULL, &s, &e), &e);
	assert_int_equal(s.n_files_written, 0);
	for (int i = 0; i < N; i++)
		assert_true(is_whole(p->fd, &f[i]));
	must(fileset_remove(&many, p->fd, &e), &e);
	fileset_state_release(&s);
}

static void confined_paths(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	const char *name;
	char long_name[300];
	memset(long_name, 'x', sizeof long_name);
	long_name[299] = 0;
	assert_int_equal(confined_path_check(long_name, &e), -ENAMETOOLONG);
	assert_int_equal(confined_path_check("a//b/./c/...", &e), 0);
	assert_int_equal(confined_parent(p->fd, "a/", false, &name, &e), -EINVAL);
	assert_int_equal(confined_parent(p->fd, "a/.", false, &name, &e), -EINVAL);
	assert_int_equal(confined_parent(p->fd, "a/b", false, &name, &e), -ENOENT);
	int fd = confined_parent(p->fd, "a/b/./c//d", true, &name, &e);
	assert_true(fd >= 0);
	assert_string_equal(name, "d");
	assert_int_equal(faccessat(p->fd, "a/b/c", F_OK, 0), 0);
	close(fd);
	fd = confined_open(p->fd, "a/b/new", O_WRONLY | O_CREAT | O_EXCL, 0600, &e);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	assert_int_equal(confined_open(p->fd, "a/b/new", O_WRONLY | O_CREAT | O_EXCL, 0600, &e),
			 -EEXIST);
	assert_int_equal(confined_open(p->fd, "a/b/new/x", O_RDONLY, 0, &e), -ENOTDIR);
}

/* From here on, openat2 and cachestat fail, as with older kernels and in some containers. */
static int forget_new_calls(void **state)
{
	(void)state;
	struct sock_filter filter[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 1, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 451, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		print_message(
		    "the calls cannot be forbidden here: the second group runs with them\n");
	return 0;
}

int main(void)
{
#define WITH_PLACE(f) cmocka_unit_test_setup_teardown(f, make_place, drop_place)
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(content_depends_on_its_offset),
	    WITH_PLACE(made_and_made_again),
	    WITH_PLACE(only_what_changed_is_written),
	    WITH_PLACE(mapped_change_is_seen),
	    WITH_PLACE(nothing_outside_is_touched),
	    WITH_PLACE(others_files_stay),
	    WITH_PLACE(names_of_one_file_are_hard_links),
	    WITH_PLACE(what_does_not_fit_is_refused_at_once),
	    WITH_PLACE(missing_files_are_errors),
	    WITH_PLACE(eviction_shows_in_residency),
	    WITH_PLACE(many_files),
	    WITH_PLACE(confined_paths),
	};
	int failed = cmocka_run_group_tests_name("with openat2 and cachestat", tests, NULL, NULL);
	return failed + cmocka_run_group_tests_name("without openat2 and cachestat", tests,
						    forget_new_calls, NULL);
}
