/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A replayer at full speed whose child, in its own session, makes the requests, as in fio. TRACE
 * has the format csv and contains reads of one file by one thread. With the word "fail" it ends
 * with status 7 after half of them. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct request {
	long long offset, length;
};

static int replay(const struct request *q, size_t n, const char *path)
{
	static char buffer[1 << 16];
	int fd = open(path, O_RDONLY);
	for (size_t i = 0; i < n; i++)
		if (pread(fd, buffer, (size_t)q[i].length, q[i].offset) != q[i].length)
			return perror(path), 1;
	return 0;
}

int main(int argc, char **argv)
{
	struct request *q = NULL;
	char line[600], name[200], path[600] = "";
	size_t n = 0, room = 0;
	int status;
	FILE *trace = argc > 2 ? fopen(argv[1], "r") : NULL;
	if (!trace)
		return perror("session-replayer TRACE DIR [fail]"), 1;
	while (fgets(line, sizeof line, trace)) {
		if (n == room && !(q = realloc(q, (room = 2 * room + 1024) * sizeof *q)))
			return perror("session-replayer"), 1;
		const char *at = strstr(line, "path="), *offset = strstr(line, "offset=");
		if (!at || !offset || sscanf(at, "path=%199[^;]", name) != 1 ||
		    sscanf(offset, "offset=%lld;length=%lld", &q[n].offset, &q[n].length) != 2)
			continue;
		snprintf(path, sizeof path, "%.300s/%s", argv[2], name);
		n++;
	}
	if (fork() == 0) {
		setsid();
		_exit(replay(q, argc > 3 ? n / 2 : n, path));
	}
	wait(&status);
	return argc > 3 ? 7 : status ? 1 : 0;
}
