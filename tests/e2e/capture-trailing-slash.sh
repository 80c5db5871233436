# SPDX-License-Identifier: GPL-3.0-or-later
# A trailing slash, and a path component that is not a directory, decide whether a call fails. Calls
# recorded by the library, strace and tracepoints fail in the same way in a replay. The order by
# names and the initial state take account of this.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
alone=
compiler=${CC:-cc}

cat >slashes.c <<'C'
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static void fails(int got, int error, const char *what)
{
	if (got < 0 && errno == error)
		return;
	perror(what);
	exit(9);
}
#define FAILS(call, error) fails(call, error, #call)
#define WORKS(call) do if ((call) < 0) { perror(#call); exit(9); } while (0)
int main(void)
{
	struct stat st;
	char to[100];
	FAILS(stat("before/", &st), ENOTDIR);
	FAILS(readlink("beforelink/", to, sizeof to), EINVAL);
	int fd = open("before", O_RDONLY);
	WORKS(read(fd, to, 1));
	WORKS(close(fd));
	FAILS(stat("before/below/", &st), ENOTDIR);
	FAILS(open("before/below/more/", O_RDONLY), ENOTDIR);
	FAILS(rmdir("before/below"), ENOTDIR);
	FAILS(stat("alsobefore/below", &st), ENOTDIR);
	FAILS(rmdir("alsobefore/below"), ENOTDIR);
	FAILS(mkdir("alsobefore/below/more", 0700), ENOTDIR);
	FAILS(chdir("lastbefore"), ENOTDIR);
	FAILS(stat("laterbefore/below/more", &st), ENOTDIR);
	fd = open("laterbefore", O_RDONLY);
	WORKS(read(fd, to, 1));
	WORKS(close(fd));
	WORKS(stat("beforedir/in", &st));
	FAILS(stat("beforedir/in/below", &st), ENOTDIR);
	FAILS(stat("beforedir/other/below", &st), ENOTDIR);
	FAILS(unlinkat(AT_FDCWD, "lastbefore", AT_REMOVEDIR), ENOTDIR);
	WORKS(close(open("f", O_CREAT | O_WRONLY, 0600)));
	WORKS(mkdir("d/", 0700));
	WORKS(symlink("d", "ld"));
	WORKS(symlink("f", "lf"));
	FAILS(stat("f/", &st), ENOTDIR);
	FAILS(stat("lf/", &st), ENOTDIR);
	FAILS(open("f//", O_RDONLY), ENOTDIR);
	FAILS(open("new/", O_CREAT | O_WRONLY, 0600), EISDIR);
	FAILS(open("f/", O_CREAT | O_WRONLY, 0600), EISDIR);
	FAILS(unlink("f/"), ENOTDIR);
	FAILS(unlink("ld/"), ENOTDIR);
	FAILS(rmdir("ld/"), ENOTDIR);
	FAILS(readlink("ld/", to, sizeof to), EINVAL);
	FAILS(symlink("f", "new/"), ENOENT);
	FAILS(mknod("new/", S_IFREG | 0600, 0), ENOENT);
	FAILS(link("f", "new/"), ENOENT);
	FAILS(rename("f", "new/"), ENOTDIR);
	FAILS(rename("f/", "g"), ENOTDIR);
	FAILS(access("new/", R_OK), ENOENT);
	WORKS(rename("d", "e/"));
	WORKS(mkdir("new", 0700));
	WORKS(rmdir("new/"));
	WORKS(stat("e/", &st));
	FAILS(rmdir("e/."), EINVAL);
	FAILS(unlinkat(AT_FDCWD, "e/.", AT_REMOVEDIR), EINVAL);
	FAILS(rmdir("e/../e/."), EINVAL);
	FAILS(rmdir("beforelink/."), EINVAL);
	WORKS(rmdir("e/"));
	WORKS(unlink("f"));
	WORKS(unlink("ld"));
	return 0;
}
C
$compiler -w -o slashes slashes.c || fail 'slashes.c does not compile'

fresh() {
	rm -rf in
	mkdir -p in/beforedir
	echo text | tee in/before in/alsobefore in/laterbefore in/beforedir/in in/beforedir/other >in/lastbefore
	ln -s beforedir in/beforelink
}
fails_alike() { # TRACE OPTION...
	trace=$1
	shift
	for order in temporal fs; do
		rm -rf again
		mkdir again
		# shellcheck disable=SC2086 # a command
		expect_status 0 $alone "$VALIDATE" replay --prepare --dir again --order $order "$@" $trace
		expect_line out 'mismatches      0'
	done
}

fresh
(cd in && "$VALIDATE" capture app -o ../app.trace --root . -- ../slashes >../out 2>&1) && grep -q 'ended with status 0' out || fail "$(cat out)"
"$VALIDATE" info app.trace --csv app.csv >out
grep -q ',stat,"path=f/;[^"]*",-1,ENOTDIR' app.csv && grep -q ',rename,"path=f;flags=0x0;heap=6e65772f",-1,ENOTDIR' app.csv || fail "$(cat app.csv)"
! grep -q '/;[^"]*",0' app.csv || fail "a call that succeeded keeps its trailing slash: $(cat app.csv)"
fails_alike app.trace
# without a clone of the target's mounts, a replay looks each name up before it opens it
if unshare -U -r sh -c 'echo 0 >/proc/sys/user/max_user_namespaces' 2>/dev/null; then
	printf 'echo 0 >/proc/sys/user/max_user_namespaces\nexec "$@"\n' >alone.sh
	alone='unshare -U -r sh alone.sh'
	fails_alike app.trace
	alone=
fi
fails_alike app.trace --engine compiled --program-cache cache
fresh
(cd in && "$VALIDATE" capture app --snapshot -o ../listed.trace --root . -- ../slashes >../out 2>&1) && grep -q 'ended with status 0' out || fail "$(cat out)"
fails_alike listed.trace

# told_alike TRACE: slices the trace, which has paths of the whole machine, to the paths in ./in;
# their calls fail in a replay as traced
told_alike() {
	expect_status 0 "$VALIDATE" slice "$1" --object "$(echo "$PWD/in" | cut -c 2-)/*" -o in.trace
	"$VALIDATE" info in.trace --csv in.csv >out
	[ "$(grep -c '/;[^"]*",-1,\(ENOTDIR\|EISDIR\|EINVAL\|ENOENT\)' in.csv)" -ge 12 ] || fail "$1: $(cat in.csv)"
	fails_alike in.trace
}
if command -v strace >/dev/null && strace -o probe true 2>/dev/null; then
	fresh
	(cd in && strace -f -ttt -T -y -e trace=file,desc -o ../slashes.strace ../slashes) || fail "the program ends with $?"
	expect_status 0 "$VALIDATE" import slashes.strace -o strace.trace
	told_alike strace.trace
else
	echo 'strace is not allowed to trace here'
fi
if [ "$(id -u)" -eq 0 ] && [ -w /sys/kernel/tracing/instances ] && [ -e /sys/kernel/tracing/events/syscalls/sys_enter_read ] &&
	[ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ]; then
	fresh
	(cd in && "$VALIDATE" capture vfs -o ../vfs.trace -- ../slashes >../out 2>&1) || fail "capture vfs: $(cat out)"
	if ! grep -q 'paths' out; then
		told_alike vfs.trace
	fi
else
	echo 'tracepoints are not to be had here'
fi
