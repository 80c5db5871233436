# SPDX-License-Identifier: GPL-3.0-or-later
# validate import of strace: permissions set by an access control list, times of files, and
# close_range; and export back.
. "$SRCDIR/tests/e2e/lib.sh"

csv() { # FILE: columns of its requests from the function on, without their numbers
	"$VALIDATE" export -q --to csv "$1" -o - | cut -d, -f5- | sed 's/,[0-9]*,,[0-9]*$//' ||
		fail "exporting $1"
}

cat >made.strace <<'S'
10 1.000000 openat(AT_FDCWD, "/f", O_RDWR|O_CREAT, 0600) = 3</f> <0.000001>
10 1.000001 openat(AT_FDCWD, "/g", O_RDWR|O_CREAT, 0600) = 4</g> <0.000001>
10 1.000002 fsetxattr(3</f>, "system.posix_acl_access", "\2\0\0\0\1\0\7\0\377\377\377\377\4\0\5\0\377\377\377\377 \0\1\0\377\377\377\377", 28, 0) = 0 <0.000001>
10 1.000003 setxattr("/g", "system.posix_acl_access", "\2\0\0\0\1\0\6\0\377\377\377\377\4\0\4\0\377\377\377\377 \0\4\0\377\377\377\377", 28, 0) = 0 <0.000001>
10 1.000004 setxattr("/g", "user.x", "v", 1, XATTR_CREATE) = 0 <0.000001>
10 1.000005 utimensat(3</f>, NULL, [UTIME_OMIT, {tv_sec=1000000000, tv_nsec=5} /* 2001-09-09T01:46:40.000000005+0000 */], 0) = 0 <0.000001>
10 1.000006 utimensat(AT_FDCWD, "/g", [{tv_sec=-3, tv_nsec=7}, UTIME_NOW], AT_SYMLINK_NOFOLLOW) = 0 <0.000001>
10 1.000007 utimensat(AT_FDCWD, "/g", NULL, 0) = 0 <0.000001>
10 1.000008 close_range(3, 4, CLOSE_RANGE_CLOEXEC) = 0 <0.000001>
10 1.000009 fstat(4</g>, {st_mode=S_IFREG|0644, st_size=0, ...}) = 0 <0.000001>
10 1.000010 close_range(4, ~0U, 0) = 0 <0.000001>
10 1.000011 fsync(3</f>) = 0 <0.000001>
10 1.000012 close_range(3, 4294967295, 0) = 0 <0.000001>
S
expect_status 0 "$VALIDATE" import -q made.strace -o made.trace
csv made.trace >made.csv
expect_csv() { # LINE
	grep -qF -e "$1" made.csv || fail "no request $1: $(cat made.csv)"
}
expect_csv 'fsetxattr,"path=f;fd=3;length=28;flags=0x81e90000'
expect_csv 'setxattr,"path=g;length=28;flags=0x81a40000'
expect_csv 'setxattr,"path=g;length=1;flags=0x1;heap=757365722e78",0,'
[ "$(grep ^close made.csv | tr '\n' ' ')" = 'close,"path=g;fd=4",0, close,"path=f;fd=3",0, ' ] ||
	fail "closes: $(grep ^close made.csv)"
expect_status 0 "$VALIDATE" export -q --to strace made.trace -o again.strace
expect_status 0 "$VALIDATE" import -q again.strace -o again.trace
csv again.trace >again.csv
cmp -s made.csv again.csv || fail "another trace comes back: $(diff made.csv again.csv)"

mkdir tree
expect_status 0 "$VALIDATE" replay --dir tree -o out.trace made.trace
expect_line out 'mismatches      0'
[ "$(stat -c %a tree/f tree/g | tr '\n' ' ')" = '751 644 ' ] ||
	fail "modes: $(stat -c %a tree/f tree/g)"
[ "$(stat -c %Y tree/f)" = 1000000000 ] || fail "time: $(stat -c %y tree/f)"
