/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buffers of streams that a child inherits, or that a process never writes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	FILE *f = fopen("twice", "w");
	fprintf(f, "buffered %d\n", 1);
	if (!fork()) { /* exit() writes the inherited text, then that of the child */
		fputs("child\n", f);
		exit(0);
	}
	wait(NULL);
	fclose(f);
	f = fopen("lost", "w");
	fputs("kept", f);
	if (!fork()) {
		fputs("_exit", f);
		_exit(0);
	}
	wait(NULL);
	if (!fork()) {
		fputs("signal", f);
		raise(SIGKILL);
	}
	wait(NULL);
	if (!fork()) {
		fputs("exec", f);
		execlp("true", "true", NULL);
	}
	wait(NULL);
	fclose(f);
	f = fopen("flushed", "w");
	fputs("first", f);
	fflush(NULL); /* of all streams */
	if (!fork()) {
		fputs("second", f);
		fflush(f);
		fputs("lost", f);
		abort();
	}
	wait(NULL);
	fclose(f);
	f = fopen("again", "w+");
	fputs("0123456789", f);
	rewind(f);
	f = freopen(NULL, "a", f); /* the same file in another mode */
	fputs("end", f);
	fclose(f);
	const int fd = open("formatted", O_RDWR | O_CREAT, 0644);
	dprintf(fd, "%d", 123456789); /* without a buffer */
	lseek(fd, 2, SEEK_SET);
	dprintf(fd, "xx");
	ftruncate(fd, 7);
	dprintf(fd, "y");
	return 0;
}
