# SPDX-License-Identifier: GPL-3.0-or-later
# import of strace: results of stat and similar calls become the list of initial files.
. "$SRCDIR/tests/e2e/lib.sh"

cat >log <<'END'
7 1700000000.000001 stat("/w/d", {st_mode=S_IFDIR|0750, st_size=4096, ...}) = 0 <0.000001>
7 1700000000.000002 newfstatat(AT_FDCWD, "/w/f", {st_mode=S_IFREG|S_ISUID|0755, st_size=777, ...}, 0) = 0 <0.000001>
7 1700000000.000003 statx(AT_FDCWD, "/w/x", AT_STATX_SYNC_AS_STAT, STATX_ALL, {stx_mask=STATX_ALL, stx_mode=S_IFREG|0640, stx_size=5, ...}) = 0 <0.000001>
7 1700000000.000004 stat("/w/none", 0x7ffc) = -1 ENOENT (No such file or directory) <0.000001>
7 1700000000.000005 mkdir("/w/none", 0777) = 0 <0.000001>
7 1700000000.000006 stat("/w/none", {st_mode=S_IFDIR|0755, st_size=40, ...}) = 0 <0.000001>
7 1700000000.000007 openat(AT_FDCWD, "/w/made", O_RDWR|O_CREAT|O_TRUNC, 0600) = 3</w/made> <0.000001>
7 1700000000.000008 fstat(3</w/made>, {st_mode=S_IFREG|0600, st_size=0, ...}) = 0 <0.000001>
7 1700000000.000009 chmod("/proc/self/fd/3", 0755) = 0 <0.000001>
7 1700000000.000010 close(3</w/made>) = 0 <0.000001>
7 1700000000.000011 stat("/w/link", {st_mode=S_IFREG|0644, st_size=9, ...}) = 0 <0.000001>
7 1700000000.000012 lstat("/w/link", {st_mode=S_IFLNK|0777, st_size=1, ...}) = 0 <0.000001>
7 1700000000.000013 readlink("/w/link", "t", 100) = 1 <0.000001>
7 1700000000.000014 rename("/w/x", "/w/y") = 0 <0.000001>
7 1700000000.000015 stat("/w/y", {st_mode=S_IFREG|0640, st_size=5, ...}) = 0 <0.000001>
7 1700000000.000015 lstat("/w/alias", {st_mode=S_IFLNK|0777, st_size=4, ...}) = 0 <0.000001>
7 1700000000.000015 lstat("/w/alias", {st_mode=S_IFLNK|0777, st_size=4, ...}) = 0 <0.000001>
7 1700000000.000015 lstat("/w/used", {st_mode=S_IFLNK|0777, st_size=4, ...}) = 0 <0.000001>
7 1700000000.000015 access("/w/used", F_OK) = 0 <0.000001>
7 1700000000.000015 lstat("/sys/class/x", {st_mode=S_IFLNK|0777, st_size=0, ...}) = 0 <0.000001>
7 1700000000.000015 mkdir("", 0777) = -1 ENOENT (No such file or directory) <0.000001>
7 1700000000.000020 openat(AT_FDCWD, "/w/dir/below/f1", O_RDONLY) = 3</w/real/below/f1> <0.000001>
7 1700000000.000021 close(3</w/real/below/f1>) = 0 <0.000001>
7 1700000000.000022 stat("/w/d/name", {st_mode=S_IFREG|0600, st_size=12, ...}) = 0 <0.000001>
7 1700000000.000023 openat(AT_FDCWD, "/w/d/name", O_RDONLY) = 3</w/real/target> <0.000001>
7 1700000000.000024 close(3</w/real/target>) = 0 <0.000001>
7 1700000000.000025 openat(AT_FDCWD, "/w/d/../f3", O_RDONLY) = 3</elsewhere/f3> <0.000001>
7 1700000000.000026 close(3</elsewhere/f3>) = 0 <0.000001>
7 1700000000.000027 openat(AT_FDCWD, "/proc/self/maps", O_RDONLY) = 3</proc/7/maps> <0.000001>
7 1700000000.000028 close(3</proc/7/maps>) = 0 <0.000001>
7 1700000000.000030 openat(AT_FDCWD, "/w", O_RDWR|O_TMPFILE, 0600) = 3</w/#77>(deleted) <0.000001>
7 1700000000.000032 fstat(3</w/#77>(deleted), {st_mode=S_IFREG|0600, st_size=0, ...}) = 0 <0.000001>
7 1700000000.000034 close(3</w/#77>(deleted)) = 0 <0.000001>
7 1700000000.000036 openat(AT_FDCWD, "/w/late/f4", O_RDONLY) = 3 <0.000001>
7 1700000000.000038 close(3) = 0 <0.000001>
7 1700000000.000040 stat("/w/late/f5", {st_mode=S_IFREG|0600, st_size=7, ...}) = 0 <0.000001>
7 1700000000.000042 readlink("/w/late", "led/to", 100) = 6 <0.000001>
END
expect_status 0 "$VALIDATE" import log -o trace
"$VALIDATE" info trace --json | sed -n '/"files":/,/^  \]/p' |
	grep -o '"path": *"[^"]*"' | tr -d ' ' >paths
printf '"path":"w/%s"\n' alias d d/name dir f late led/to/f5 link real/target t x >wanted
diff wanted paths >&2 || fail 'the list of files that were there'
for text in '"w/d","directory":true,"mode":488' '"w/f","size":777,"mode":2541' \
	'"w/x","size":5,"mode":416' '"w/real/target","size":12,"mode":384'; do
	strings -a trace | grep -q "$text" || fail "the list has no $text"
done
grep -q '"w/made"' paths && fail 'a file that the program made is in the list'

mkdir there
expect_status 0 "$VALIDATE" replay --prepare --dir there -o replayed trace
expect_line out 'mismatches      0'
[ "$(readlink there/w/late)" = led/to ] && [ -f there/w/led/to/f4 ] ||
	fail 'a link that was read after it had been followed'
[ -L there/w/alias ] || fail 'a link that only lstat showed'
[ "$(readlink there/w/dir)" = real ] && [ -f there/w/real/below/f1 ] ||
	fail "a link to a directory that the name of an open file shows: $(find there -ls)"
[ "$(readlink there/w/d/name)" = ../real/target ] ||
	fail 'a link to a file that the name of an open file shows'

# which component of a path is the link: not a directory that is in the name of an open file, and
# not a directory that has another file which is not in the link's target
cat >links.log <<'END'
7 1700000000.000001 openat(AT_FDCWD, "/usr/lib/ssl/conf", O_RDONLY) = 3</etc/ssl/conf> <0.000001>
7 1700000000.000002 read(3</etc/ssl/conf>, "x"..., 10) = 10 <0.000001>
7 1700000000.000003 close(3</etc/ssl/conf>) = 0 <0.000001>
7 1700000000.000004 openat(AT_FDCWD, "/share/own/web/cnf", O_RDONLY) = 3</share/other/dist/web/cnf> <0.000001>
7 1700000000.000005 close(3</share/other/dist/web/cnf>) = 0 <0.000001>
7 1700000000.000006 stat("/share/own/list", {st_mode=S_IFREG|0644, st_size=30, ...}) = 0 <0.000001>
7 1700000000.000007 openat(AT_FDCWD, "/share/own/list", O_RDONLY) = 3</var/list-own> <0.000001>
7 1700000000.000008 read(3</var/list-own>, "x"..., 4096) = 30 <0.000001>
7 1700000000.000009 close(3</var/list-own>) = 0 <0.000001>
7 1700000000.000010 stat("/share/other/dist/list", {st_mode=S_IFREG|0644, st_size=500, ...}) = 0 <0.000001>
7 1700000000.000011 openat(AT_FDCWD, "/share/other/dist/list", O_RDONLY) = 3</var/list-other> <0.000001>
7 1700000000.000012 read(3</var/list-other>, "x"..., 4096) = 500 <0.000001>
7 1700000000.000013 close(3</var/list-other>) = 0 <0.000001>
7 1700000000.000014 stat("/usr/lib/py/site", {st_mode=S_IFREG|0644, st_size=155, ...}) = 0 <0.000001>
7 1700000000.000015 readlink("/usr/lib/py/site", "/etc/py/site", 4096) = 12 <0.000001>
7 1700000000.000016 openat(AT_FDCWD, "/usr/lib/py/code", O_RDONLY) = 3</usr/lib/py/code> <0.000001>
7 1700000000.000017 close(3</usr/lib/py/code>) = 0 <0.000001>
7 1700000000.000018 openat(AT_FDCWD, "/lib/arch/so.1", O_RDONLY) = 3</usr/lib/arch/so.1.2> <0.000001>
7 1700000000.000019 read(3</usr/lib/arch/so.1.2>, "x"..., 7) = 7 <0.000001>
7 1700000000.000020 close(3</usr/lib/arch/so.1.2>) = 0 <0.000001>
7 1700000000.000021 openat(AT_FDCWD, "/lib/arch/c", O_RDONLY) = 3</usr/lib/arch/c> <0.000001>
7 1700000000.000022 close(3</usr/lib/arch/c>) = 0 <0.000001>
7 1700000000.000023 openat(AT_FDCWD, "/lib/new", O_WRONLY|O_CREAT|O_EXCL, 0600) = 3</usr/lib/new> <0.000001>
7 1700000000.000024 close(3</usr/lib/new>) = 0 <0.000001>
7 1700000000.000025 openat(AT_FDCWD, "/kept/new", O_WRONLY|O_CREAT|O_EXCL, 0600) = 3</usr/made> <0.000001>
7 1700000000.000026 openat(AT_FDCWD, "/opt/plain/web/cnf", O_RDONLY) = 4</srv/web/cnf> <0.000001>
7 1700000000.000027 close(4</srv/web/cnf>) = 0 <0.000001>
7 1700000000.000028 readlink("/opt/plain", 0x7ffc, 99) = -1 EINVAL (Invalid argument) <0.000001>
7 1700000000.000026 close(3</usr/made>) = 0 <0.000001>
END
expect_status 0 "$VALIDATE" import links.log -o links.trace
for order in fs temporal; do
	rm -rf links
	mkdir links
	expect_status 0 "$VALIDATE" replay --order $order --prepare --dir links links.trace
	expect_line out 'mismatches      0'
	for link in usr/lib/ssl:../../etc/ssl share/own/list:../../var/list-own lib:usr/lib \
		share/other/dist/list:../../../var/list-other usr/lib/py/site:/etc/py/site \
		opt/plain/web:../../srv/web; do
		[ "$(readlink "links/${link%:*}")" = "${link#*:}" ] ||
			fail "${link%:*}: $(find links -ls)"
	done
	[ -d links/usr/lib ] && [ ! -L links/usr/lib ] && [ -f links/usr/lib/new ] &&
		[ ! -L links/share/own ] || fail "directories: $(find links -ls)"
	[ "$(stat -L -c %s links/share/own/list)" = 30 ] || fail 'size of a file behind a link'
	[ -s links/usr/lib/arch/so.1.2 ] && [ ! -e links/usr/usr ] || fail "a link below a link: $(find links -ls)"
done
[ "$(stat -c %a there/w/d)" = 750 ] || fail 'mode of a directory that was looked at'
[ "$(stat -c %a there/w/made)" = 755 ] || fail 'chmod by /proc/self/fd'
[ "$(stat -c %s there/w/y)" = 5 ] || fail 'size of a file that was looked at'

# holes shown by searches for data, in a file that the trace has not changed before
truncate -s 64K holes
if [ "$(stat -c %b holes)" -eq 0 ]; then
	cat >holes.log <<'END'
7 1700000000.000001 openat(AT_FDCWD, "/w/sparse", O_RDWR) = 3</w/sparse> <0.000001>
7 1700000000.000002 fstat(3</w/sparse>, {st_mode=S_IFREG|0600, st_size=1048576, ...}) = 0 <0.000001>
7 1700000000.000003 lseek(3</w/sparse>, 0, SEEK_DATA) = 524288 <0.000001>
7 1700000000.000004 lseek(3</w/sparse>, 524288, SEEK_HOLE) = 589824 <0.000001>
7 1700000000.000005 lseek(3</w/sparse>, 589824, SEEK_DATA) = -1 ENXIO (No such device or address) <0.000001>
7 1700000000.000006 pwrite64(3</w/sparse>, "x"..., 65536, 0) = 65536 <0.000001>
7 1700000000.000007 fallocate(3</w/sparse>, FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, 524288, 65536) = 0 <0.000001>
7 1700000000.000008 lseek(3</w/sparse>, 65536, SEEK_DATA) = -1 ENXIO (No such device or address) <0.000001>
7 1700000000.000009 close(3</w/sparse>) = 0 <0.000001>
7 1700000000.000010 openat(AT_FDCWD, "/w/unknown", O_RDONLY) = 3</w/unknown> <0.000001>
7 1700000000.000011 lseek(3</w/unknown>, 0, SEEK_DATA) = 65536 <0.000001>
7 1700000000.000012 lseek(3</w/unknown>, 65536, SEEK_HOLE) = 131072 <0.000001>
7 1700000000.000013 lseek(3</w/unknown>, 131072, SEEK_DATA) = -1 ENXIO (No such device or address) <0.000001>
END
	expect_status 0 "$VALIDATE" import holes.log -o holes.trace
	for engine in event compiled; do
		rm -rf there
		mkdir there
		expect_status 0 "$VALIDATE" replay --engine $engine --prepare --dir there holes.trace
		expect_line out 'mismatches      0'
		[ "$(stat -c %s there/w/unknown)" = 131072 ] || fail 'size of a file with holes'
	done
fi

# a call that needs a directory and does not follow links finds a link (ln -sfn): the link has an
# unknown target, and no file is made behind it
cat >link.log <<'END'
7 1700000000.000001 symlinkat("a", AT_FDCWD, "/w/to") = -1 EEXIST (File exists) <0.000001>
7 1700000000.000002 openat(AT_FDCWD, "/w/to", O_RDONLY|O_NOFOLLOW|O_PATH|O_DIRECTORY) = -1 ENOTDIR (Not a directory) <0.000001>
7 1700000000.000003 newfstatat(AT_FDCWD, "/w/to", {st_mode=S_IFLNK|0777, st_size=3, ...}, AT_SYMLINK_NOFOLLOW) = 0 <0.000001>
7 1700000000.000004 rmdir("/w/to") = -1 ENOTDIR (Not a directory) <0.000001>
7 1700000000.000005 symlinkat("a", AT_FDCWD, "/w/new") = 0 <0.000001>
7 1700000000.000006 renameat(AT_FDCWD, "/w/new", AT_FDCWD, "/w/to") = 0 <0.000001>
END
expect_status 0 "$VALIDATE" import link.log -o link.trace
rm -rf there
mkdir there
expect_status 0 "$VALIDATE" replay --prepare --dir there link.trace
expect_line out 'mismatches      0'
[ "$(ls there/w)" = to ] || fail "a file is behind a link with an unknown target: $(ls there/w | tr '\n' ' ')"
[ "$(readlink there/w/to)" = a ] || fail 'the link has another target'

# a call shows bytes that an overlapping write of another process wrote, or that two processes
# appended: they are no sign that the file existed before
cat >overlap.log <<'END'
7 1700000000.000001 openat(AT_FDCWD, "/w/new", O_WRONLY|O_CREAT|O_APPEND, 0644) = 3</w/new> <0.000001>
8 1700000000.000003 openat(AT_FDCWD, "/w/new", O_RDWR|O_CREAT|O_APPEND, 0644) = 3</w/new> <0.000001>
8 1700000000.000010 lseek(3</w/new>, 0, SEEK_END) = 4 <0.000020>
7 1700000000.000012 write(3</w/new>, "abc\n", 4) = 4 <0.000003>
8 1700000000.000040 pread64(3</w/new>, "abc\nabc\n", 100, 0) = 8 <0.000020>
7 1700000000.000042 write(3</w/new>, "abc\n", 4) = 4 <0.000003>
8 1700000000.000062 lseek(3</w/new>, 0, SEEK_END) = 8 <0.000001>
7 1700000000.000064 lseek(3</w/new>, 0, SEEK_END) = 8 <0.000001>
8 1700000000.000066 write(3</w/new>, "abc\n", 4) = 4 <0.000001>
7 1700000000.000067 write(3</w/new>, "abc\n", 4) = 4 <0.000001>
7 1700000000.000069 lseek(3</w/new>, 0, SEEK_END) = 16 <0.000001>
8 1700000000.000070 openat(AT_FDCWD, "/w/old", O_RDWR|O_CREAT|O_APPEND, 0644) = 4</w/old> <0.000001>
8 1700000000.000072 lseek(4</w/old>, 0, SEEK_END) = 5 <0.000020>
7 1700000000.000074 write(3</w/new>, "abc\n", 4) = 4 <0.000003>
END
expect_status 0 "$VALIDATE" import overlap.log -o overlap.trace
rm -rf there
mkdir there
expect_status 0 "$VALIDATE" replay --prepare --order fs --dir there overlap.trace
expect_line out 'mismatches      0'
[ "$(stat -c %s there/w/new there/w/old | tr '\n' ' ')" = '20 5 ' ] || fail "sizes: $(stat -c %s there/w/*)"

# a call that changes attributes does not change the size, which only a later call shows
cat >attributes.log <<'END'
7 1700000000.000001 setxattr("/w/tagged", "user.one", "1", 1, 0) = 0 <0.000001>
7 1700000000.000002 chmod("/w/mode", 0600) = 0 <0.000001>
7 1700000000.000003 utimensat(AT_FDCWD, "/w/touched", NULL, 0) = 0 <0.000001>
7 1700000000.000004 fchownat(AT_FDCWD, "/w/owned", 0, 0, 0) = 0 <0.000001>
7 1700000000.000005 truncate("/w/cut", 5) = 0 <0.000001>
7 1700000000.000006 newfstatat(AT_FDCWD, "/w/tagged", {st_mode=S_IFREG|0644, st_size=11, ...}, 0) = 0 <0.000001>
7 1700000000.000007 newfstatat(AT_FDCWD, "/w/mode", {st_mode=S_IFREG|0600, st_size=12, ...}, 0) = 0 <0.000001>
7 1700000000.000008 newfstatat(AT_FDCWD, "/w/touched", {st_mode=S_IFREG|0640, st_size=13, ...}, 0) = 0 <0.000001>
7 1700000000.000009 newfstatat(AT_FDCWD, "/w/owned", {st_mode=S_IFREG|0644, st_size=14, ...}, 0) = 0 <0.000001>
7 1700000000.000010 newfstatat(AT_FDCWD, "/w/cut", {st_mode=S_IFREG|0644, st_size=5, ...}, 0) = 0 <0.000001>
END
expect_status 0 "$VALIDATE" import attributes.log -o attributes.trace
expect_status 0 "$VALIDATE" info --json attributes.trace
jq -r '.files[] | select(.directory | not) | "\(.path) \(.size)"' out >listed
printf 'w/mode 12\nw/owned 14\nw/tagged 11\nw/touched 13\n' | diff - listed >differ || fail "the initial files: $(cat differ)"

# a file that is changed before a call shows its size: a later call shows the initial size, if the
# size is above the end of all changes
cat >sizes.log <<'END'
7 1700000000.000001 openat(AT_FDCWD, "/w/in", O_RDWR) = 3</w/in> <0.000001>
7 1700000000.000002 pwrite64(3</w/in>, "abcd", 4, 8) = 4 <0.000001>
7 1700000000.000003 fstat(3</w/in>, {st_mode=S_IFREG|0640, st_size=200, ...}) = 0 <0.000001>
7 1700000000.000004 close(3</w/in>) = 0 <0.000001>
7 1700000000.000005 openat(AT_FDCWD, "/w/log", O_WRONLY|O_CREAT|O_APPEND, 0666) = 3</w/log> <0.000001>
7 1700000000.000006 write(3</w/log>, "abcd", 4) = 4 <0.000001>
7 1700000000.000007 close(3</w/log>) = 0 <0.000001>
7 1700000000.000008 stat("/w/log", {st_mode=S_IFREG|0600, st_size=204, ...}) = 0 <0.000001>
7 1700000000.000009 openat(AT_FDCWD, "/w/new", O_WRONLY|O_CREAT|O_APPEND, 0666) = 3</w/new> <0.000001>
7 1700000000.000010 write(3</w/new>, "abcd", 4) = 4 <0.000001>
7 1700000000.000011 fstat(3</w/new>, {st_mode=S_IFREG|0644, st_size=4, ...}) = 0 <0.000001>
7 1700000000.000012 close(3</w/new>) = 0 <0.000001>
7 1700000000.000013 openat(AT_FDCWD, "/w/alias", O_RDWR|O_CREAT, 0666) = 3</w/target> <0.000001>
7 1700000000.000014 write(3</w/target>, "abcd", 4) = 4 <0.000001>
7 1700000000.000015 rename("/w/target", "/w/moved") = 0 <0.000001>
7 1700000000.000016 stat("/w/moved", {st_mode=S_IFREG|0644, st_size=77, ...}) = 0 <0.000001>
7 1700000000.000017 close(3</w/moved>) = 0 <0.000001>
7 1700000000.000018 openat(AT_FDCWD, "/w/one", O_RDWR) = 3</w/one> <0.000001>
7 1700000000.000019 pwrite64(3</w/one>, "abcd", 4, 0) = 4 <0.000001>
7 1700000000.000021 renameat2(AT_FDCWD, "/w/one", AT_FDCWD, "/w/two", RENAME_EXCHANGE) = 0 <0.000001>
7 1700000000.000022 stat("/w/one", {st_mode=S_IFREG|0644, st_size=22, ...}) = 0 <0.000001>
7 1700000000.000023 stat("/w/two", {st_mode=S_IFREG|0644, st_size=11, ...}) = 0 <0.000001>
7 1700000000.000024 close(3</w/two>) = 0 <0.000001>
7 1700000000.000025 openat(AT_FDCWD, "/w/copy", O_WRONLY|O_CREAT, 0666) = 3</w/copy> <0.000001>
7 1700000000.000026 openat(AT_FDCWD, "/w/log", O_RDONLY) = 4</w/log> <0.000001>
7 1700000000.000027 sendfile(3</w/copy>, 4</w/log>, NULL, 4096) = 204 <0.000001>
7 1700000000.000028 fstat(3</w/copy>, {st_mode=S_IFREG|0644, st_size=304, ...}) = 0 <0.000001>
7 1700000000.000029 close(3</w/copy>) = 0 <0.000001>
7 1700000000.000030 close(4</w/log>) = 0 <0.000001>
7 1700000000.000031 openat(AT_FDCWD, "/w/space", O_RDWR) = 3</w/space> <0.000001>
7 1700000000.000032 fallocate(3</w/space>, 0, 0, 50) = 0 <0.000001>
7 1700000000.000033 fallocate(3</w/space>, FALLOC_FL_KEEP_SIZE, 0, 5000) = 0 <0.000001>
7 1700000000.000034 fstat(3</w/space>, {st_mode=S_IFREG|0644, st_size=120, ...}) = 0 <0.000001>
7 1700000000.000035 close(3</w/space>) = 0 <0.000001>
7 1700000000.000036 openat(AT_FDCWD, "/w/d1/f", O_RDWR) = 3</w/d1/f> <0.000001>
7 1700000000.000037 write(3</w/d1/f>, "abcd", 4) = 4 <0.000001>
7 1700000000.000038 close(3</w/d1/f>) = 0 <0.000001>
7 1700000000.000039 rename("/w/d1", "/w/d2") = 0 <0.000001>
7 1700000000.000040 stat("/w/d2/f", {st_mode=S_IFREG|0644, st_size=33, ...}) = 0 <0.000001>
7 1700000000.000041 openat(AT_FDCWD, "/w/whole", O_RDWR) = 3</w/whole> <0.000001>
7 1700000000.000042 write(3</w/whole>, "abcd", 4) = 4 <0.000001>
7 1700000000.000043 fstat(3</w/whole>, {st_mode=S_IFREG|0644, st_size=4, ...}) = 0 <0.000001>
7 1700000000.000044 ftruncate(3</w/whole>, 100) = 0 <0.000001>
7 1700000000.000045 fstat(3</w/whole>, {st_mode=S_IFREG|0644, st_size=100, ...}) = 0 <0.000001>
7 1700000000.000046 close(3</w/whole>) = 0 <0.000001>
7 1700000000.000047 unlink("/w/old") = 0 <0.000001>
7 1700000000.000048 openat(AT_FDCWD, "/w/old", O_RDWR|O_CREAT, 0666) = 3</w/old> <0.000001>
7 1700000000.000049 ftruncate(3</w/old>, 500) = 0 <0.000001>
7 1700000000.000050 fstat(3</w/old>, {st_mode=S_IFREG|0644, st_size=500, ...}) = 0 <0.000001>
7 1700000000.000051 close(3</w/old>) = 0 <0.000001>
END
expect_status 0 "$VALIDATE" import sizes.log -o sizes.trace
grep -q 'size no call shows' err out && fail 'a size is shown, but counted as unknown'
expect_status 0 "$VALIDATE" info --json sizes.trace
jq -r '.files[] | select(.directory | not) | "\(.path) \(.size)"' out >listed
printf 'w/%s\n' 'alias 0' 'copy 304' 'd1/f 33' 'in 200' 'log 200' 'one 11' 'space 120' 'target 77' 'two 22' |
	diff - listed >differ || fail "the initial sizes: $(cat differ)"
rm -rf there
mkdir there
expect_status 0 "$VALIDATE" replay --prepare --dir there sizes.trace
expect_line out 'mismatches      0'
[ "$(stat -c '%n %s %a' there/w/in there/w/log)" = "there/w/in 200 640
there/w/log 204 600" ] || fail "sizes and permissions: $(stat -c '%n %s %a' there/w/*)"
[ "$(stat -c %s there/w/moved there/w/one there/w/copy there/w/d2/f | tr '\n' ' ')" = '77 22 304 33 ' ] ||
	fail "sizes after renames and copies: $(stat -c '%n %s' there/w/* there/w/d2/*)"

# a change overlaps the call that shows the size: that call does not show the initial size, but a
# later call can
cat >overlaps.log <<'END'
7 1700000000.000001 openat(AT_FDCWD, "/w/new", O_RDWR|O_CREAT|O_APPEND, 0666) = 3</w/new> <0.000001>
8 1700000000.000002 openat(AT_FDCWD, "/w/new", O_RDWR|O_CREAT|O_APPEND, 0666) = 3</w/new> <0.000001>
8 1700000000.000003 openat(AT_FDCWD, "/w/old", O_RDWR|O_CREAT|O_APPEND, 0666) = 4</w/old> <0.000001>
7 1700000000.000004 write(3</w/new>, "abcd", 4 <unfinished ...>
8 1700000000.000005 fstat(3</w/new>, {st_mode=S_IFREG|0644, st_size=4, ...}) = 0 <0.000001>
7 1700000000.000007 <... write resumed>) = 4 <0.000003>
8 1700000000.000010 fstat(4</w/old>,  <unfinished ...>
7 1700000000.000011 openat(AT_FDCWD, "/w/old", O_RDWR|O_APPEND) = 4</w/old> <0.000001>
7 1700000000.000013 write(4</w/old>, "abcd", 4) = 4 <0.000001>
8 1700000000.000015 <... fstat resumed>{st_mode=S_IFREG|0644, st_size=24, ...}) = 0 <0.000005>
8 1700000000.000020 fstat(4</w/old>, {st_mode=S_IFREG|0644, st_size=24, ...}) = 0 <0.000001>
8 1700000000.000022 fstat(3</w/new>, {st_mode=S_IFREG|0644, st_size=4, ...}) = 0 <0.000001>
8 1700000000.000024 openat(AT_FDCWD, "/w/more", O_RDWR|O_CREAT|O_APPEND, 0666) = 5</w/more> <0.000001>
8 1700000000.000026 fstat(5</w/more>, {st_mode=S_IFREG|0644, st_size=4, ...}) = 0 <0.000020>
7 1700000000.000030 write(5</w/more>, "abcd", 4) = 4 <0.000003>
END
expect_status 0 "$VALIDATE" import overlaps.log -o overlaps.trace
expect_status 0 "$VALIDATE" info --json overlaps.trace
jq -r '.files[] | select(.directory | not) | "\(.path) \(.size)"' out >listed
printf 'w/old 20\n' | diff - listed >differ || fail "the initial sizes: $(cat differ)"

# no call shows the size: the import counts the file
cat >unknown.log <<'END'
7 1700000000.000001 openat(AT_FDCWD, "/w/in", O_RDWR) = 3</w/in> <0.000001>
7 1700000000.000002 pwrite64(3</w/in>, "abcd", 4, 8) = 4 <0.000001>
7 1700000000.000003 close(3</w/in>) = 0 <0.000001>
7 1700000000.000004 openat(AT_FDCWD, "/w/touched", O_WRONLY|O_CREAT, 0666) = 3</w/touched> <0.000001>
7 1700000000.000005 close(3</w/touched>) = 0 <0.000001>
7 1700000000.000006 openat(AT_FDCWD, "/w/mapped", O_RDWR) = 3</w/mapped> <0.000001>
7 1700000000.000007 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3</w/mapped>, 0) = 0x7f0000000000 <0.000001>
7 1700000000.000008 close(3</w/mapped>) = 0 <0.000001>
7 1700000000.000009 write(1</w/output>, "abcd", 4) = 4 <0.000001>
7 1700000000.000010 openat(AT_FDCWD, "/w/read", O_RDWR|O_CREAT, 0666) = 3</w/read> <0.000001>
7 1700000000.000011 write(3</w/read>, "abcd", 4) = 4 <0.000001>
7 1700000000.000012 read(3</w/read>, "x"..., 4096) = 9 <0.000001>
7 1700000000.000013 close(3</w/read>) = 0 <0.000001>
7 1700000000.000014 openat(AT_FDCWD, "/w/sought", O_RDWR) = 3</w/sought> <0.000001>
7 1700000000.000015 write(3</w/sought>, "abcd", 4) = 4 <0.000001>
7 1700000000.000016 lseek(3</w/sought>, 0, SEEK_END) = 14 <0.000001>
7 1700000000.000017 close(3</w/sought>) = 0 <0.000001>
7 1700000000.000018 openat(AT_FDCWD, "/w/cut", O_RDWR|O_CREAT|O_TRUNC, 0666) = 3</w/cut> <0.000001>
7 1700000000.000019 write(3</w/cut>, "abcd", 4) = 4 <0.000001>
7 1700000000.000020 close(3</w/cut>) = 0 <0.000001>
7 1700000000.000021 openat(AT_FDCWD, "/w/gone", O_RDWR|O_CREAT, 0666) = 3</w/gone> <0.000001>
7 1700000000.000022 close(3</w/gone>) = 0 <0.000001>
7 1700000000.000023 unlink("/w/gone") = 0 <0.000001>
7 1700000000.000024 openat(AT_FDCWD, "/w/none", O_RDWR) = -1 ENOENT (No such file or directory) <0.000001>
7 1700000000.000025 openat(AT_FDCWD, "/w/none", O_RDWR|O_CREAT, 0666) = 3</w/none> <0.000001>
7 1700000000.000026 write(3</w/none>, "abcd", 4) = 4 <0.000001>
7 1700000000.000027 close(3</w/none>) = 0 <0.000001>
7 1700000000.000028 openat(AT_FDCWD, "/dev/null", O_WRONLY|O_CREAT, 0666) = 3</dev/null> <0.000001>
7 1700000000.000029 write(3</dev/null>, "abcd", 4) = 4 <0.000001>
END
expect_status 0 "$VALIDATE" import unknown.log -o unknown.trace
expect_line out 'changed files whose size no call shows: 4 '
rm -rf there
mkdir there
expect_status 0 "$VALIDATE" replay --prepare --dir there unknown.trace
expect_line out 'mismatches      0'
[ "$(stat -c %s there/w/read there/w/sought | tr '\n' ' ')" = '13 14 ' ] ||
	fail "sizes shown by a read and a seek: $(stat -c '%n %s' there/w/*)"

# a trace without a table of files: the replay counts the changed files whose size no request shows
cat >some.csv <<'END'
pid,tid,begin,end,function,args,rvalue
1,1,0,10,open,"path=w/log;flags=0x441;mode=0644",3
1,1,20,30,write,"path=w/log;fd=3;length=4",4
1,1,40,50,close,"path=w/log;fd=3",0
1,1,60,70,open,"path=w/in;flags=0x2",3
1,1,80,90,pwrite,"path=w/in;fd=3;offset=8;length=4",4
1,1,100,110,close,"path=w/in;fd=3",0
1,1,120,130,open,"path=w/read;flags=0x42;mode=0644",3
1,1,140,150,write,"path=w/read;fd=3;offset=0;length=4",4
1,1,160,170,read,"path=w/read;fd=3;offset=4;length=4096",9
1,1,180,190,close,"path=w/read;fd=3",0
1,1,200,210,open,"path=w/cut;flags=0x241;mode=0644",3
1,1,220,230,write,"path=w/cut;fd=3;offset=0;length=4",4
1,1,240,250,close,"path=w/cut;fd=3",0
END
rm -rf there
mkdir there
expect_status 0 "$VALIDATE" replay --prepare --dir there some.csv
expect_line out 'mismatches      0'
expect_line out 'note: the trace does not show the size of 2 changed files'
expect_status 0 "$VALIDATE" replay --dir there some.csv
grep -q 'changed files' out && fail 'a replay without --prepare counts files'
:
