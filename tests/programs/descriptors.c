/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program for the capture tests. It creates descriptors that are not of files, in all ways, and
 * writes to and reads from each. Without an argument, it also receives the descriptor of a file
 * from another process. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
static char buffer[64];
static void need(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}
static void talk(int from, int to)
{
	need(write(to, "12345678", 8) == 8 && read(from, buffer, 8) == 8, "talk");
	need(close(to) == 0 && (from == to || close(from) == 0), "close");
}
static void send_one(int over, int fd)
{
	char room[CMSG_SPACE(sizeof fd)] = {0}, byte = 'x';
	struct iovec v = {&byte, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	need(sendmsg(over, &m, 0) == 1, "sendmsg");
}
enum how { RECVMSG, RECVMMSG, RECVMSG_BY_NUMBER, RECVMMSG_BY_NUMBER, N_HOW };
static int receive_one(int over, enum how how)
{
	int fd;
	char room[CMSG_SPACE(sizeof fd)], byte;
	struct iovec v = {&byte, 1};
	struct mmsghdr m = {{.msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room}, 0};
	need((how == RECVMSG             ? recvmsg(over, &m.msg_hdr, 0)
	      : how == RECVMMSG          ? recvmmsg(over, &m, 1, 0, NULL)
	      : how == RECVMSG_BY_NUMBER ? syscall(SYS_recvmsg, over, &m.msg_hdr, 0)
					 : syscall(SYS_recvmmsg, over, &m, 1, 0, NULL)) == 1,
	     "recvmsg");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m.msg_hdr)), sizeof fd);
	return fd;
}
static void sent(enum how how)
{
	int s[2];
	need(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0, "socketpair");
	if (fork() == 0) {
		int fd = open("sent", O_CREAT | O_RDWR, 0600);
		need(write(fd, "some text", 9) == 9, "sent");
		send_one(s[1], fd);
		_exit(0);
	}
	wait(NULL);
	int fd = receive_one(s[0], how);
	need(pread(fd, buffer, 9, 0) == 9 && write(fd, "more", 4) == 4 && close(fd) == 0,
	     "received");
	close(s[0]), close(s[1]);
}
/* a descriptor of a child, taken by its number, if permitted */
static void fetched(void)
{
#ifdef SYS_pidfd_getfd
	int ready[2], over[2];
	need(pipe(ready) == 0 && pipe(over) == 0, "pipe");
	pid_t pid = fork();
	if (pid == 0) {
		int fd = open("fetched", O_CREAT | O_RDWR, 0600);
		need(write(fd, "some text", 9) == 9 && write(ready[1], &fd, sizeof fd) == sizeof fd,
		     "fetched");
		close(over[1]);
		_exit(read(over[0], buffer, 1) != 0 || write(fd, "end", 3) != 3);
	}
	int fd = -1, child = (int)syscall(SYS_pidfd_open, pid, 0);
	need(read(ready[0], &fd, sizeof fd) == sizeof fd, "ready");
	fd = (int)syscall(SYS_pidfd_getfd, child, fd, 0);
	if (fd >= 0)
		need(pread(fd, buffer, 7, 2) == 7 && write(fd, "more", 4) == 4 && close(fd) == 0,
		     "taken");
	close(child), close(over[0]), close(over[1]), close(ready[0]), close(ready[1]);
	wait(NULL);
#endif
}
static void server(bool by_number)
{
	struct sockaddr_un a = {AF_UNIX, ""}; /* of no file */
	int s = socket(AF_UNIX, SOCK_STREAM, 0), c = socket(AF_UNIX, SOCK_STREAM, 0);
	sprintf(a.sun_path + 1, "validate-%d", getpid());
	need(bind(s, (struct sockaddr *)&a, sizeof a) == 0 && listen(s, 1) == 0 &&
		 connect(c, (struct sockaddr *)&a, sizeof a) == 0,
	     "connect");
	talk(by_number ? (int)syscall(SYS_accept, s, NULL, NULL) : accept(s, NULL, NULL), c);
	close(s);
}
static void terminals(void)
{
	int master, slave;
	need(openpty(&master, &slave, NULL, NULL, NULL) == 0, "openpty");
	talk(master, slave);
	pid_t child = forkpty(&master, NULL, NULL, NULL);
	if (!child)
		_exit(write(1, "12345678", 8) != 8);
	need(child > 0 && read(master, buffer, 8) == 8, "forkpty");
	need(waitpid(child, NULL, 0) == child && close(master) == 0, "the child of forkpty");
	master = posix_openpt(O_RDWR | O_NOCTTY);
	need(grantpt(master) == 0 && unlockpt(master) == 0, "posix_openpt");
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	need(slave >= 0, "TIOCGPTPEER");
	talk(master, slave);
}
/* The attributes of a descriptor, whatever name its file has. */
static void examined(void)
{
	struct statx x;
	int fd = open("first", O_CREAT | O_RDWR, 0600);
	need(rename("first", "second") == 0 && statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &x) == 0, "renamed");
	need(unlink("second") == 0 && statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &x) == 0, "removed");
	need(syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_SIZE, &x) == 0 && close(fd) == 0, "by number");
}
int main(int n, char **arg)
{
	int p[2], fd;
	sigset_t none;
	sigemptyset(&none);
	pipe(p), talk(p[0], p[1]);
	pipe2(p, O_CLOEXEC), talk(p[0], p[1]);
	close(0), pipe(p), need(p[0] == 0, "the lowest number"), talk(p[0], p[1]);
	syscall(SYS_pipe2, p, 0), talk(p[0], p[1]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, p), talk(p[0], p[1]);
	fd = eventfd(0, 0), talk(fd, fd);
	fd = memfd_create("memory", 0);
	need(write(fd, "12345678", 8) == 8 && pread(fd, buffer, 8, 0) == 8 &&
		 ftruncate(fd, 0) == 0 && close(fd) == 0,
	     "memory");
	close(epoll_create1(0)), close(epoll_create(1)), close(timerfd_create(CLOCK_MONOTONIC, 0)),
	    close(signalfd(-1, &none, 0));
	close(inotify_init()), close(inotify_init1(0)), close(syscall(SYS_pidfd_open, getpid(), 0)),
	    close(syscall(SYS_eventfd2, 0, 0));
#ifdef SYS_pipe
	syscall(SYS_pipe, p), talk(p[0], p[1]);
#endif
	server(false), server(true);
	terminals(), examined();
	FILE *f = popen("echo said", "r");
	need(fgets(buffer, sizeof buffer, f) && pclose(f) == 0, "popen");
	fd = open("own", O_CREAT | O_RDWR, 0600); /* a number that other descriptors had before */
	need(write(fd, "some text", 9) == 9 && close(fd) == 0, "own");
	for (int how = 0; n == 1 && how < N_HOW; how++)
		sent((enum how)how);
	if (n == 1)
		fetched();
	return 0;
}
