/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that the capture tests examine while it runs: reads a file in small steps until a file
 * "go" exists, then to its end. */
#include <fcntl.h>
#include <unistd.h>

int main(int n, char **arg)
{
	static char buffer[65536];
	int fd = n > 1 ? open(arg[1], O_RDONLY) : -1;
	if (fd < 0)
		return 1;
	for (int i = 1; i % 64 || access("go", F_OK) < 0; i++) {
		if (read(fd, buffer, 7) != 7)
			return 2; /* the file is too short */
		/* the offset must not change while capture reads it twice, and the kernel needs
		 * room for the events */
		usleep(100);
	}
	while (read(fd, buffer, sizeof buffer) > 0)
		;
	return close(fd) != 0;
}
