/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the capture tests run: descriptors that are no files, made in all ways there are, each written to and read from; without an argument also a file's
 * that another process sends. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
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
static int receive_one(int over)
{
	int fd;
	char room[CMSG_SPACE(sizeof fd)], byte;
	struct iovec v = {&byte, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
	need(recvmsg(over, &m, 0) == 1, "recvmsg");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
	return fd;
}
static void sent(void)
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
	int fd = receive_one(s[0]);
	need(pread(fd, buffer, 9, 0) == 9 && write(fd, "more", 4) == 4 && close(fd) == 0, "received");
	close(s[0]), close(s[1]);
}
static void server(void)
{
	struct sockaddr_un a = {AF_UNIX, ""}; /* of no file */
	int s = socket(AF_UNIX, SOCK_STREAM, 0), c = socket(AF_UNIX, SOCK_STREAM, 0);
	sprintf(a.sun_path + 1, "validate-%d", getpid());
	need(bind(s, (struct sockaddr *)&a, sizeof a) == 0 && listen(s, 1) == 0 && connect(c, (struct sockaddr *)&a, sizeof a) == 0, "connect");
	talk(accept(s, NULL, NULL), c);
	close(s);
}
int main(int n, char **arg)
{
	int p[2], fd;
	sigset_t none;
	sigemptyset(&none);
	pipe(p), talk(p[0], p[1]);
	pipe2(p, O_CLOEXEC), talk(p[0], p[1]);
	syscall(SYS_pipe2, p, 0), talk(p[0], p[1]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, p), talk(p[0], p[1]);
	fd = eventfd(0, 0), talk(fd, fd);
	fd = memfd_create("memory", 0);
	need(write(fd, "12345678", 8) == 8 && pread(fd, buffer, 8, 0) == 8 && ftruncate(fd, 0) == 0 && close(fd) == 0, "memory");
	close(epoll_create1(0)), close(epoll_create(1)), close(timerfd_create(CLOCK_MONOTONIC, 0)), close(signalfd(-1, &none, 0));
	close(inotify_init()), close(inotify_init1(0)), close(syscall(SYS_pidfd_open, getpid(), 0)), close(syscall(SYS_eventfd2, 0, 0));
	server();
	FILE *f = popen("echo said", "r");
	need(fgets(buffer, sizeof buffer, f) && pclose(f) == 0, "popen");
	fd = open("own", O_CREAT | O_RDWR, 0600); /* a number that others had before */
	need(write(fd, "some text", 9) == 9 && close(fd) == 0, "own");
	if (n == 1)
		sent();
	return 0;
}
