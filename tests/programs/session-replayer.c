/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A replayer at full speed that has a child make the requests, in a session of its own, as fio has. TRACE is of format csv and holds reads of
 * one thread; further words: "fail" after half of them. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct request {
	char path[200];
	long long offset, length;
};

static int replay(const struct request *q, size_t n, const char *dir)
{
	static char buffer[1 << 20];
	char path[400], open_path[400] = "";
	int fd = -1;
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, q[i].path);
		if (strcmp(path, open_path)) {
			fd = open(path, O_RDONLY);
			strcpy(open_path, path);
		}
		if (pread(fd, buffer, (size_t)q[i].length, q[i].offset) != q[i].length)
			return perror(path), 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct request q[200000];
	char line[600];
	size_t n = 0;
	int status;
	FILE *trace = argc > 2 ? fopen(argv[1], "r") : NULL;
	if (!trace)
		return perror("session-replayer TRACE DIR [fail]"), 1;
	while (n < 200000 && fgets(line, sizeof line, trace)) {
		const char *path = strstr(line, "path="), *offset = strstr(line, "offset=");
		if (path && offset && sscanf(path, "path=%199[^;]", q[n].path) == 1 &&
		    sscanf(offset, "offset=%lld;length=%lld", &q[n].offset, &q[n].length) == 2)
			n++;
	}
	pid_t worker = fork();
	if (worker == 0) {
		setsid();
		_exit(replay(q, argc > 3 ? n / 2 : n, argv[2]));
	}
	waitpid(worker, &status, 0);
	return argc > 3 ? 7 : status ? 1 : 0;
}
