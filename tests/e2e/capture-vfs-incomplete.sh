# SPDX-License-Identifier: GPL-3.0-or-later
# long: 10 s
# waits: for processes that end late
# capture vfs never calls a trace complete if calls are missing: 32-bit calls, calls of children
# that outlive the command, calls on unknown paths or descriptors.
. "$SRCDIR/tests/e2e/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracefs needs root"
[ -w /sys/kernel/tracing/instances ] || skip "no tracefs at /sys/kernel/tracing that may be used"
[ -e /sys/kernel/tracing/events/syscalls/sys_enter_read ] || skip "this kernel has no tracepoints of system calls"
[ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ] || skip "this is a PID namespace of its own"

captured() { # COMMAND...
	expect_status 0 "$VALIDATE" capture vfs $options -o trace -- "$@"
	! grep -q 'cannot be read on this machine' out || skip "$(grep 'cannot be read' out)"
	expect_status 0 "$VALIDATE" info trace
}
incomplete() { # TEXT COMMAND...
	text=$1
	shift
	captured "$@"
	grep -q "^Health     the file is complete; the trace is incomplete: .*$text" out ||
		fail "$*: $(grep Health out)"
}
complete() { # COMMAND...
	captured "$@"
	grep -q '^Health     no sign of missing requests; the capture method always omits ' out || fail "not complete: $*: $(grep Health out)"
}
options=
complete sh -c 'echo text >file; cat file; (echo more >>file; true) & wait'
incomplete 'processes that continued after the end of the command and were no longer captured: 1' sh -c 'exec 2>&- >&- <&-; sleep 60 & echo $! >after'
kill "$(cat after)"
complete sh -c 'exec 2>&- >&- <&-; (sleep 0.1; echo late >file) & :'
"$VALIDATE" info trace --csv csv >/dev/null
grep -q ',write,"path=[^;]*file;' csv || fail 'the last write of a child is missing'
options='--paths none'
incomplete 'calls on paths that are not known: ' cat file
options=

# a descriptor from another process
cat >sent.c <<'C'
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char byte = 0;
	struct iovec v = {&byte, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	int fd = 0;
	if (argc > 1) { /* sends its standard input over its standard output */
		control.header = (struct cmsghdr){CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
		return sendmsg(1, &m, 0) != 1;
	}
	if (recvmsg(0, &m, 0) != 1)
		return 2;
	memcpy(&fd, CMSG_DATA(&control.header), sizeof fd);
	return read(fd, &byte, 1) != 1;
}
C
${CC:-cc} -w -O1 -o sent sent.c || fail 'sent.c does not compile'
cat >pair.c <<'C'
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int s[2];
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	if (!fork()) {
		dup2(open("file", O_RDONLY), 0);
		dup2(s[1], 1);
		execl("./sent", "sent", "send", NULL);
	}
	dup2(s[0], 0);
	execv(argv[1], argv + 1);
	return 1;
}
C
${CC:-cc} -w -O1 -o pair pair.c || fail 'pair.c does not compile'
expect_status 0 ./pair "$VALIDATE" capture vfs -o trace -- ./sent
expect_status 0 "$VALIDATE" info trace
expect_line out 'calls on descriptors without a captured open: 1'

# a program of 32 bits
cat >small.c <<'C'
static long call(long number, long a, long b, long c)
{
	long result;
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
	return result;
}
void _start(void)
{
	static const char name[] = "by-32-bits";
	long fd = call(5, (long)name, 0101, 0600);
	call(4, fd, (long)name, sizeof name);
	call(1, 0, 0, 0);
}
C
if ${CC:-cc} -m32 -w -O1 -static -nostdlib -ffreestanding -fno-pie -no-pie -fno-stack-protector -o small small.c 2>/dev/null &&
	./small 2>/dev/null && [ -s by-32-bits ]; then
	incomplete '1 program can make calls that the capture does not see' sh -c './small; true'
	expect_status 0 "$VALIDATE" capture vfs -o trace -- ./small
	expect_line out '1 32-bit program ran: its calls are not in the trace'
else
	echo 'programs of 32 bits are not tried: they cannot be made or run here'
fi

# calls of 32 bits by a program of 64 bits
cat >mixed.c <<'C'
#include <string.h>
#include <sys/mman.h>
int main(void)
{
	char *name = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long fd;
	strcpy(name, "by-int");
	__asm__ volatile("int $0x80" : "=a"(fd) : "a"(8), "b"(name), "c"(0600) : "memory");
	return fd < 0;
}
C
if [ "$(uname -m)" = x86_64 ] && ${CC:-cc} -w -O1 -o mixed mixed.c && ./mixed; then
	rm -f by-int
	captured true
	"$VALIDATE" info --json trace | grep -q n_calls_32_bits || skip 'this kernel does not show 32-bit system calls'
	incomplete '32-bit system calls, which have no tracepoints: 1' ./mixed
	incomplete '32-bit system calls, which have no tracepoints: 2' sh -c './mixed & ./mixed; wait'
	[ -e by-int ] || fail 'the call of 32 bits made no file'
else
	echo 'calls of 32 bits by a program of 64 bits are not tried: they cannot be made here'
fi
