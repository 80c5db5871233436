/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "torture_scene.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/fs.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "torture_random.h"
#include "torture_world.h"

static const char long_name[] = "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
				"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
				"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
				"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
				"nnnnnnnnnnnnnnnnnnnn";

const char *const scene_names[] = {
    "a",
    "b",
    "d/x",
    "d/e/y",
    "ro",
    "sparse",
    "n1",
    "n2",
    "d/n3",
    "d/e/n4",
    "n5",
    "d",
    "d/e",
    /* special objects */
    "disk",
    "sub/disk",
    "sub",
    "f",
    "e",
    "e/n6",
    "hard",
    "null",
    "zero",
    "fifo",
    "sub/fifo",
    "held",
    "sock",
    "todisk",
    "bound",
    "bound/disk",
    "bound/file",
    "boundfile",
    "immutable",
    "loop",
    "out",
    "out/file",
    "out/new",
    "up",
    "up/file",
    "magic",
    "magic/canary/file",
    "devs",
    "devs/null",
    "fds",
    "fds/1",
    "n1/disk",
    "n2/fifo",
    "d/disk",
    "a/",
    "disk/",
    "d/..",
    "..",
    ".",
    "/",
    "",
    "../canary/file",
    "../canary",
    "d/../../canary/file",
    "up/../canary/file",
    SCENE_DIR "/canary/file",
    SCENE_DIR "/canary/new",
    SCENE_DIR "/canary/disk",
    "/dev/null",
    "/dev/shm/x",
    "/proc/self/root" SCENE_DIR "/canary/file",
    "/proc/self/fd/1",
    "%s%n%n",
    "\x1b[31mred\n::error::x",
    "<script>\"'&",
    long_name,
};
const uint32_t scene_n_files = 6, scene_n_new = 11, scene_n_ordinary = 13,
	       scene_n_names = sizeof scene_names / sizeof *scene_names;

/* --- the canary ---------------------------------------------------------- */

static const char *const watched_paths[] = {
    SCENE_DIR "/canary",
    SCENE_DIR "/canary/file",
    SCENE_DIR "/canary/dir",
    SCENE_DIR "/canary/dir/inner",
    SCENE_DIR "/canary/link",
    SCENE_DIR "/canary/disk",
    SCENE_DIR "/canary/fifo",
    "/dev",
    "/dev/null",
    "/dev/zero",
    NULL,
};
enum { N_WATCHED = sizeof watched_paths / sizeof *watched_paths - 1, CONTENT_BYTES = 64 };
struct watched {
	struct stat st[N_WATCHED];
	char content[N_WATCHED][CONTENT_BYTES];
};

static void must(int failed, const char *what)
{
	if (!failed)
		return;
	fprintf(stderr, "torture: cannot prepare the scene: %s: %s\n", what, strerror(errno));
	exit(3);
}

static void file_put(const char *path, const char *text, size_t len)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	must(fd < 0 || write(fd, text, len) != (ssize_t)len || close(fd), path);
}

static void watched_take(struct watched *w)
{
	memset(w, 0, sizeof *w);
	for (int i = 0; i < N_WATCHED; i++) {
		if (lstat(watched_paths[i], &w->st[i]))
			continue; /* st_mode 0: it is not there */
		const int fd =
		    S_ISREG(w->st[i].st_mode) ? open(watched_paths[i], O_RDONLY | O_CLOEXEC) : -1;
		if (fd >= 0)
			must(read(fd, w->content[i], CONTENT_BYTES) < 0 || close(fd),
			     watched_paths[i]);
	}
}

static void canary_make(struct scene *s)
{
	must(system("rm -rf " SCENE_DIR "/canary") != 0, "rm");
	must(mkdir(SCENE_DIR "/canary", 0755) || mkdir(SCENE_DIR "/canary/dir", 0755), "mkdir");
	file_put(SCENE_DIR "/canary/file", "untouched file\n", 15);
	file_put(SCENE_DIR "/canary/dir/inner", "untouched inner\n", 16);
	must(symlink("file", SCENE_DIR "/canary/link"), "symlink");
	must(mkfifo(SCENE_DIR "/canary/fifo", 0666), "mkfifo");
	must(mknod(SCENE_DIR "/canary/disk", S_IFBLK | 0666, world_device_number(s->canary_fd)),
	     "mknod");
	for (uint32_t i = 0; i < SCENE_DEVICE_BYTES; i++)
		s->content[i] = (unsigned char)(i * 7 + (i >> 9) + 1);
	must(pwrite(s->canary_fd, s->content, SCENE_DEVICE_BYTES, 0) != SCENE_DEVICE_BYTES ||
		 fsync(s->canary_fd),
	     "canary device");
	usleep(10000); /* a later change has another time */
	watched_take(s->watched);
}

int scene_enter(struct scene *s, const char *keep, const char *cgroup)
{
	*s = (struct scene){.fifo_fd = -1};
	const int ret = world_enter(s, keep, cgroup);
	if (ret)
		return ret;
	must(mkdir(SCENE_TMP, 0700) || mkdir(SCENE_WORK, 0700) || mkdir(SCENE_TARGET, 0700) ||
		 mkdir(SCENE_DIR "/bound", 0755),
	     "mkdir");
	must(mknod(SCENE_DIR "/bound/disk", S_IFBLK | 0666, world_device_number(s->canary_fd)),
	     "mknod");
	file_put(SCENE_DIR "/bound/file", "bound\n", 6);
	s->watched = calloc(1, sizeof *s->watched);
	/* the second half: content that is read again */
	s->content = malloc(2 * SCENE_DEVICE_BYTES);
	must(!s->watched || !s->content, "memory");
	canary_make(s);
	return 0;
}

/* --- planting ------------------------------------------------------------ */

static void plant_file(const char *name, size_t len, mode_t mode)
{
	static const char text[8192] = "planted";
	const int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
	must(fd < 0, name);
	for (size_t done = 0, n; done < len; done += n) {
		n = len - done < sizeof text ? len - done : sizeof text;
		must(write(fd, text, n) != (ssize_t)n, name);
	}
	close(fd);
}

static void plant_sparse(void)
{
	plant_file("sparse", 10, 0644);
	must(truncate("sparse", (off_t)1 << 40), "sparse");
}

static void plant_immutable(void)
{
	int flags = FS_IMMUTABLE_FL;
	plant_file("immutable", 10, 0644);
	const int fd = open("immutable", O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		(void)!ioctl(fd, FS_IOC_SETFLAGS, &flags); /* not every file system has it */
	close(fd);
}

static void plant_socket(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "sock"};
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) || close(fd), "socket");
}

static void plant_held(struct scene *s)
{
	must(mkfifo("held", 0666), "held");
	if (s->fifo_fd >= 0)
		close(s->fifo_fd);
	s->fifo_fd = open("held", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	must(s->fifo_fd < 0, "held");
}

static void plant_bound(void)
{
	must(mkdir("bound", 0755) || mount(SCENE_DIR "/bound", "bound", NULL, MS_BIND, NULL),
	     "bound");
}

static void plant_bound_file(const char *device)
{
	plant_file("boundfile", 0, 0644);
	must(mount(device, "boundfile", NULL, MS_BIND, NULL), "boundfile");
}

static void plant_links(uint64_t choice)
{
	static const char *const links[][2] = {{SCENE_DIR "/canary", "out"},
					       {"../canary", "up"},
					       {"/proc/self/root" SCENE_DIR, "magic"},
					       {"/dev", "devs"},
					       {"/proc/self/fd", "fds"},
					       {"sub/disk", "todisk"},
					       {"loop", "loop"}};
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		if (choice >> (2 * i) & 3)
			must(symlink(links[i][0], links[i][1]), links[i][1]);
}

void scene_plant(struct scene *s, uint64_t seed)
{
	const uint64_t choice = random_next(&seed), more = random_next(&seed);
	const dev_t disk = world_device_number(s->canary_fd);
	must(chdir("/"), "/");
	umount2(SCENE_TARGET, MNT_DETACH); /* fails the first time */
	must(mount("torture", SCENE_TARGET, "tmpfs", 0, "size=32m,mode=755"), SCENE_TARGET);
	must(chdir(SCENE_TARGET), SCENE_TARGET);
	must(mkdir("d", 0755) || mkdir("d/e", 0755) || mkdir("sub", 0755) || mkdir("f", 0755),
	     "mkdir");
	plant_file("a", 8192, 0644);
	plant_file("d/x", 65536, 0644);
	plant_file("ro", 100, 0444);
	plant_file("b", 0, 0644);
	plant_file("d/e/y", 3000, 0600);
	plant_sparse();
#define PLANTED(bit) ((choice >> (2 * (bit)) & 3) != 0) /* three times in four */
	if (PLANTED(0))
		must(mknod("disk", S_IFBLK | 0666, disk), "disk");
	if (PLANTED(1))
		must(mknod("sub/disk", S_IFBLK | 0666, disk), "sub/disk");
	if (PLANTED(2))
		must(mknod("null", S_IFCHR | 0666, makedev(1, 3)) ||
			 mknod("zero", S_IFCHR | 0666, makedev(1, 5)),
		     "null");
	if (PLANTED(3))
		must(mkfifo("fifo", 0666) || mkfifo("sub/fifo", 0666), "fifo");
	if (PLANTED(4))
		plant_held(s);
	if (PLANTED(5))
		plant_socket();
	if (PLANTED(6))
		plant_immutable();
	if (PLANTED(7))
		plant_bound();
	if (PLANTED(8))
		plant_bound_file(s->canary);
	plant_file("other", 100, 0644);
	if (!PLANTED(9)) /* --prepare refuses files with two names */
		must(link(PLANTED(10) ? "other" : "a", "hard"), "hard");
#undef PLANTED
	plant_links(more);
	must(chdir("/"), "/");
}

void scene_swap_names(uint64_t seed)
{
	static const char *const pairs[][2] = {{"a", "sub/disk"}, {"d", "out"},   {"b", "fifo"},
					       {"d/x", "null"},   {"n1", "disk"}, {"d/e", "sub"},
					       {"a", "todisk"},   {"ro", "held"}, {"f", "devs"}};
	const size_t n = sizeof pairs / sizeof *pairs, from = random_below(&seed, n),
		     span = 1 + random_below(&seed, 4);
	if (chdir(SCENE_TARGET))
		_exit(0);
	for (uint64_t i = 0;; i++) {
		const char *const *pair = pairs[(from + i / 2 % span) % n];
		(void)renameat2(AT_FDCWD, pair[0], AT_FDCWD, pair[1],
				RENAME_EXCHANGE); /* the names of both may be gone */
		if (i % 64 == 63)
			sched_yield();
	}
}

/* --- comparing ----------------------------------------------------------- */

static bool times_equal(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool stats_equal(const struct stat *a, const struct stat *b)
{
	return a->st_mode == b->st_mode && a->st_ino == b->st_ino && a->st_uid == b->st_uid &&
	       a->st_gid == b->st_gid && a->st_nlink == b->st_nlink && a->st_size == b->st_size &&
	       a->st_rdev == b->st_rdev && times_equal(&a->st_mtim, &b->st_mtim) &&
	       times_equal(&a->st_ctim, &b->st_ctim);
}

static bool canary_is_unchanged(struct scene *s, char *why, size_t size)
{
	struct watched now;
	int n_bytes = 0;
	watched_take(&now);
	for (int i = 0; i < N_WATCHED; i++)
		if (!stats_equal(&now.st[i], &s->watched->st[i]) ||
		    memcmp(now.content[i], s->watched->content[i], CONTENT_BYTES)) {
			snprintf(why, size, "%s was changed", watched_paths[i]);
			return false;
		}
	unsigned char *again = s->content + SCENE_DEVICE_BYTES;
	must(pread(s->canary_fd, again, SCENE_DEVICE_BYTES, 0) != SCENE_DEVICE_BYTES,
	     "reading the canary device");
	if (memcmp(again, s->content, SCENE_DEVICE_BYTES)) {
		snprintf(why, size, "the canary device was written");
		return false;
	}
	if (s->fifo_fd >= 0 && ioctl(s->fifo_fd, FIONREAD, &n_bytes) == 0 && n_bytes) {
		snprintf(why, size, "%d bytes were written to a fifo", n_bytes);
		return false;
	}
	return true;
}

static char left_name[300];

static int left_look(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type;
	if (!strncmp(path + ftw->base, ".validate-", 10))
		snprintf(left_name, sizeof left_name, "%s", path);
	return 0;
}

/* Files of $TMPDIR except the files that MPI removes later. */
static bool tmp_is_empty(void)
{
	DIR *d = opendir(SCENE_TMP);
	struct dirent *entry;
	bool empty = true;
	must(!d, SCENE_TMP);
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.' || !strncmp(entry->d_name, ".validate", 9))
			if (strncmp(entry->d_name, "ompi.", 5) &&
			    strncmp(entry->d_name, "pmix", 4)) {
				snprintf(left_name, sizeof left_name, SCENE_TMP "/%s",
					 entry->d_name);
				empty = false;
			}
	closedir(d);
	return empty;
}

bool scene_is_unchanged(struct scene *s, char *why, size_t size)
{
	if (!canary_is_unchanged(s, why, size)) {
		canary_make(s);
		return false;
	}
	left_name[0] = '\0';
	nftw(SCENE_TARGET, left_look, 16, FTW_PHYS);
	nftw(SCENE_WORK, left_look, 16, FTW_PHYS);
	if (tmp_is_empty() && !left_name[0])
		return true;
	snprintf(why, size, "left behind: %s", left_name);
	must(system("rm -rf " SCENE_TMP "/* " SCENE_TMP "/.validate* " SCENE_WORK "/.validate*") !=
		 0,
	     "rm");
	return false;
}
