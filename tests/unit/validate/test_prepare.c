/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waits: for the settling time */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/drop_caches.h"
#include "common/unnamed_file.h"
#include "replay/target/rooted.h"
#include "common/clock.h"
#include "tests/unit/validate/temp_dir.h"
#include "validate/campaign/prepare.h"
#include "validate/campaign/storage.h"
#include "validate/campaign/untouched.h"

static void protocol_make(struct protocol *p, const char *dir, const char *pairing,
			  const char *target)
{
	char *path = xasprintf("%s/p.conf", dir);
	char *text = xasprintf(
	    "[protocol]\npairing = %s\n[target t]\n%s\n"
	    "[workload small]\ntype = random-read, random-write\nlevel = 1,3\nfile_size = 64K\n"
	    "[workload large]\ntype = random-read\nlevel = 2\nfile_size = 128K\n"
	    "[replayer event]\n",
	    pairing, target);
	struct err e = ERR_INIT;
	file_put(dir, "p.conf", text, strlen(text));
	if (protocol_read(p, path, &e) < 0)
		fail_msg("%s", e.msg);
	unlink(path);
	free(text);
	free(path);
}

struct fixture {
	char *dir;
	struct protocol p;
	struct places s;
};

static struct seat seat_of(const struct fixture *f, size_t scenario)
{
	return (struct seat){scenario, f->p.scenario[scenario].target, 0};
}

static void begin_paired(struct fixture *f, const char *pairing, const char *target)
{
	struct err e = ERR_INIT;
	f->dir = temp_dir_make();
	protocol_make(&f->p, f->dir, pairing, target);
	assert_int_equal(places_plan(&f->s, &f->p, &e), 0);
	if (place_make(&f->s.place[0], f->dir, "validate-x", &e) < 0 ||
	    place_fill(&f->s, 0, 0, &e) < 0)
		fail_msg("%s", e.msg);
}

static void begin(struct fixture *f, const char *target)
{
	begin_paired(f, "runs", target);
}

static void end(struct fixture *f)
{
	struct err e = ERR_INIT;
	if (place_remove(&f->s.place[0], &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(rmdir(f->dir), 0); /* nothing is left */
	free(f->dir);
	places_release(&f->s);
	protocol_release(&f->p);
}

static void test_sharing(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f, "");
	/* scenarios: small read 1, 3; small write 1, 3; large read 2 */
	assert_int_equal(f.s.scenario[0].dir, f.s.scenario[1].dir); /* levels share */
	assert_int_equal(f.s.scenario[2].dir, f.s.scenario[3].dir);
	/* written files are separate */
	assert_int_not_equal(f.s.scenario[0].dir, f.s.scenario[2].dir);
	/* files of another size do not */
	assert_int_not_equal(f.s.scenario[0].dir, f.s.scenario[4].dir);
	assert_int_equal(f.s.scenario[0].files.n, 1);
	assert_int_equal(f.s.scenario[1].files.n, 3);
	assert_int_equal(place_bytes(&f.s.place[0]), 3 * 65536 + 3 * 65536 + 2 * 131072);
	end(&f);
}

/* If program and replay run alternately, they have separate sets of the same files. */
static void test_sets_of_roles(void **state)
{
	(void)state;
	struct fixture f;
	struct prepared now;
	struct err e = ERR_INIT;
	struct strbuf one = STRBUF_INIT, other = STRBUF_INIT;
	begin_paired(&f, "slices", "");
	struct place *place = &f.s.place[0];
	assert_int_equal(place_bytes(place), 2 * (3 * 65536 + 3 * 65536 + 2 * 131072));
	const struct place_dir *a = place_seat(place, f.s.scenario[2].dir, 0),
			       *b = place_seat(place, f.s.scenario[2].dir, 1);
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(b, place_seat(place, f.s.scenario[3].dir, 1)); /* levels share it */
	assert_true(a->writes && b->writes && b->is_copy);
	const char *file = f.s.scenario[2].files.entry[0].path;
	file_put(b->path, file, "spoilt", 6);
	for (size_t number = 0; number < 2; number++)
		assert_int_equal(
		    prepare_run(&f.s, &f.p, (struct seat){2, 0, number}, false, &now, &e), 0);
	file_get(a->path, file, &one);
	file_get(b->path, file, &other);
	assert_int_equal(one.len, 65536);
	assert_true(one.len == other.len && !memcmp(one.s, other.s, one.len));
	strbuf_release(&one);
	strbuf_release(&other);
	end(&f);
	/* a warm cache has all pages for both roles, so they share files that they only read */
	begin_paired(&f, "slices", "cache = warm");
	assert_int_equal(place_bytes(&f.s.place[0]), 3 * 65536 + 2 * 131072 + 2 * 3 * 65536);
	assert_ptr_equal(place_seat(&f.s.place[0], f.s.scenario[0].dir, 1),
			 place_seat(&f.s.place[0], f.s.scenario[0].dir, 0));
	end(&f);
}

/* One set of files fits, a second does not. */
static void test_sets_that_do_not_fit(void **state)
{
	(void)state;
	static const char *const pairings[] = {"auto", "slices"};
	for (int k = 0; k < 2; k++) {
		struct fixture f = {.dir = temp_dir_make()};
		struct err e = ERR_INIT;
		struct statvfs v;
		protocol_make(&f.p, f.dir, pairings[k], "");
		assert_int_equal(places_plan(&f.s, &f.p, &e), 0);
		struct place *place = &f.s.place[0];
		struct place_dir *d = &place->dir[f.s.scenario[0].dir];
		assert_int_equal(statvfs(f.dir, &v), 0);
		const uint64_t size =
		    (uint64_t)(geteuid() ? v.f_bavail : v.f_bfree) * v.f_frsize / 3 * 2;
		assert_true(d->copy != 0);
		d->files.entry[0].size = place->dir[d->copy].files.entry[0].size = size;
		const int ret = place_make(place, f.dir, "validate-x", &e);
		assert_int_equal(ret, k ? -ENOSPC : 0);
		assert_int_equal(place->lacks_copies, !k);
		if (!k) {
			assert_ptr_equal(place_seat(place, f.s.scenario[0].dir, 1),
					 place_seat(place, f.s.scenario[0].dir, 0));
			assert_true(place_bytes(place) < size + (1 << 20));
		}
		end(&f);
	}
}

/* Files that a run wrote are restored, byte for byte, and are not restored if nothing was
 * written. */
static void test_restored(void **state)
{
	(void)state;
	struct fixture f;
	struct prepared now;
	struct err e = ERR_INIT;
	struct strbuf was = STRBUF_INIT, is = STRBUF_INIT;
	begin(&f, "");
	const struct place_dir *d = &f.s.place[0].dir[f.s.scenario[2].dir];
	const char *file = f.s.scenario[2].files.entry[0].path;
	file_get(d->path, file, &was);
	assert_int_equal(was.len, 65536);
	char *path = xasprintf("%s/%s", d->path, file);
	int fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "changed", 7, 5000), 7);
	close(fd);
	if (prepare_run(&f.s, &f.p, seat_of(&f, 2), false, &now, &e) < 0)
		fail_msg("%s", e.msg);
	file_get(d->path, file, &is);
	assert_int_equal(is.len, was.len);
	assert_memory_equal(is.s, was.s, was.len);
	assert_int_equal(now.residency.total_bytes, 65536);
	assert_int_equal(now.residency.dirty_bytes, 0);
	assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 2), false, &now, &e), 0);
	assert_int_equal(d->state.n_files_written, 0);
	strbuf_release(&was);
	strbuf_release(&is);
	free(path);
	end(&f);
}

static void test_caches(void **state)
{
	(void)state;
	struct fixture f;
	struct prepared now;
	struct err e = ERR_INIT;
	begin(&f, "cache = warm");
	assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 1), false, &now, &e), 0);
	assert_int_equal(now.residency.total_bytes, 3 * 65536);
	assert_int_equal(now.residency.cached_bytes, 3 * 65536);
	int64_t before = now.evicted_ns;
	prepare_settle(&now, 20000000);
	assert_true(clock_monotonic_ns() >= before + 20000000);
	end(&f);

	begin(&f, "cache = cold");
	assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 1), false, &now, &e), 0);
	uint64_t cold = now.residency.cached_bytes;
	f.p.target[0].cache = CACHE_AS_IS;
	assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 1), false, &now, &e), 0);
	assert_int_equal(now.residency.cached_bytes, cold);
	end(&f);
	if (cold) /* tmpfs, or another file system whose pages cannot be evicted */
		skip();
}

/* After evict = all the dentry cache has no name of the files; after evict = drop it has all of
 * them. */
static void test_metadata(void **state)
{
	(void)state;
	struct fixture f;
	struct prepared now;
	struct err e = ERR_INIT;
	if (!may_drop_caches())
		skip();
	begin(&f, "cache = cold");
	const struct place_dir *d = &f.s.place[0].dir[f.s.scenario[0].dir];
	const char *file = d->files.entry[d->files.n - 1].path;
	bool possible = !file_in_memory(d->fd);
	for (int how = EVICT_DROP; possible && how <= EVICT_ALL; how++) {
		f.p.target[0].evict = how;
		assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 0), true, &now, &e), 0);
		int fd = rooted_look_cached(d->fd, file, 0);
		possible = fd >= 0 || errno != EOPNOTSUPP;
		if (possible && how == EVICT_DROP)
			assert_true(fd >= 0);
		if (possible && how == EVICT_ALL)
			assert_true(fd < 0 && errno == EAGAIN);
		if (fd >= 0)
			close(fd);
	}
	end(&f);
	if (!possible)
		skip();
}

/* Removed or replaced while in use: an error for that run; the next run creates them again. */
static void test_removed(void **state)
{
	(void)state;
	struct fixture f;
	struct prepared now;
	struct err e = ERR_INIT;
	begin(&f, "");
	struct place_dir *d = &f.s.place[0].dir[f.s.scenario[0].dir];
	assert_int_equal(dir_remove_tree(d->path, &e), 0);
	assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 0), false, &now, &e), -ESTALE);
	assert_non_null(strstr(e.msg, d->path));
	assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 0), false, &now, &e), 0);
	assert_int_equal(now.residency.total_bytes, 65536);
	/* the whole place */
	assert_int_equal(dir_remove_tree(f.s.place[0].path, &e), 0);
	assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 0), false, &now, &e), -ESTALE);
	assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 0), false, &now, &e), 0);
	/* a link to another place is removed, and not followed */
	char *elsewhere = temp_dir_make();
	assert_int_equal(dir_remove_tree(d->path, &e), 0);
	assert_int_equal(symlink(elsewhere, d->path), 0);
	assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 0), false, &now, &e), -ESTALE);
	assert_int_equal(rmdir(elsewhere), 0); /* still empty */
	free(elsewhere);
	assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 0), false, &now, &e), 0);
	end(&f);
}

static int failing; /* errno of lstat(), fstat() and readdir() below; 0: they succeed */

/* The library calls these functions instead of the C library's. */
int lstat(const char *path, struct stat *st)
{
	if (!failing)
		return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
	errno = failing;
	return -1;
}

int fstat(int fd, struct stat *st)
{
	if (!failing)
		return fstatat(fd, "", st, AT_EMPTY_PATH);
	errno = failing;
	return -1;
}

struct dirent *readdir(DIR *d)
{
	static struct dirent *(*real)(DIR *);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "readdir");
	if (!failing)
		return real(d);
	errno = failing;
	return NULL;
}

/* An error while the files of a run are examined is returned: no file was changed, and none is
 * removed. */
static void test_unseen_is_not_changed(void **state)
{
	(void)state;
	struct fixture f;
	struct prepared now;
	struct err e = ERR_INIT;
	struct strbuf what = STRBUF_INIT;
	struct listing list;
	struct scratch s;
	bool made;
	begin(&f, "");
	struct place_dir *d = &f.s.place[0].dir[f.s.scenario[0].dir];
	char *mark = xasprintf("%s/mark", d->path), *scratch = xasprintf("%s/scratch", f.dir);
	assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 0), false, &now, &e), 0);
	file_put(d->path, "mark", "x", 1);
	failing = EIO;
	assert_int_equal(prepare_run(&f.s, &f.p, seat_of(&f, 0), false, &now, &e), -EIO);
	assert_int_equal(untouched_check(&f.s.place[0], d, &what, &e), -EIO);
	failing = 0;
	assert_int_equal(what.len, 0);
	assert_true(path_exists(mark)); /* the directory was not created again */

	assert_int_equal(listing_make(&list, d->path, "run", &e), 0);
	assert_true(list.n > 0);
	failing = EIO;
	assert_int_equal(listing_compare(&list, "run", &what, &e), -EIO);
	failing = 0;
	assert_int_equal(what.len, 0);
	listing_release(&list);
	failing = EIO;
	assert_int_equal(listing_make(&list, d->path, "run", &e), -EIO);
	failing = 0;
	assert_int_equal(listing_compare(&list, "run", &what, &e), 1);
	assert_int_equal(unlink(mark), 0);

	assert_int_equal(mkdir(scratch, 0700), 0);
	s = (struct scratch){.dir = scratch};
	assert_int_equal(scratch_check(&s, &made, &e), 0);
	failing = EIO;
	assert_int_equal(scratch_check(&s, &made, &e), -EIO);
	failing = 0;
	assert_null(strstr(e.msg, "else"));
	assert_int_equal(rmdir(scratch), 0);
	free(scratch);
	free(mark);
	strbuf_release(&what);
	end(&f);
}

/* Files of a user stay, and are an error that names them. */
static void test_guest(void **state)
{
	(void)state;
	struct fixture f;
	struct err e = ERR_INIT;
	begin(&f, "");
	file_put(f.s.place[0].path, "guest", "x", 1);
	char *path = xstrdup(f.s.place[0].path);
	assert_true(place_remove(&f.s.place[0], &e) < 0);
	assert_non_null(strstr(e.msg, path));
	char *guest = xasprintf("%s/guest", path);
	assert_true(path_exists(guest));
	unlink(guest);
	free(guest);
	free(path);
	end(&f);
}

/* The directory of an earlier session is used again, but not that of a session at work, nor a
 * directory that only has such a name. */
static void test_earlier(void **state)
{
	(void)state;
	struct fixture f;
	struct places again;
	struct err e = ERR_INIT;
	begin(&f, "");
	const char *path = f.s.place[0].path;
	assert_int_equal(places_plan(&again, &f.p, &e), 0);
	assert_int_equal(place_make(&again.place[0], f.dir, "validate-x", &e), -EBUSY);
	assert_int_equal(flock(f.s.place[0].fd, LOCK_UN), 0); /* as if its process had ended */
	assert_int_equal(place_make(&again.place[0], f.dir, "validate-x", &e), 0);
	assert_string_equal(again.place[0].path, path);
	places_release(&again);

	char *link = xasprintf("%s/validate-link", f.dir),
	     *file = xasprintf("%s/validate-file", f.dir);
	assert_int_equal(symlink("/tmp", link), 0);
	file_put(f.dir, "validate-file", "x", 1);
	static const char *const not_ours[] = {"validate-link", "validate-file"};
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(places_plan(&again, &f.p, &e), 0);
		assert_int_equal(place_make(&again.place[0], f.dir, not_ours[i], &e), -EEXIST);
		assert_non_null(strstr(e.msg, not_ours[i]));
		assert_int_equal(place_remove(&again.place[0], &e), 0);
		places_release(&again);
	}
	assert_int_equal(unlink(link), 0);
	assert_int_equal(unlink(file), 0);
	free(link);
	free(file);
	end(&f);
}

/* Scratch: in the requested place, otherwise outside of the target; and the directory that a killed
 * session left. */
static void test_scratch(void **state)
{
	(void)state;
	char *dir = temp_dir_make(), *wanted = xasprintf("%s/wanted", dir), *link;
	struct storage target;
	struct scratch s, again;
	struct err e = ERR_INIT;
	assert_int_equal(dir_create(wanted, &e), 0);
	assert_int_equal(storage_look(&target, dir, &e), 0);
	assert_int_equal(scratch_make(&s, wanted, "validate-s", &target.device, 1, dir, 0, &e), 0);
	assert_non_null(strstr(s.dir, "/wanted/validate-s"));
	assert_false(s.apart || s.taken_over);
	assert_int_equal(scratch_check_free(wanted, "validate-s", dir, &e), -EBUSY);
	assert_int_equal(flock(s.lock, LOCK_UN), 0); /* as if its process had ended */
	assert_int_equal(scratch_check_free(wanted, "validate-s", dir, &e), 0);
	assert_int_equal(scratch_make(&again, wanted, "validate-s", &target.device, 1, dir, 0, &e),
			 0);
	assert_string_equal(again.dir, s.dir);
	assert_true(again.taken_over);
	file_put(s.dir, "trace", "x", 1);
	scratch_release(&again);
	assert_int_equal(scratch_remove(&s, &e), 0);
	assert_false(path_exists(s.dir));
	scratch_release(&s);

	assert_int_equal(scratch_make(&s, NULL, "validate-s", &target.device, 1, dir, 0, &e), 0);
	assert_true(s.apart == (s.storage.device != target.device));
	assert_int_equal(scratch_remove(&s, &e), 0);
	scratch_release(&s);
	/* no place has that much */
	assert_int_equal(
	    scratch_make(&s, NULL, "validate-s", &target.device, 1, dir, 1ull << 60, &e), -ENOSPC);
	assert_non_null(strstr(e.msg, "scratch = DIR"));
	/* a link with its name is not used */
	link = xasprintf("%s/validate-s", wanted);
	assert_int_equal(symlink("/tmp", link), 0);
	assert_int_equal(scratch_make(&s, wanted, "validate-s", &target.device, 1, dir, 0, &e),
			 -EEXIST);
	assert_int_equal(
	    scratch_make(&s, "/no/such/place", "validate-s", &target.device, 1, dir, 0, &e),
	    -ENOENT);
	free(link);
	free(wanted);
	storage_release(&target);
	temp_dir_remove(dir);
}

static void age(const char *path)
{
	struct timespec past[2] = {{.tv_sec = time(NULL) - 60}, {.tv_sec = time(NULL) - 60}};
	assert_int_equal(utimensat(AT_FDCWD, path, past, 0), 0);
}

/* The scratch directory of a killed campaign is removed if its results are gone, or belong to
 * another campaign. */
static void test_scratch_sweep(void **state)
{
	(void)state;
	char *dir = temp_dir_make(), *journal = xasprintf("%s/journal", dir);
	struct storage target;
	struct scratch s;
	struct err e = ERR_INIT;
	assert_int_equal(storage_look(&target, dir, &e), 0);
	assert_int_equal(scratch_make(&s, dir, "validate-s-token", &target.device, 1, dir, 0, &e), 0);
	age(s.dir);
	assert_int_equal(flock(s.lock, LOCK_UN), 0); /* as if its process had ended */
	/* of an earlier version: its campaign is unknown */
	scratch_sweep(dir, "validate-s-XXXXX");
	assert_true(path_exists(s.dir));
	assert_int_equal(scratch_link(&s, dir, &e), 0);
	age(s.dir);
	file_put(dir, "journal", "line\n\"token\"\n", 13);
	scratch_sweep(dir, "validate-s-XXXXX");
	assert_true(path_exists(s.dir));
	/* a session uses it */
	assert_int_equal(unlink(journal), 0);
	assert_int_equal(flock(s.lock, LOCK_EX), 0);
	scratch_sweep(dir, "validate-s-XXXXX");
	assert_true(path_exists(s.dir));
	assert_int_equal(flock(s.lock, LOCK_UN), 0);
	scratch_sweep(dir, "validate-s-XXXXX");
	assert_false(path_exists(s.dir));
	scratch_release(&s);
	assert_int_equal(scratch_make(&s, dir, "validate-s-token", &target.device, 1, dir, 0, &e), 0);
	assert_int_equal(scratch_link(&s, dir, &e), 0);
	age(s.dir);
	file_put(dir, "journal", "\"other\"\n", 8);
	assert_int_equal(flock(s.lock, LOCK_UN), 0);
	scratch_sweep(dir, "validate-s-XXXXX");
	assert_false(path_exists(s.dir));
	scratch_release(&s);
	storage_release(&target);
	free(journal);
	temp_dir_remove(dir);
}

static size_t n_entries(const char *path)
{
	size_t n = 0;
	DIR *d = opendir(path);
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* doctor: as scratch_make(), but nothing is created. */
static void test_scratch_choose(void **state)
{
	(void)state;
	char *dir = temp_dir_make();
	struct storage target, chosen;
	struct scratch s;
	bool apart;
	struct err e = ERR_INIT;
	assert_int_equal(storage_look(&target, dir, &e), 0);
	const size_t n = n_entries(dir);
	assert_int_equal(scratch_choose(&chosen, &apart, &target.device, 1, dir, &e), 0);
	assert_int_equal(n_entries(dir), n);
	assert_int_equal(scratch_make(&s, NULL, "validate-s", &target.device, 1, dir, 0, &e), 0);
	assert_true(apart == s.apart);
	assert_int_equal(chosen.device, s.storage.device);
	assert_int_equal(scratch_remove(&s, &e), 0);
	scratch_release(&s);
	storage_release(&chosen);
	storage_release(&target);
	temp_dir_remove(dir);
}

static void test_refused(void **state)
{
	(void)state;
	struct fixture f;
	struct err e = ERR_INIT;
	f.dir = temp_dir_make();
	protocol_make(&f.p, f.dir, "runs", "");
	assert_int_equal(places_plan(&f.s, &f.p, &e), 0);
	assert_int_equal(place_make(&f.s.place[0], "/no/such/place", "validate-x", &e), -ENOENT);
	assert_int_equal(place_make(&f.s.place[0], "/proc/self/exe", "validate-x", &e), -ENOTDIR);
	assert_true(place_make(&f.s.place[0], "/proc", "validate-x", &e) < 0);
	assert_non_null(strstr(e.msg, "/proc"));
	places_release(&f.s);
	/* more than there is */
	f.s = (struct places){0};
	for (size_t i = 0; i < f.p.scenario[0].n_options; i++)
		if (!strcmp(f.p.scenario[0].option[i].key, "file-size")) {
			free(f.p.scenario[0].option[i].value);
			f.p.scenario[0].option[i].value = xstrdup("10T");
		} else if (!strcmp(f.p.scenario[0].option[i].key, "level")) {
			free(f.p.scenario[0].option[i].value);
			f.p.scenario[0].option[i].value = xstrdup("1");
		}
	assert_int_equal(places_plan(&f.s, &f.p, &e), 0);
	assert_int_equal(place_make(&f.s.place[0], f.dir, "validate-x", &e), -ENOSPC);
	assert_non_null(strstr(e.msg, "no space for the workloads' files"));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sharing),
	    cmocka_unit_test(test_sets_of_roles),
	    cmocka_unit_test(test_sets_that_do_not_fit),
	    cmocka_unit_test(test_restored),
	    cmocka_unit_test(test_caches),
	    cmocka_unit_test(test_metadata),
	    cmocka_unit_test(test_removed),
	    cmocka_unit_test(test_unseen_is_not_changed),
	    cmocka_unit_test(test_guest),
	    cmocka_unit_test(test_earlier),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_scratch),
	    cmocka_unit_test(test_scratch_sweep),
	    cmocka_unit_test(test_scratch_choose),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
