/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes a volume: its loop device, its server and its directory, in any state. Refuses while the
 * volume is in use. */
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "common/device.h"
#include "common/files.h"
#include "microbench/volume/throttle.h"
#include "microbench/volume/volume_private.h"

#define TIMEOUT_MS 10000
/* ms; the kernel releases the io_uring of a killed program some time after its end */
#define BUSY_TIMEOUT_MS 2000

/* Refuses while a program writes to the device: detaching would only be delayed until the program
 * closes it. */
static int held_check(const struct volume *v, bool *refused, struct err *e)
{
	int fd = -1;
	for (int ms = 0; fd < 0 && ms <= BUSY_TIMEOUT_MS; ms += 10) {
		fd = open(v->device, O_RDONLY | O_EXCL | O_CLOEXEC);
		if (fd < 0 && errno != EBUSY)
			return 0; /* detaching will report the error */
		if (fd < 0)
			nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	*refused = fd < 0;
	if (fd < 0)
		return err_set(e, EBUSY,
			       "volume %s was not removed: %s is in use; first stop the programs "
			       "that use it",
			       v->name, v->device);
	close(fd);
	return 0;
}

/* Checks a volume that seems to have no loop device, because a device could be left over. */
static int device_check(const struct volume *v, struct err *e)
{
	char device[LOOP_NAME_MAX];
	int ret = loop_of_file(v->file, device, e);
	if (ret && ret != -ENOENT)
		err_context(e, "volume %s was not removed", v->name);
	return ret == -ENOENT ? 0 : ret;
}

static int uses_check(const struct volume *v, bool *refused, struct err *e)
{
	struct device_uses uses;
	struct stat st;
	if (!v->device[0])
		return device_check(v, e);
	if (stat(v->device, &st) < 0)
		return err_sys(e, errno, "cannot examine %s", v->device);
	int ret = device_uses_find(&uses, &device_system, v->device, &st, e);
	if (ret)
		return ret;
	*refused = uses.n > 0;
	if (uses.n)
		ret = err_set(e, EBUSY, "volume %s was not removed: %s", v->name, uses.text[0]);
	device_uses_release(&uses);
	return ret ? ret : held_check(v, refused, e);
}

/* Whether the server ends, and so releases its lock, in time. */
static bool server_ended(const struct volume *v, int patience_ms)
{
	int fd = volume_lock_open(v);
	if (fd < 0)
		return true;
	bool free_now = false;
	for (int ms = 0; ms <= patience_ms && !(free_now = flock(fd, LOCK_EX | LOCK_NB) == 0);
	     ms += 5) {
		nanosleep(&(struct timespec){0, 5000000}, NULL);
		/* the server is a child if this process created the volume */
		waitpid(v->pid, NULL, WNOHANG);
	}
	close(fd);
	return free_now;
}

/* Unmounts the mount of a killed server. Ordinary users need fusermount3, because they may not call
 * umount. */
static void mount_detach(const struct volume *v)
{
	SCOPED_FREE char *mount = volume_inside(v, "mount");
	if (umount2(mount, MNT_DETACH | UMOUNT_NOFOLLOW) < 0 && errno == EPERM) {
		pid_t pid = fork();
		if (!pid) {
			execlp("fusermount3", "fusermount3", "-u", "-z", "-q", mount, (char *)NULL);
			_exit(127);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

int volume_remove(const struct volume *v, bool *refused, struct err *e)
{
	*refused = false;
	if (v->alive && v->pid > 1) /* a stopped server would block closing and detaching */
		kill(v->pid, SIGCONT);
	int ret = uses_check(v, refused, e);
	if (!ret && v->device[0] && v->group)
		throttle_clear(v->group, v->device);
	if (!ret && v->device[0])
		ret = loop_detach(v->device, v->file, e);
	if (ret)
		return ret;
	if (v->alive && v->pid > 1)
		kill(v->pid, SIGTERM);
	if (v->alive && !server_ended(v, TIMEOUT_MS)) {
		kill(v->pid, SIGKILL);
		if (!server_ended(v, TIMEOUT_MS))
			return err_set(e, EBUSY,
				       "volume %s was not removed: its server, process %d, did not "
				       "end after SIGKILL; repeat the command later",
				       v->name, (int)v->pid);
	}
	mount_detach(v);
	return dir_remove_tree(v->dir, e);
}
