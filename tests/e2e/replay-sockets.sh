# SPDX-License-Identifier: GPL-3.0-or-later
# bind(2) of a UNIX socket makes a file, which later calls find in a replay: by capture app and from
# strace. A replay does not change a socket file that it has not made. Opening a socket fails as in
# the trace.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer

cat >program.c <<'C'
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
static int bound(const char *name, int len)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	memcpy(a.sun_path, name, len);
	return bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&a, sizeof a.sun_family + len);
}
int main(void)
{
	struct stat st;
	bound("\0abstract", 9);
	if (bound("s", 1) || bound("kept", 5) || bound("s", 2) == 0 || chmod("s", 0600) || stat("s", &st) || !S_ISSOCK(st.st_mode))
		return 1;
	chmod("kept", 0640);
	return open("s", 0) >= 0 || rename("s", "t") || unlink("t") || access("kept", W_OK);
}
C
${CC:-cc} -w -O1 -D_GNU_SOURCE -o program program.c || fail 'program.c does not compile'
mkdir run
(cd run && "$VALIDATE" capture app --root "$PWD" -o ../app.trace -- ../program) >capture.out 2>&1 || fail "$(cat capture.out)"
expect_line capture.out 'ended with status 0'
cat >program.strace <<'S'
10 1.000000 bind(3<socket:[1]>, {sa_family=AF_UNIX, sun_path=@"abstract"}, 11) = 0 <0.000001>
10 1.000001 bind(4<socket:[2]>, {sa_family=AF_UNIX, sun_path="/s"}, 4) = 0 <0.000001>
10 1.000002 bind(5<socket:[3]>, {sa_family=AF_UNIX, sun_path="/kept"}, 8) = 0 <0.000001>
10 1.000003 bind(6<socket:[4]>, {sa_family=AF_UNIX, sun_path="/s"}, 4) = -1 EADDRINUSE (Address already in use) <0.000001>
10 1.000004 bind(7<socket:[5]>, {sa_family=AF_INET, sin_port=htons(1), sin_addr=inet_addr("0.0.0.0")}, 16) = 0 <0.000001>
10 1.000005 chmod("/s", 0600) = 0 <0.000001>
10 1.000006 chmod("/kept", 0640) = 0 <0.000001>
10 1.000006 openat(AT_FDCWD, "/s", O_RDONLY) = -1 ENXIO (No such device or address) <0.000001>
10 1.000007 rename("/s", "/t") = 0 <0.000001>
10 1.000008 unlink("/t") = 0 <0.000001>
S
expect_status 0 "$VALIDATE" import -q program.strace -o strace.trace
for trace in app.trace strace.trace; do
	"$VALIDATE" info $trace --csv csv >info.out
	[ "$(grep -c ',mknod,.*mode=140777' csv)" -eq 3 ] || fail "sockets of $trace: $(cat csv)"
	for engine in event compiled; do
		rm -rf tree
		mkdir tree
		expect_status 0 "$VALIDATE" replay --engine $engine --dir tree -o out.trace $trace
		expect_line out 'mismatches      0'
		[ "$(cd tree && find . -mindepth 1 -printf '%P %y %m\n')" = 'kept s 640' ] || fail "$(find tree -printf '%P %y %m\n')"
	done
done

# a socket of another user
rm -rf tree
mkdir tree
(cd tree && ../program)
chmod 700 tree/kept
cat >change.csv <<'S'
pid,tid,begin,end,function,args,rvalue,error
1,1,1000,2000,chmod,"path=kept;mode=0777;flags=0x0",0,
S
expect_status 0 "$VALIDATE" import -q change.csv -o change.trace
expect_status 6 "$VALIDATE" replay --dir tree -o out.trace change.trace
[ "$(stat -c %a tree/kept)" = 700 ] || fail 'the permissions of a socket that is not the replay'\''s were changed'
