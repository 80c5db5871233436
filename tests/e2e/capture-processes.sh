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
