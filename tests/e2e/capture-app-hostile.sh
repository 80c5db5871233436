# SPDX-License-Identifier: GPL-3.0-or-later
# capture app on programs whose start or end is difficult for a preloaded library: the trace has
# every call that returned, and the program behaves as without the library.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}
$compiler -w -O1 -o hostile "$SRCDIR/tests/programs/hostile.c" -pthread || fail 'hostile.c does not compile'
mkdir in
cd in

fresh() {
	rm -rf ./*
	head -c 8192 /dev/zero >data
	head -c 4096 /dev/zero >count
}
returned() { # number of calls that returned, as the program prints it
	od -An -t u8 -N 8 count | tr -d ' '
}
listed() { # PATTERN: number of requests of the trace that match
	"$VALIDATE" info ../trace --csv ../csv >/dev/null
	grep -c "$1" ../csv || :
}

# every call is in the trace, and nothing is lost
for name in chain raw-fork cancelled jumps small-signal-stack small-stacks many-threads closes-all filtered; do
	fresh
	expect_status 0 "$VALIDATE" capture app -o ../trace --root . -- ../hostile $name
	expect_line out 'ended with status 0'
	! grep -q 'lost' out || fail "$name: $(cat out)"
	[ "$(listed ',pread,')" -eq "$(returned)" ] || fail "$name: $(listed ',pread,') of $(returned) calls"
	[ "$(returned)" -ge 200 ] || fail "$name: only $(returned) calls"
done
fresh
expect_status 0 "$VALIDATE" capture app -o ../trace --root . -- ../hostile forks-beside-threads
[ "$(cut -d , -f 1 ../csv | sort -u | grep -c '^[0-9]')" -ge 1 ] && [ "$(listed ',pread,.*offset=[0-9];')" -eq 200 ] ||
	fail "$(listed ',pread,.*offset=[0-9];') reads of children that were forked beside threads"
# a program that forbids itself to read the clock cannot be timed: it runs undisturbed, and a
# message reports it
fresh
expect_status 0 "$VALIDATE" capture app -o ../trace --root . -- ../hostile strict
expect_line out 'ended with status 0'
expect_line out 'lost'
[ "$(returned)" -eq 5000 ] || fail "only $(returned) of 5000 reads under seccomp"
fresh
expect_status 0 "$VALIDATE" capture app -o ../trace --root . -- ../hostile far-offsets
for call in 'ftruncate,"path=big;fd=[0-9]*;length=21474836580"' 'pwrite,"path=big;fd=[0-9]*;offset=21474836480;' \
	'read,"path=big;fd=[0-9]*;offset=21474836480;' 'truncate,"path=big;length=21474836480"'; do
	[ "$(listed ",$call")" -eq 1 ] || fail "no call $call: $(cat ../csv)"
done

# the kernel refuses invalid pointers, and the program gets exactly the kernel's answer
$compiler -w -O1 -o ../wrong-pointers "$SRCDIR/tests/programs/wrong-pointers.c" || fail 'wrong-pointers.c does not compile'
for options in '' --snapshot --content; do
	fresh
	../wrong-pointers >../alone || fail "status $? of the program alone: $(tail -n 1 ../alone)"
	fresh
	expect_status 0 "$VALIDATE" capture app $options -o ../trace --root . -- sh -c '../wrong-pointers >../captured'
	expect_line out 'ended with status 0'
	diff ../alone ../captured || fail "with pointers to nothing, capture app $options"
	[ "$(grep -c EFAULT ../captured)" -ge 100 ] && [ "$(listed ',unlink,')" -eq 6 ] || fail "few calls: $(cat ../csv)"
	[ "$(listed ',aio_read,.*length=4')" -eq 3 ] || fail "of two requests the first was taken: $(cat ../csv)"
done
rm -f ../trace.content ../trace.snapshot

# the data of an asynchronous write are not read if the read would kill the program
cat >../confined.c <<'E'
#include <fcntl.h>
#include <libaio.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
int main(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), ALLOW(SYS_io_submit), ALLOW(SYS_io_getevents), ALLOW(SYS_exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	const struct sock_fprog program = {sizeof f / sizeof *f, f};
	struct iocb cb, *list = &cb;
	struct io_event event;
	io_context_t context = NULL;
	int fd = open("written", O_CREAT | O_WRONLY, 0600);
	if (fd < 0 || io_setup(1, &context) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 2;
	io_prep_pwrite(&cb, fd, "some text", 9, 0);
	exit(io_submit(context, 1, &list) != 1 || io_getevents(context, 1, 1, &event, NULL) != 1 || event.res != 9);
}
E
if $compiler -w -O1 -o ../confined ../confined.c -laio; then
	fresh
	expect_status 0 "$VALIDATE" capture app --content -o ../trace --root . -- ../confined
	expect_line out 'ended with status 0'
	[ "$(listed ',aio_write,.*length=9')" -eq 1 ] || fail "the write under seccomp is not recorded: $(cat ../csv)"
	rm -f ../trace.content
else
	echo 'libaio is not there'
fi

# a program built with a memory sanitizer requires its library to be loaded first, and would otherwise end at once
cat >../checked.c <<'E'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	char *buffer = malloc(100);
	int fd = open("checked", O_CREAT | O_RDWR, 0600);
	for (int i = 0; i < 200; i++)
		if (pwrite(fd, "some text", 9, i) != 9 || pread(fd, buffer, 100, i) != 9)
			return 1;
	write(1, buffer, 9);
	free(buffer);
	return 0;
}
E
if $compiler -w -g -O1 -fsanitize=address -o ../checked ../checked.c 2>/dev/null && ../checked >/dev/null 2>&1; then
	fresh
	expect_status 0 "$VALIDATE" capture app -o ../trace --root . -- ../checked
	expect_line out 'ended with status 0'
	[ "$(listed ',pread,"path=checked;')" -eq 200 ] || fail "the reads of a program with -fsanitize=address: $(cat ../csv)"
else
	echo 'no -fsanitize=address here'
fi

# a limit of ten descriptors, all of them in use: a child has none for its buffers, and its calls are counted
fresh
expect_status 0 sh -c "ulimit -n 10; exec $VALIDATE capture app -o ../trace --root . -- ../hostile no-descriptors"
expect_line out 'ended with status 0'
lost=$(sed -n 's/^warning *\([0-9]*\) request.* lost:.*/\1/p' out)
[ $(($(listed ',pread,') + ${lost:-0})) -ge "$(returned)" ] || fail "$(listed ',pread,') and $lost lost of $(returned) calls"

# a child after chroot cannot reach the directory of buffers: it is counted, not skipped
if [ "$(id -u)" -eq 0 ]; then
	fresh
	expect_status 0 "$VALIDATE" capture app -o ../trace --root . -- ../hostile root-changed
	expect_line out 'ended with status 0'
	lost=$(sed -n 's/^warning *\([0-9]*\) request.* lost:.*/\1/p' out)
	[ $(($(listed ',pread,') + ${lost:-0})) -ge 400 ] || fail "$(listed ',pread,') and $lost lost of 400 calls"
fi

# PID namespaces: process 1 of one namespace differs from process 1 of another, and inner numbers differ from outer numbers
if unshare -p -f true 2>/dev/null; then
	fresh
	expect_status 0 "$VALIDATE" capture app -o ../trace --root . -- sh -c '
		for name in a b; do
			unshare -p -f sh -c "echo some text >$name; cat $name >/dev/null; cat $name >/dev/null; true" &
		done
		wait
		cat a b'
	expect_line out 'ended with status 0'
	[ "$(listed ',write,"path=[ab];')" -eq 2 ] || fail "writes in PID namespaces: $(cat ../csv)"
	who() { # OPERATION FILE: the processes that made it, with inner numbers below 2^23
		grep ",$1,\"path=$2;" ../csv | awk -F , '{ n = $1 >= 8388608 ? "in " int($1 / 8388608) " " $1 % 8388608 : "out"; print n }' | sort -u
	}
	[ "$(who write a)" != "$(who write b)" ] || fail "both were written by $(who write a)"
	for name in a b; do
		[ "$(who write $name | cut -d ' ' -f 1,3)" = 'in 1' ] || fail "$name was written by $(who write $name)"
		[ "$(who read $name | grep -c '^in')" -eq 2 ] && [ "$(who read $name | grep -c "^$(who write $name | cut -d ' ' -f 1,2) [2-9]")" -eq 2 ] ||
			fail "$name was read by $(who read $name)"
	done
fi

# killed at any instant: the trace has all calls that had returned, and at most one more
for after in 0.02 0.03 0.05 0.07 0.1; do
	fresh
	"$VALIDATE" capture app -o ../trace --root . -- sh -c "../hostile for-ever & pid=\$!; sleep $after; kill -9 \$pid; wait" >out 2>&1 || :
	n=$(listed ',pread,')
	[ "$n" -ge "$(returned)" ] && [ "$n" -le "$(($(returned) + 1))" ] || fail "killed after $after s: $n calls of $(returned)"
done

# a full disk for the trace: a message reports it, and the program continues undisturbed
if [ "$(id -u)" -eq 0 ] && mkdir ../full && mount -t tmpfs -o size=64k none ../full 2>/dev/null; then
	fresh
	status=0
	"$VALIDATE" capture app -o ../full/trace --root . -- sh -c '../hostile filtered; ../hostile many-threads; echo done >after' >out 2>err ||
		status=$?
	umount ../full
	[ "$status" -eq 3 ] || fail "status $status with a full disk"
	expect_line err 'No space left'
	[ "$(cat after)" = 'done' ] && [ "$(returned)" -eq 8000 ] || fail 'the program was disturbed'
fi
