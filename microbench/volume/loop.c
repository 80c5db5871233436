/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/volume/loop.h"

#include <linux/loop.h>
#include <sys/ioctl.h>

#include "common/files.h"

/* Whether `file` is the backing file of /dev/loopN, according to the kernel's name, which has
 * escapes. Returns 1, 0, or a negative errno if it cannot be read. */
static int name_is(const char *device, const char *file)
{
	SCOPED_FREE char *path =
	    xasprintf("/sys/block/%s/loop/backing_file", device + strlen("/dev/"));
	SCOPED_STRBUF text = STRBUF_INIT;
	int ret = file_read(path, &text, 1 << 16, NULL);
	if (!ret && text.len) {
		text.s[text.len - 1] = 0;
		ret = !strcmp(text.s, file);
	}
	/* the device may have been detached meanwhile */
	return ret == -ENOENT || ret == -ENXIO || ret == -ENODEV ? 0 : ret;
}

/* Compares the name that the device stores, which may be truncated. */
static int name_compare(const struct loop_info64 *info, const char *file)
{
	size_t kept = sizeof info->lo_file_name - 1;
	if (strncmp((const char *)info->lo_file_name, file, kept))
		return 0;
	return strlen(file) < kept ? 1 : -EIO;
}

/* The same without /sys: compares the file itself, or its name if the file cannot be examined. May
 * fail (negative errno) for a device whose file's server has ended. A device that this user may not
 * open does not belong to this user. */
static int status_is(const char *device, const char *file)
{
	struct loop_info64 info;
	struct stat st;
	SCOPED_FD int fd = open(device, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (ioctl(fd, LOOP_GET_STATUS64, &info) < 0)
		return errno == ENXIO ? 0 : -errno;
	return stat(file, &st) < 0 ? name_compare(&info, file)
				   : info.lo_device == st.st_dev && info.lo_inode == st.st_ino;
}

static int is_over(const char *device, const char *file)
{
	return path_exists("/sys/block") ? name_is(device, file) : status_is(device, file);
}

int loop_of_file(const char *file, char device[LOOP_NAME_MAX], struct err *e)
{
	SCOPED_DIR DIR *d = opendir("/sys/block");
	int is = 0;
	char unsure[LOOP_NAME_MAX] = "";
	*device = 0;
	d = d || errno != ENOENT ? d : opendir("/dev");
	if (!d)
		return errno == ENOENT
			   ? -ENOENT
			   : err_sys(e, errno, "cannot determine whether a loop device uses %s",
				     file);
	for (struct dirent *entry; is <= 0 && (entry = readdir(d));) {
		if (strncmp(entry->d_name, "loop", 4) ||
		    strspn(entry->d_name + 4, "0123456789") < strlen(entry->d_name + 4) ||
		    strlen(entry->d_name) > 20 || !entry->d_name[4])
			continue;
		snprintf(device, LOOP_NAME_MAX, "/dev/%.20s", entry->d_name);
		is = is_over(device, file);
		if (is < 0)
			memcpy(unsure, device, sizeof unsure);
	}
	if (is > 0)
		return 0;
	*device = 0;
	return *unsure ? err_set(e, EIO,
				 "cannot determine whether %s is the loop device on %s: /sys is "
				 "not readable",
				 unsure, file)
		       : -ENOENT;
}

/* Whether direct I/O is in use: the kernel turns it off silently if the file does not support
 * it. */
static bool is_direct(int loop_fd)
{
	struct loop_info64 info;
	return ioctl(loop_fd, LOOP_GET_STATUS64, &info) == 0 && info.lo_flags & LO_FLAGS_DIRECT_IO;
}

/* Makes one attempt with a free device. EBUSY: another program was faster. */
static int attach_once(int control, int file_fd, const char *file, bool direct,
		       char device[LOOP_NAME_MAX], struct err *e)
{
	int number = ioctl(control, LOOP_CTL_GET_FREE);
	if (number < 0)
		return err_sys(e, errno, "there is no free loop device (--no-loop needs none)");
	snprintf(device, LOOP_NAME_MAX, "/dev/loop%d", number);
	SCOPED_FD int fd = open(device, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno, "cannot open %s", device);
	struct loop_config config = {.fd = (uint32_t)file_fd,
				     .info.lo_flags = direct ? LO_FLAGS_DIRECT_IO : 0};
	snprintf((char *)config.info.lo_file_name, sizeof config.info.lo_file_name, "%s", file);
	if (ioctl(fd, LOOP_CONFIGURE, &config) < 0)
		return err_sys(e, errno, "%s: cannot attach %s", device, file);
	if (!direct || is_direct(fd))
		return 0;
	ioctl(fd, LOOP_CLR_FD);
	return err_set(e, EINVAL,
		       "%s: this loop device cannot use direct I/O on %s (--no-loop needs no loop "
		       "device)", device, file);
}

int loop_attach(const char *file, bool direct, char device[LOOP_NAME_MAX], struct err *e)
{
	SCOPED_FD int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		return err_sys(e, errno, "/dev/loop-control: there are no loop devices, or this "
			"user has no access to them (--no-loop needs none)");
	SCOPED_FD int file_fd = open(file, O_RDWR | O_CLOEXEC | (direct ? O_DIRECT : 0));
	int ret = file_fd < 0 ? err_sys(e, errno, "cannot open %s", file) : -EBUSY;
	for (int i = 0; i < 64 && ret == -EBUSY; i++)
		ret = attach_once(control, file_fd, file, direct, device, e);
	return ret;
}

int loop_detach(const char *device, const char *file, struct err *e)
{
	const int over = is_over(device, file);
	if (over <= 0)
		return over ? err_sys(e, -over,
				      "cannot determine whether %s is the loop device on %s",
				      device, file)
			    : 0;
	int fd = open(device, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno, "cannot open %s", device);
	int ret = ioctl(fd, LOOP_CLR_FD) < 0 && errno != ENXIO
		      ? err_sys(e, errno, "%s: cannot detach it", device)
		      : 0;
	close(fd);
	/* detaching is delayed while another program, such as udev, has the device open */
	for (int i = 0; i < 200 && !ret && is_over(device, file); i++)
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	return !ret && is_over(device, file)
		   ? err_set(e, EBUSY, "%s: cannot detach it, because a process still has it open",
			     device)
		   : ret;
}
