/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/volume/loop.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/files.h"
#include "common/xalloc.h"

/* The file of /dev/loopN as the kernel names it, whatever is in its name, or NULL. The caller frees. */
static char *file_of(const char *device)
{
	char *path = xasprintf("/sys/block/%s/loop/backing_file", device + strlen("/dev/")), *file = NULL;
	struct strbuf text = STRBUF_INIT;
	if (!file_read(path, &text, 1 << 16, NULL) && text.len) {
		text.s[text.len - 1] = 0;
		file = xstrdup(text.s);
	}
	strbuf_release(&text);
	free(path);
	return file;
}

bool loop_of_file(const char *file, char device[LOOP_NAME_MAX])
{
	DIR *d = opendir("/sys/block");
	bool found = false;
	for (struct dirent *entry; d && !found && (entry = readdir(d));) {
		if (strncmp(entry->d_name, "loop", 4) || strlen(entry->d_name) > 20)
			continue;
		snprintf(device, LOOP_NAME_MAX, "/dev/%.20s", entry->d_name);
		char *backing = file_of(device);
		found = backing && !strcmp(backing, file);
		free(backing);
	}
	if (d)
		closedir(d);
	return found;
}

static int configure(int loop_fd, int file_fd, const char *file, bool direct)
{
	struct loop_config config = {.fd = (uint32_t)file_fd, .info.lo_flags = direct ? LO_FLAGS_DIRECT_IO : 0};
	snprintf((char *)config.info.lo_file_name, sizeof config.info.lo_file_name, "%s", file);
	return ioctl(loop_fd, LOOP_CONFIGURE, &config) < 0 ? -errno : 0;
}

/* The kernel falls back in silence where the file cannot do it. */
static bool is_direct(int loop_fd)
{
	struct loop_info64 info;
	return ioctl(loop_fd, LOOP_GET_STATUS64, &info) == 0 && info.lo_flags & LO_FLAGS_DIRECT_IO;
}

/* One attempt with whichever device is free now: EBUSY when another program was faster. */
static int attach_once(int control, int file_fd, const char *file, bool direct, char device[LOOP_NAME_MAX], struct err *e)
{
	int number = ioctl(control, LOOP_CTL_GET_FREE);
	if (number < 0)
		return err_sys(e, errno, "no free loop device");
	snprintf(device, LOOP_NAME_MAX, "/dev/loop%d", number);
	int fd = open(device, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno, "%s", device);
	int ret = configure(fd, file_fd, file, direct);
	if (ret) {
		ret = err_sys(e, -ret, "%s: cannot attach %s", device, file);
	} else if (direct && !is_direct(fd)) {
		ioctl(fd, LOOP_CLR_FD);
		ret = err_set(e, EINVAL, "%s: the file system of %s takes no direct I/O from a loop device", device, file);
	}
	close(fd);
	return ret;
}

int loop_attach(const char *file, bool direct, char device[LOOP_NAME_MAX], struct err *e)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		return err_sys(e, errno, "/dev/loop-control: no loop devices here, or not for this user");
	int file_fd = open(file, O_RDWR | O_CLOEXEC | (direct ? O_DIRECT : 0));
	int ret = file_fd < 0 ? err_sys(e, errno, "%s", file) : -EBUSY;
	for (int i = 0; i < 64 && ret == -EBUSY; i++)
		ret = attach_once(control, file_fd, file, direct, device, e);
	if (file_fd >= 0)
		close(file_fd);
	close(control);
	return ret;
}

int loop_detach(const char *device, const char *file, struct err *e)
{
	char *backing = file_of(device);
	bool ours = backing && !strcmp(backing, file);
	free(backing);
	if (!ours)
		return 0;
	int fd = open(device, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno, "%s", device);
	int ret = ioctl(fd, LOOP_CLR_FD) < 0 && errno != ENXIO ? err_sys(e, errno, "%s: cannot detach it", device) : 0;
	close(fd);
	/* whoever still has it open, udev for instance, puts the end off */
	for (int i = 0; i < 200 && !ret && (backing = file_of(device)); i++) {
		bool gone = strcmp(backing, file) != 0;
		free(backing);
		if (gone)
			return 0;
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	if (!ret && (backing = file_of(device))) {
		ret = strcmp(backing, file) ? 0 : err_set(e, EBUSY, "%s: somebody still has it open", device);
		free(backing);
	}
	return ret;
}
