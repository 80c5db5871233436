# SPDX-License-Identifier: GPL-3.0-or-later
# capture vfs --snapshot: the trace has the state that the command found, as with capture app.
. "$SRCDIR/tests/e2e/lib.sh"
expect_status 2 "$VALIDATE" capture vfs --snapshot -o x.trace --pid $$
expect_line err 'needs a command'
preload_before_sanitizer
[ "$(id -u)" -eq 0 ] || skip "tracefs needs root"
[ -w /sys/kernel/tracing/instances ] || skip "no tracefs at /sys/kernel/tracing that may be used"
[ -e /sys/kernel/tracing/events/syscalls/sys_enter_read ] ||
	skip "this kernel has no tracepoints of system calls"
[ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ] || skip "this is a PID namespace of its own"
grep -q user_notif /proc/sys/kernel/seccomp/actions_avail ||
	skip "this kernel's seccomp has no user_notif"
compiler=${CC:-cc}
work=$PWD

cat >user.c <<'END'
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static char buffer[100000];
int main(void)
{
	struct stat st;
	int a = open("used/old", O_RDWR), b = open("used/new", O_RDWR | O_CREAT | O_TRUNC, 0644);
	int c = open("used/cut", O_WRONLY | O_TRUNC), d = open("used/sparse", O_RDONLY), n = 0;
	n += pread(a, buffer, 4096, 0) == 4096;
	n += write(b, buffer, 5000) == 5000;
	n += write(c, buffer, 10) == 10;
	n += pread(d, buffer, 4096, 1 << 20) == 4096;
	n += stat("used/link", &st) == 0 && stat("used/none", &st) < 0;
	DIR *list = opendir("used/sub");
	while (list && readdir(list))
		;
	n += list && closedir(list) == 0;
	if (!fork()) { /* names relative to other directories, and names that change */
		int ok = chdir("used") == 0 && rename("moved", "there") == 0;
		int at = open("sub", O_RDONLY | O_DIRECTORY);
		ok = ok && access("there/in", F_OK) == 0 && fstatat(at, "deep", &st, 0) == 0;
		_exit(ok && unlink("gone") == 0 && truncate("cut", 3) == 0 ? 0 : 1);
	}
	int status;
	n += wait(&status) > 0 && status == 0;
	return n == 7 ? 0 : 1;
}
END
$compiler -w -O1 -o user user.c || fail 'user.c does not compile'

fresh() {
	rm -rf used
	mkdir used used/sub used/sub/deep used/moved
	head -c 123456 /dev/zero >used/old
	head -c 777 /dev/zero >used/cut
	truncate -s 3M used/sparse
	printf x | dd of=used/sparse bs=1 seek=65536 conv=notrunc 2>/dev/null
	printf y >used/gone
	: >used/moved/in
	printf zz >used/sub/one
	chmod 600 used/cut
	ln -s old used/link
	ln -s "$work/used/cut" used/sub/absolute
}

# rows TRACE PREFIX: rows of the snapshot for the directory
rows() {
	strings -a "$1" | grep -o '"files":.*' | sed 's/{"path":/\n&/g' | grep "^{\"path\":\"$2used/" |
		sed "s|:\"$2|:\"|; s/\],\"extra\".*//; s/,\$//"
}

fresh
expect_status 0 "$VALIDATE" capture app --snapshot --root "$work" -o app.trace -- ./user
expect_line out 'ended with status 0'
rows app.trace '' >app.rows
fresh
expect_status 0 "$VALIDATE" capture vfs --snapshot -o vfs.trace -- ./user
expect_line out 'ended with status 0'
! grep -q 'paths cannot be read' out || skip "paths cannot be read here"
rows vfs.trace "${work#/}/" >vfs.rows
[ "$(wc -l <vfs.rows)" -ge 8 ] || fail "the snapshot is short: $(cat vfs.rows)"
diff app.rows vfs.rows >&2 || fail 'the snapshots of app and vfs differ'
for text in '"used/old","size":123456' '"used/cut","size":777,"mode":384' \
	'"used/sparse","size":3145728' '"holes":\[' '"used/gone","size":1'; do
	grep -q "$text" vfs.rows || fail "the snapshot has no $text: $(cat vfs.rows)"
done
! grep -q 'used/new\|used/none\|used/there' vfs.rows ||
	fail 'a file that was not there is in the snapshot'

# made elsewhere, it serves
mkdir elsewhere
expect_status 0 "$VALIDATE" replay --prepare --dir elsewhere -o replayed vfs.trace
expect_line out 'mismatches      0'

# statically linked programs have a snapshot as well
if $compiler -w -static -O1 -o static user.c 2>static.err; then
	fresh
	expect_status 0 "$VALIDATE" capture vfs --snapshot -o static.trace -- ./static
	rows static.trace "${work#/}/" >static.rows
	diff vfs.rows static.rows >&2 || fail 'the snapshot of a static program differs'
	mkdir -p jail/used
	cp static jail/
	expect_status 0 "$VALIDATE" capture vfs --snapshot -o trace -- chroot jail /static
	expect_line out 'could not read'
fi

# in another mount namespace, where other files may have the same names
if unshare -m true 2>/dev/null; then
	mkdir -p hidden/in
	printf outside >hidden/in/f
	: >job
	echo "mount -t tmpfs none $work/hidden && printf hi >$work/hidden/f &&
		(cd $work/hidden && stat f) && cat $work/used/old $work/hidden/in/f" >job
	expect_status 0 "$VALIDATE" capture vfs --snapshot -o there.trace -- unshare -m sh job
	strings -a there.trace >there
	grep -q '"path":"[^"]*/used/old","size":123456' there || fail 'a file of another namespace'
	! grep -q '"path":"[^"]*hidden/in/f"' there || fail 'a hidden file is in the snapshot'
fi

# each link of a chain is examined, also if a directory on the way is a link
mkdir -p chain/real
printf '#!/bin/sh\n' >chain/real/program
chmod 755 chain/real/program
ln -s real chain/way
ln -s "$work/chain/second" chain/first
ln -s way/program chain/second
for how in app vfs; do
	expect_status 0 "$VALIDATE" capture $how --snapshot -o chain.trace -- sh -c 'test -x chain/first'
	expect_line out 'ended with status 0'
	mkdir "chained-$how"
	expect_status 0 "$VALIDATE" replay --prepare --dir "chained-$how" -o replayed chain.trace
	expect_line out 'mismatches      0'
done

# a process that the command leaves running continues after the end of the capture
rm -f later
expect_status 0 "$VALIDATE" capture vfs --snapshot -o trace -- \
	sh -c '(until [ -e go ]; do sleep 0.1; done; cat used/old >later) >/dev/null 2>&1 &'
touch go
tries=0
until cmp -s used/old later || [ $tries -ge 100 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
cmp -s used/old later || fail 'a program that outlived the capture cannot use files'

# a command that cannot be started is an error; a signal is the command's own
expect_status 3 "$VALIDATE" capture vfs --snapshot -o none.trace -- ./nothing-of-this-name
expect_line err 'nothing-of-this-name'
expect_status 0 "$VALIDATE" capture vfs --snapshot -o trace -- sh -c 'kill -9 $$'
expect_line out 'killed by signal 9'
