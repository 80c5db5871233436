# SPDX-License-Identifier: GPL-3.0-or-later
# Processes of a captured program: the trace names the thread that waited for each, even if the wait
# began before the child's first call. A child of vfork has the descriptor that its parent opened
# last.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}

# each child begins its calls 20 ms after its parent began to wait
cat >wait.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	for (int i = 0; i < 3; i++) {
		int status;
		char name[8];
		snprintf(name, sizeof name, "f%d", i);
		pid_t child = fork();
		if (child == 0) {
			usleep(20000);
			int fd = open(name, O_WRONLY | O_CREAT, 0600);
			_exit(fd < 0 || write(fd, name, 2) != 2);
		}
		if (waitpid(child, &status, 0) != child || status)
			return 1;
		if (system("sleep 0.02; test -s f0"))
			return 2;
	}
	return 0;
}
END
$compiler -w -o wait wait.c || fail 'wait.c does not compile'
expect_status 0 "$VALIDATE" capture app --root "$PWD" -o wait.trace -- ./wait
expect_line out 'ended with status 0'
n=$(strings -a wait.trace | grep -o '"waited_by"' | wc -l)
[ "$n" -ge 6 ] || fail "$n of at least 6 waits are in the trace"

# the child of vfork writes into the file that its parent opened last
cat >vfork.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	static char buffer[16];
	int status, fd = open("last", O_RDWR | O_CREAT, 0600);
	pid_t child = vfork();
	if (child == 0)
		_exit(write(fd, "child", 5) != 5 || pread(fd, buffer, 5, 0) != 5);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return 1;
	return pread(fd, buffer, 16, 0) != 5;
}
END
$compiler -w -o vfork vfork.c || fail 'vfork.c does not compile'
expect_status 0 "$VALIDATE" capture app --root "$PWD" -o vfork.trace -- ./vfork
expect_line out 'ended with status 0'
"$VALIDATE" info --csv vfork.csv vfork.trace >/dev/null
[ "$(grep -c 'path=last' vfork.csv)" -eq 4 ] ||
	fail "a request of the child has no file: $(cat vfork.csv)"
for order in fs temporal; do
	rm -rf tree
	mkdir tree
	expect_status 0 "$VALIDATE" replay --order $order --prepare --dir tree -o out.trace vfork.trace
	expect_line out 'mismatches      0'
	[ "$(wc -c <tree/last)" -eq 5 ] || fail 'the file does not have the size that it had'
done

# threads: the trace has their creator and the thread that waited for each. In order fs, a request
# waits for the requests of the threads for which its thread had waited, and the first request of a
# thread for those of its creator.
cat >threads.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <threads.h>
#include <unistd.h>
static int make(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT, 0600);
	return fd < 0 || write(fd, name, 2) != 2 || close(fd);
}
static void *one(void *name)
{
	usleep(20000);
	return make(name) ? name : NULL;
}
static int two(void *name)
{
	return one(name) != NULL;
}
int main(void)
{
	pthread_t t[2];
	thrd_t other;
	void *got[2];
	int failed;
	if (make("m0") || pthread_create(&t[0], NULL, one, "t0") || pthread_create(&t[1], NULL, one, "t1") ||
	    pthread_join(t[0], &got[0]) || pthread_join(t[1], &got[1]) || got[0] || got[1])
		return 1;
	if (thrd_create(&other, two, "t2") != thrd_success || thrd_join(other, &failed) != thrd_success)
		return 2;
	return failed || make("m1");
}
END
$compiler -w -o threads threads.c -pthread || fail 'threads.c does not compile'
expect_status 0 "$VALIDATE" capture app --root "$PWD" -o threads.trace -- ./threads
expect_line out 'ended with status 0'
expect_status 0 "$VALIDATE" slice -o part.trace threads.trace
for trace in threads.trace part.trace; do
	strings -a $trace | grep -o '"threads":\[[^]]*\]' | tail -n 1 | grep -o '{[^}]*}' >rows || :
	[ "$(grep -c '"parent":[1-9].*"waited_by":[1-9]' rows)" -eq 3 ] ||
		fail "threads of $trace: $(cat rows)"
done
# 0 to 2: m0; then those of t0 and t1; 9 to 11: t2; 12 to 14: m1
expect_status 0 "$VALIDATE" deps --order fs --dot - threads.trace
[ "$(grep -c -- '-> r9 ' out)" -ge 2 ] || fail "the third thread does not wait for the others: $(cat out)"
expect_line out 'r11 -> r12 '
expect_line out 'r2 -> r3 '
# strace shows a wait for a thread only if the thread has not ended yet
if command -v strace >/dev/null && strace -f -ttt -T -y -o threads.strace ./threads 2>/dev/null; then
	expect_status 0 "$VALIDATE" import -q threads.strace -o strace.trace
	strings -a strace.trace | grep -o '"threads":\[[^]]*\]' | tail -n 1 | grep -o '{[^}]*}' >rows || :
	[ "$(grep -c '"parent":[1-9]' rows)" -eq 3 ] && grep -q '"waited_by":[1-9]' rows ||
		fail "threads of strace: $(cat rows)"
fi
