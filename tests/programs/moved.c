/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes calls relative to directories after they were renamed: by descriptor, by working directory,
 * below a moved directory, and in exchanged directories. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEED(...) \
	do { \
		if (!(__VA_ARGS__)) { \
			perror(#__VA_ARGS__); \
			return 1; \
		} \
	} while (0)

int main(void)
{
	int d, sub;
	NEED(mkdir("d", 0755) == 0 && mkdir("d/sub", 0755) == 0 && mkdir("x", 0755) == 0);
	NEED((d = open("d", O_RDONLY | O_DIRECTORY)) >= 0 &&
		(sub = open("d/sub", O_RDONLY | O_DIRECTORY)) >= 0);
	NEED(rename("d", "e") == 0);
	NEED(close(openat(d, "f", O_WRONLY | O_CREAT, 0644)) == 0);
	NEED(close(openat(sub, "g", O_WRONLY | O_CREAT, 0644)) == 0);
	NEED(fchdir(sub) == 0 && rename("../../e", "../../h") == 0);
	NEED(close(open("i", O_WRONLY | O_CREAT, 0644)) == 0);
	NEED(renameat2(AT_FDCWD, "../../h", AT_FDCWD, "../../x", RENAME_EXCHANGE) == 0);
	NEED(mkdirat(d, "j", 0700) == 0 && unlinkat(d, "f", 0) == 0);
	return 0;
}
