/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls whose file depends on something other than their path: descriptors in /proc, directories
 * without a name, files without a name, threads with a working directory of their own. File actions
 * of posix_spawn. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static void *apart(void *none)
{
	(void)none;
	if (unshare(CLONE_FS) == 0 && mkdir("own", 0755) == 0 && chdir("own") == 0)
		close(open("file", O_CREAT | O_WRONLY, 0644));
	return NULL;
}

static int put(int fd, const char *text)
{
	return write(fd, text, strlen(text)) != (ssize_t)strlen(text) || close(fd);
}

/* Opens files up to the limit of descriptors. */
static int many(void)
{
	const struct rlimit limit = {8, 8};
	char name[16];
	int fd = setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; fd >= 0; i++) {
		snprintf(name, sizeof name, "file%d", i);
		fd = open(name, O_CREAT | O_WRONLY, 0644);
	}
	return errno != EMFILE;
}

/* File actions that make and truncate files, copy descriptors and change the directory. `program`
 * does not exist: the actions of the second call are carried out too. */
static int spawns(const char *program)
{
	posix_spawn_file_actions_t a, b;
	pid_t child;
	int status, top = open(".", O_RDONLY | O_DIRECTORY), unused = dup(top);
	int bad = mkdir("below", 0755) || mkdir("below/more", 0755) ||
		  posix_spawn_file_actions_init(&a) || posix_spawn_file_actions_init(&b);
	posix_spawn_file_actions_addopen(&a, 1, "output", O_CREAT | O_WRONLY | O_TRUNC, 0640);
	posix_spawn_file_actions_adddup2(&a, 1, 2);
	posix_spawn_file_actions_addclose(&a, unused);
	posix_spawn_file_actions_addclose(&a, 77); /* not open */
	posix_spawn_file_actions_addopen(&a, 9, "cut", O_WRONLY | O_TRUNC, 0);
	posix_spawn_file_actions_addchdir_np(&a, "below");
	posix_spawn_file_actions_addopen(&a, 9, "made", O_CREAT | O_EXCL | O_RDWR, 0777);
	posix_spawn_file_actions_addchdir_np(&a, "more");
	posix_spawn_file_actions_addopen(&a, 10, "deep", O_CREAT | O_RDWR, 0600);
	posix_spawn_file_actions_addfchdir_np(&a, top);
	posix_spawn_file_actions_addopen(&a, 11, "last", O_CREAT | O_RDWR, 0604);
	posix_spawn_file_actions_addclosefrom_np(&a, 11);
	char *const sh[] = {"sh", "-c", "echo 1; echo 22 >&2; echo 333 >&9; echo 4 >here", NULL};
	bad |= posix_spawnp(&child, "sh", &a, NULL, sh, environ) ||
	       waitpid(child, &status, 0) != child || status;
	posix_spawn_file_actions_addopen(&b, 9, "other", O_CREAT | O_WRONLY, 0600);
	if (program)
		bad |= posix_spawn(&child, program, &b, NULL, sh, environ) != ENOENT;
	return bad;
}

int main(int n_args, char **args)
{
	pthread_t t;
	if (n_args > 1 && !strcmp(args[1], "spawns"))
		return spawns(args[2]);
	if (n_args > 1 && !strcmp(args[1], "many"))
		return many();
	if (n_args > 1) /* a thread with its own working directory */
		return pthread_create(&t, NULL, apart, NULL) || pthread_join(t, NULL);
	char self[64];
	/* a path below a descriptor, and a descriptor for paths only */
	const int top = open(".", O_PATH | O_DIRECTORY), at = open("a", O_PATH | O_DIRECTORY);
	snprintf(self, sizeof self, "/proc/self/fd/%d/below", at);
	int bad = put(open(self, O_CREAT | O_WRONLY, 0640), "below");
	const int only = open("a/moved", O_PATH);
	snprintf(self, sizeof self, "/proc/self/fd/%d", only);
	bad |= put(open(self, O_WRONLY | O_APPEND), "appended");
	bad |= fchownat(only, "", 0, 0, AT_EMPTY_PATH) && getuid() == 0;
	/* an absolute path below a directory */
	const struct open_how how = {
	    .flags = O_CREAT | O_WRONLY, .mode = 0600, .resolve = RESOLVE_IN_ROOT};
	bad |= put((int)syscall(SYS_openat2, at, "/rooted", &how, sizeof how), "in the root");
	/* a file without a name gets one */
	const int nameless = open(".", O_TMPFILE | O_RDWR, 0644);
	bad |= nameless >= 0 && getuid() == 0 &&
	       (linkat(nameless, "", top, "named", AT_EMPTY_PATH) || put(nameless, "text"));
	/* a directory that is made again: its name leads to another directory */
	for (int i = 0; i < 2; i++)
		bad |= mkdir("again", 0755) || mkdir("again/below", 0755) ||
		       unlinkat(AT_FDCWD, "again/below", AT_REMOVEDIR) ||
		       unlinkat(AT_FDCWD, "again", AT_REMOVEDIR);
	/* a descriptor of a symbolic link: the call does not act on the link's target */
	const int link = open("down/far", O_PATH | O_NOFOLLOW);
	snprintf(self, sizeof self, "/proc/self/fd/%d", link);
	bad |= chown(self, 0, 0) && getuid() == 0;
	bad |= !setxattr(self, "user.name", "x", 1, 0);
#ifdef SYS_utime
	bad |= syscall(SYS_utime, "f", NULL) || syscall(SYS_utimes, "f", NULL) ||
	       syscall(SYS_futimesat, top, "f", NULL);
#endif
	/* a copy from memory without a file */
	const int memory = memfd_create("memory", 0), to = open("copied", O_CREAT | O_WRONLY, 0644);
	bad |= write(memory, "memory", 6) != 6 || sendfile(to, memory, &(off_t){0}, 6) != 6;
	/* a stream with an empty buffer and a closed descriptor */
	bad |= close(1) || fflush(stdout);
	return bad;
}
