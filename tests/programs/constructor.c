/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library, and a part of a program, whose constructor and destructor make I/O calls. */
#include <fcntl.h>
#include <unistd.h>

static void touch(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd >= 0 && write(fd, "x", 1) == 1)
		close(fd);
}

static __attribute__((constructor)) void early(void)
{
	touch("early");
}

static __attribute__((destructor)) void late(void)
{
	touch("late");
}

int plugin_run(void);
int plugin_run(void)
{
	touch("run");
	return 0;
}
