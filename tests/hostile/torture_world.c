/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "torture_world.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/loop.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int cannot(const char *what, int status)
{
	fprintf(stderr, "torture: %s: %s\n", what, strerror(errno));
	return status;
}

dev_t world_device_number(int fd)
{
	struct stat st;
	return fstat(fd, &st) ? 0 : st.st_rdev;
}

/* A loop device on a new file; the kernel detaches it when the last descriptor is closed. The
 * file's name is known outside of this namespace, and differs from that of another torture. */
static int loop_attach(const char *what, char *name, size_t size)
{
	struct loop_config config = {.info.lo_flags = LO_FLAGS_AUTOCLEAR};
	char path[64];
	snprintf(path, sizeof path, SCENE_DIR "/%s-%d.img", what, (int)getpid());
	const int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC),
		  file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int fd = -1;
	if (control < 0 || file < 0 || ftruncate(file, SCENE_DEVICE_BYTES))
		goto out;
	config.fd = (uint32_t)file;
	for (int i = 0; i < 20 && fd < 0; i++) { /* another process may take a free device first */
		const int number = ioctl(control, LOOP_CTL_GET_FREE);
		snprintf(name, size, "/dev/loop%d", number);
		fd = number < 0 ? -1 : open(name, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && ioctl(fd, LOOP_CONFIGURE, &config)) {
			close(fd);
			fd = -1;
		}
	}
out:
	close(control);
	close(file);
	return fd;
}

static int device_copy(const char *name, mode_t mode, dev_t number)
{
	char path[64];
	snprintf(path, sizeof path, SCENE_DIR "/dev/%s", name);
	return mknod(path, mode, number) || chmod(path, mode & 07777);
}

/* Makes the devices that programs need to run. The scene makes its own devices. */
static int devices_make(const struct scene *s)
{
	int bad = mkdir(SCENE_DIR "/dev", 0755) ||
		  mount("torture-dev", SCENE_DIR "/dev", "tmpfs", 0, "mode=755,size=64m");
	bad = bad || device_copy("null", S_IFCHR | 0666, makedev(1, 3)) ||
	      device_copy("zero", S_IFCHR | 0666, makedev(1, 5)) ||
	      device_copy("full", S_IFCHR | 0666, makedev(1, 7)) ||
	      device_copy("random", S_IFCHR | 0666, makedev(1, 8)) ||
	      device_copy("urandom", S_IFCHR | 0666, makedev(1, 9));
	bad = bad ||
	      device_copy(s->canary + 5, S_IFBLK | 0600, world_device_number(s->canary_fd)) ||
	      device_copy(s->scratch + 5, S_IFBLK | 0600, world_device_number(s->scratch_fd));
	bad = bad || mkdir(SCENE_DIR "/dev/shm", 01777) ||
	      symlink("/proc/self/fd", SCENE_DIR "/dev/fd") ||
	      symlink("fd/0", SCENE_DIR "/dev/stdin") || symlink("fd/1", SCENE_DIR "/dev/stdout") ||
	      symlink("fd/2", SCENE_DIR "/dev/stderr");
	return bad || mount(SCENE_DIR "/dev", "/dev", NULL, MS_BIND, NULL) ||
	       umount2(SCENE_DIR "/dev", MNT_DETACH) || rmdir(SCENE_DIR "/dev");
}

/* Mount points are in the fifth column of mountinfo, with \040 for a blank; such mounts stay
 * unchanged. */
static int others_make_read_only(void)
{
	char line[4096], point[2048];
	FILE *f = fopen("/proc/self/mountinfo", "re");
	if (!f)
		return -1;
	int bad = 0;
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "%*s %*s %*s %*s %2047s", point) != 1 ||
		    !strncmp(point, SCENE_DIR, strlen(SCENE_DIR)) || !strcmp(point, "/dev") ||
		    strstr(line, " - tracefs ") || strstr(line, " - debugfs "))
			continue;
		if (mount(NULL, point, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) &&
		    !strcmp(point, "/"))
			bad = -1; /* other mounts may be hidden by mounts over them */
	}
	fclose(f);
	return bad;
}

static bool text_put(const char *dir, const char *file, const char *text)
{
	char path[300];
	snprintf(path, sizeof path, "%s/%s", dir, file);
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool world_devices_restrict(const struct scene *s, const char *cgroup)
{
	char text[64];
	bool ok = (mkdir(cgroup, 0755) == 0 || errno == EEXIST) &&
		  text_put(cgroup, "devices.deny", "a") &&
		  text_put(cgroup, "devices.allow", "c *:* rwm");
	for (int i = 0; i < 2 && ok; i++) {
		const dev_t number = world_device_number(i ? s->canary_fd : s->scratch_fd);
		snprintf(text, sizeof text, "b %u:%u rwm", major(number), minor(number));
		ok = text_put(cgroup, "devices.allow", text);
	}
	return ok && text_put(cgroup, "cgroup.procs", "0");
}

int world_enter(struct scene *s, const char *keep, const char *cgroup)
{
	char kept_path[64];
	if (geteuid() != 0 || unshare(CLONE_NEWNS))
		return cannot("a mount namespace of its own is not permitted", 77);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return cannot("making mounts private", 77);
	const int kept = open(keep, O_PATH | O_DIRECTORY |
					O_CLOEXEC); /* it may be below the next mount */
	if (kept < 0)
		return cannot(keep, 1);
	if (mount("torture", SCENE_DIR, "tmpfs", 0, "mode=755,size=2g"))
		return cannot("mounting " SCENE_DIR, 77);
	s->canary_fd = loop_attach("canary", s->canary, sizeof s->canary);
	s->scratch_fd = loop_attach("scratch", s->scratch, sizeof s->scratch);
	if (s->canary_fd < 0 || s->scratch_fd < 0)
		return cannot("no loop device can be attached", 77);
	snprintf(kept_path, sizeof kept_path, "/proc/self/fd/%d", kept);
	if (mkdir(SCENE_KEEP, 0700) || mount(kept_path, SCENE_KEEP, NULL, MS_BIND, NULL))
		return cannot("mounting " SCENE_KEEP, 1);
	close(kept);
	if (devices_make(s))
		return cannot("making a private /dev", 77);
	world_devices_restrict(
	    s, cgroup); /* next to the private /dev: not every machine has this controller */
	if (others_make_read_only())
		return cannot("making the machine's file systems read-only", 77);
	return 0;
}

void scene_drop_rights(void)
{
	static const unsigned int rights[] = {CAP_MKNOD, CAP_SYS_MODULE, CAP_SYS_BOOT,
					      CAP_SYS_RAWIO, CAP_SYS_TIME};
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct set[2];
	if (syscall(SYS_capget, &header, set))
		_exit(3);
	for (size_t i = 0; i < sizeof rights / sizeof *rights; i++) {
		const uint32_t bit = 1u << (rights[i] % 32);
		prctl(PR_CAPBSET_DROP, rights[i], 0, 0, 0);
		set[rights[i] / 32].effective &= ~bit;
		set[rights[i] / 32].permitted &= ~bit;
		set[rights[i] / 32].inheritable &= ~bit;
	}
	if (syscall(SYS_capset, &header, set))
		_exit(3);
}
