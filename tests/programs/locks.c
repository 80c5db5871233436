/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two processes take locks that conflict in a known way: they alternate through pipes. Ends with
 * status 1 if the kernel gives another result. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

static int to_child[2], to_parent[2];

static void need(int ok, int line)
{
	if (ok)
		return;
	fprintf(stderr, "line %d: errno %d\n", line, errno);
	_exit(1);
}
#define NEED(...) need((__VA_ARGS__), __LINE__)

static void turn(const int *to, const int *from)
{
	char c = 0;
	NEED(!to || write(to[1], &c, 1) == 1);
	NEED(!from || read(from[0], &c, 1) == 1);
}

static int lock(int fd, int command, int type, off_t start, off_t len)
{
	struct flock f = {.l_type = (short)type, .l_whence = SEEK_SET, .l_start = start,
		.l_len = len};
	return fcntl(fd, command, &f);
}

static int refused(int got)
{
	return got == -1 && (errno == EAGAIN || errno == EACCES);
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* The steps of the child are beside the steps of the parent with the same number. */
static void child(void)
{
	turn(NULL, to_child); /* 1 */
	int c = open("f", O_RDWR);
	NEED(c >= 0);
	NEED(refused(lock(c, F_SETLK, F_WRLCK, 12, 1)));
	NEED(lock(c, F_GETLK, F_WRLCK, 0, 1) == 0);
	NEED(lock(c, F_SETLK, F_WRLCK, 100, 10) == 0);
	NEED(refused(lockf(c, F_TLOCK, 5)));
	turn(to_parent, to_child); /* 2 */
	NEED(lock(c, F_SETLK, F_WRLCK, 0, 15) == 0);
	turn(to_parent, NULL); /* 3 */
	usleep(50000);
	int d = open("f", O_RDONLY);
	NEED(close(d) == 0); /* the parent waits for this */
	turn(NULL, to_child); /* 4 */
	NEED(flock(c, LOCK_EX) == 0);
	NEED(lock(c, F_OFD_SETLK, F_WRLCK, 200, 1) == 0);
	turn(to_parent, to_child); /* 5 */
	FILE *f = fopen("f", "r");
	NEED(f && fgetc(f) == 'x');
	NEED(lock(c, F_SETLK, F_WRLCK, 300, 1) == 0);
	turn(to_parent, to_child); /* 6 */
	NEED(fclose(f) == 0);
	turn(to_parent, to_child); /* 7 */
	NEED(lock(c, F_SETLK, F_WRLCK, 400, 1) == 0);
	_exit(0);
}

int main(void)
{
	struct sigaction act = {.sa_handler = on_alarm};
	int a = open("f", O_RDWR | O_CREAT, 0644), b = open("f", O_RDWR), status;
	NEED(a >= 0 && b >= 0 && write(a, "xxxx", 4) == 4);
	NEED(pipe(to_child) == 0 && pipe(to_parent) == 0);
	pid_t pid = fork();
	NEED(pid >= 0);
	if (!pid)
		child();
	NEED(lock(a, F_SETLK, F_WRLCK, 0, 10) == 0);
	NEED(lock(b, F_SETLK, F_WRLCK, 5, 10) == 0); /* of the same process */
	turn(to_child, to_parent); /* 1 */
	NEED(lseek(a, 2, SEEK_SET) == 2 && lockf(a, F_TEST, 1) == 0);
	NEED(close(b) == 0); /* this also releases the locks that were taken through descriptor a */
	turn(to_child, to_parent); /* 2 */
	NEED(refused(lock(a, F_SETLK, F_RDLCK, 14, 1)));
	NEED(sigaction(SIGALRM, &act, NULL) == 0);
	ualarm(10000, 0);
	NEED(lock(a, F_SETLKW, F_RDLCK, 14, 1) == -1 && errno == EINTR);
	NEED(lock(a, F_SETLKW, F_RDLCK, 100, 1) == 0); /* 3 */
	turn(to_child, to_parent); /* 4 */
	NEED(flock(a, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
	NEED(refused(lock(a, F_SETLK, F_WRLCK, 200, 1)));
	turn(to_child, to_parent); /* 5 */
	NEED(refused(lock(a, F_SETLK, F_WRLCK, 300, 1)));
	turn(to_child, to_parent); /* 6 */
	NEED(lock(a, F_SETLK, F_WRLCK, 300, 1) == 0);
	turn(to_child, NULL); /* 7 */
	NEED(waitpid(pid, &status, 0) == pid && status == 0);
	NEED(lock(a, F_SETLK, F_WRLCK, 400, 1) == 0);
	return 0;
}
