# SPDX-License-Identifier: GPL-3.0-or-later
# Names of one file (hard links) are one file in a snapshot, independent of the state in which later
# names were found, and one file again after replay --prepare: capture app and vfs, slice, export
# and import.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
compiler=${CC:-cc}
at= # directory of the program below the root of the trace

# the second name is examined when the file has grown, the third when it is the only remaining name,
# the fourth through a link to a directory
cat >user.c <<'END'
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
static char buffer[300000];
int main(void)
{
	struct stat st;
	int n = 0, a = open("work/a", O_RDWR | O_APPEND);
	n += write(a, buffer, 5000) == 5000 && close(a) == 0;
	n += stat("work/b", &st) == 0 && st.st_size == 105000 && st.st_nlink == 4;
	int b = open("work/b", O_RDWR);
	n += pwrite(b, buffer, 1000, 200000) == 1000 && close(b) == 0;
	n += unlink("work/a") == 0 && unlink("work/b") == 0;
	n += stat("work/alias/d", &st) == 0 && st.st_nlink == 2 && unlink("work/dir/d") == 0;
	int c = open("work/dir/c", O_RDONLY);
	n += read(c, buffer, sizeof buffer) == 201000 && close(c) == 0;
	n += link("work/dir/c", "work/again") == 0 && truncate("work/dir/c", 7) == 0;
	n += stat("work/twin", &st) == 0 && stat("work/other", &st) == 0 && st.st_nlink == 2;
	return n == 8 ? 0 : 1;
}
END
$compiler -w -O1 -o user user.c || fail 'user.c does not compile'

fresh() {
	rm -rf work
	mkdir work work/dir
	head -c 100000 /dev/zero >work/a
	chmod 640 work/a
	ln work/a work/b
	ln work/a work/dir/c
	ln work/a work/dir/d
	ln -s dir work/alias
	echo text >work/twin
	ln work/twin work/other
	echo alone >work/alone
}

inode() {
	stat -c %i "$1"
}

prepared_is_right() { # TRACE
	for engine in event compiled; do
		for order in fs temporal; do
			rm -rf again
			mkdir again
			expect_status 0 "$VALIDATE" replay --engine $engine --order $order --prepare --dir again "$1"
			expect_line out 'mismatches      0'
			[ ! -e again/${at}work/a ] && [ ! -e again/${at}work/dir/d ] || fail "$1, $engine: removed names exist"
			[ "$(inode again/${at}work/dir/c)" = "$(inode again/${at}work/again)" ] || fail "$1, $engine: two files"
			[ "$(stat -c '%s %a %h' again/${at}work/again)" = '7 640 2' ] ||
				fail "$1, $engine, $order: $(stat -c '%s %a %h' again/${at}work/again)"
			[ "$(inode again/${at}work/twin)" = "$(inode again/${at}work/other)" ] ||
				fail "$1, $engine: names of an unchanged file are two files"
		done
	done
	# a second preparation over the files of the replay
	expect_status 0 "$VALIDATE" replay --prepare --dir again "$1"
	expect_line out 'mismatches      0'
}

# one_state TRACE: the four names have one number, and the initial state
one_state() {
	strings -a "$1" | grep -o '"files":\[[^]]*.*' >files || fail "$1 has no list of files"
	for name in a b dir/c dir/d; do
		grep -o "\"path\":\"${at}work/$name\",\"size\":100000,\"mode\":416[^}]*\"same_file\":[0-9]*" files | sort -u
	done | sed 's/.*same_file/same_file/' >numbers
	[ "$(grep -c . numbers)" -eq 4 ] && [ "$(sort -u numbers | grep -c .)" -eq 1 ] ||
		fail "$1: $(cat files numbers)"
	! grep -q '"path":"[^"]*work/alone"[^}]*same_file' files || fail "$1: a file with one name has a number"
}

fresh
expect_status 0 "$VALIDATE" capture app --digests --root "$PWD" -o app.trace -- ./user
expect_line out 'ended with status 0'
one_state app.trace
prepared_is_right app.trace

# another file with one of the names is replaced; a name outside the set is refused
rm -rf again
mkdir -p again/work
echo other >again/${at}work/b
expect_status 0 "$VALIDATE" replay --prepare --dir again app.trace
expect_line out 'mismatches      0'
rm -rf again
mkdir -p again/work
echo outside >again/outside
ln again/outside again/${at}work/a
expect_status 6 "$VALIDATE" replay --prepare --dir again app.trace
expect_line err 'hard links'
[ "$(cat again/outside)" = outside ] || fail 'a file outside the set was changed'

expect_status 0 "$VALIDATE" slice app.trace -o slice.trace
one_state slice.trace
prepared_is_right slice.trace
expect_status 0 "$VALIDATE" slice --anonymise app.trace -o hidden.trace
[ "$(strings -a hidden.trace | grep -o '"same_file":' | grep -c .)" -ge 6 ] || fail 'anonymised names'
rm -rf again
mkdir again
expect_status 0 "$VALIDATE" replay --prepare --dir again hidden.trace
expect_line out 'mismatches      0'
expect_status 0 "$VALIDATE" export --to parallel app.trace -o app.parallel
expect_status 0 "$VALIDATE" import app.parallel -o imported.trace
strings -a imported.trace | grep -o '"path":"[^"]*work/dir/c"[^}]*"same_file":1' >/dev/null ||
	fail 'the imported trace has no names of one file'

# a number that is none
for bad in 0 -1 '"x"' 4294967296; do
	sed "s/\"same_file\":1\b/\"same_file\":$bad/g" app.parallel >bad.parallel
	cmp -s app.parallel bad.parallel && fail 'nothing was replaced'
	expect_status 3 "$VALIDATE" import bad.parallel -o bad.trace
	expect_line err 'same_file'
done

[ "$(id -u)" -eq 0 ] && [ -w /sys/kernel/tracing/instances ] &&
	grep -q user_notif /proc/sys/kernel/seccomp/actions_avail || {
	echo 'capture vfs --snapshot: not possible here'
	exit 0
}
fresh
expect_status 0 "$VALIDATE" capture vfs --snapshot -o vfs.trace -- ./user
expect_line out 'ended with status 0'
at=${PWD#/}/
one_state vfs.trace
prepared_is_right vfs.trace
