# SPDX-License-Identifier: GPL-3.0-or-later
# Absolute paths after chroot(2) are below the new root: capture app and vfs, strace import.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer

replayed() { # TRACE ROOT: leaves the files of the program below ROOT
	for engine in event compiled; do
		rm -rf tree
		mkdir tree
		expect_status 0 "$VALIDATE" replay --engine $engine --prepare --dir tree "$1"
		expect_line out 'mismatches      0'
		[ "$(cd "tree/$2" && find . -type f | sort | tr '\n' ' ')" = './child ./data/made ./data/sub/file ' ] ||
			fail "$1, $engine: $(find tree)"
	done
}

cat >log <<'S'
10 1.000000 chdir("/d") = 0 <0.000001>
10 1.000010 mkdir("jail/data", 0777) = 0 <0.000001>
10 1.000020 chroot("jail") = 0 <0.000001>
10 1.000030 chdir("/data") = 0 <0.000001>
10 1.000040 openat(AT_FDCWD, "//data/made", O_WRONLY|O_CREAT, 0666) = 3 <0.000001>
10 1.000050 getcwd("/data", 99) = 6 <0.000001>
10 1.000060 mkdir("sub", 0777) = 0 <0.000001>
10 1.000070 clone(child_stack=NULL, flags=SIGCHLD) = 11 <0.000001>
11 1.000080 openat(AT_FDCWD, "/child", O_WRONLY|O_CREAT, 0666) = 4 <0.000001>
11 1.000090 openat(AT_FDCWD, "sub/file", O_WRONLY|O_CREAT, 0666) = 5 <0.000001>
11 1.000100 exit_group(0) = ?
10 1.000110 exit_group(0) = ?
S
expect_status 0 "$VALIDATE" import log -o log.trace
replayed log.trace d/jail

[ "$(id -u)" -eq 0 ] || skip 'only root may change the root: only strace was tried'
cat >jailed.c <<'C'
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	if (mkdir("jail/data", 0777) || chroot("jail") || chdir("/data") || mkdir("sub", 0777))
		return 1;
	close(open("/data/made", O_WRONLY | O_CREAT, 0666));
	if (argc == 1 || !fork()) {
		close(open("/child", O_WRONLY | O_CREAT, 0666));
		close(open("sub/file", O_WRONLY | O_CREAT, 0666));
		return 0;
	}
	return wait(NULL) < 0;
}
C
${CC:-cc} -w -O1 -o jailed jailed.c || fail 'jailed.c does not compile'
mkdir jail
expect_status 0 "$VALIDATE" capture app --root . -o app.trace -- ./jailed
expect_line out 'ended with status 0'
replayed app.trace jail
rm -rf jail
mkdir jail
"$VALIDATE" capture vfs -o vfs.trace -- ./jailed child >out 2>err || skip "$(cat err)"
! grep -q 'cannot be read on this machine' out || skip "$(grep 'cannot be read' out)"
replayed vfs.trace "${PWD#/}/jail"
