# SPDX-License-Identifier: GPL-3.0-or-later
# validate import of values that follow from earlier lines: positions, sizes, and the end of a
# request of a device.
. "$SRCDIR/tests/e2e/lib.sh"

csv() { # FILE: columns of its requests from the function on, without their numbers
	"$VALIDATE" export -q --to csv "$1" -o - | cut -d, -f5- | sed 's/,[0-9]*,,[0-9]*$//' || fail "exporting $1"
}

# strace: a copy between files moves the positions of both, unless it states offsets; after a rename,
# the new name has the size of the renamed file
cat >made.strace <<'S'
10 1.000000 openat(AT_FDCWD, "/d/in", O_RDONLY) = 3 <0.000001>
10 1.000001 openat(AT_FDCWD, "/d/out", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 4 <0.000001>
10 1.000002 write(4, "x"..., 10) = 10 <0.000001>
10 1.000003 copy_file_range(3, NULL, 4, NULL, 100, 0) = 100 <0.000001>
10 1.000004 write(4, "x"..., 11) = 11 <0.000001>
10 1.000005 sendfile(4, 3, NULL, 50) = 50 <0.000001>
10 1.000006 write(4, "x"..., 12) = 12 <0.000001>
10 1.000007 read(3, "x"..., 13) = 13 <0.000001>
10 1.000008 copy_file_range(3, [0], 4, [5000], 10, 0) = 10 <0.000001>
10 1.000009 write(4, "x"..., 14) = 14 <0.000001>
10 1.000010 read(3, "x"..., 15) = 15 <0.000001>
10 1.000011 openat(AT_FDCWD, "/d/log", O_WRONLY|O_CREAT|O_EXCL|O_APPEND, 0644) = 5 <0.000001>
10 1.000012 write(5, "x"..., 20) = 20 <0.000001>
10 1.000013 write(5, "x"..., 21) = 21 <0.000001>
10 1.000014 rename("/d/new", "/d/log") = -1 ENOENT (No such file or directory) <0.000001>
10 1.000015 write(5, "x"..., 22) = 22 <0.000001>
10 1.000016 rename("/d/out", "/d/log") = 0 <0.000001>
10 1.000017 openat(AT_FDCWD, "/d/log", O_WRONLY|O_APPEND) = 6 <0.000001>
10 1.000018 write(6, "x"..., 23) = 23 <0.000001>
S
csv made.strace | grep '^read\|^write' >got
cat >want <<'C'
write,"path=d/out;fd=4;offset=0;length=10",10,
write,"path=d/out;fd=4;offset=110;length=11",11,
write,"path=d/out;fd=4;offset=171;length=12",12,
read,"path=d/in;fd=3;offset=150;length=13",13,
write,"path=d/out;fd=4;offset=183;length=14",14,
read,"path=d/in;fd=3;offset=163;length=15",15,
write,"path=d/log;fd=5;offset=0;length=20",20,
write,"path=d/log;fd=5;offset=20;length=21",21,
write,"path=d/log;fd=5;offset=41;length=22",22,
write,"path=d/log;fd=6;offset=5010;length=23",23,
C
sed 's/,,*$/,/' got | diff want - || fail 'positions and sizes of strace'

# threads: their creators, and the thread that waited for the word that the kernel clears at the end
# of a thread. A wait that times out, or for another word, is no wait for the end.
cat >threads.strace <<'S'
10 1.000000 openat(AT_FDCWD, "/d/in", O_RDWR) = 3 <0.000001>
10 1.000010 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, child_tid=0x7f00, parent_tid=0x7f00, exit_signal=0} => {parent_tid=[11]}, 88) = 11 <0.000001>
11 1.000020 write(3, "x"..., 10) = 10 <0.000001>
11 1.000030 clone(child_stack=0x7e00, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, parent_tid=[0], tls=0x7e80, child_tidptr=0x7f10 <unfinished ...>
12 1.000031 write(3, "x"..., 11) = 11 <0.000001>
11 1.000033 <... clone resumed>) = 12 <0.000003>
10 1.000040 futex(0x7f00, FUTEX_WAIT_BITSET|FUTEX_CLOCK_REALTIME, 11, {tv_sec=1, tv_nsec=0}, FUTEX_BITSET_MATCH_ANY) = -1 ETIMEDOUT (Connection timed out) <0.000001>
10 1.000050 futex(0x7f20, FUTEX_WAIT, 12, NULL) = 0 <0.000001>
10 1.000060 futex(0x7f00, FUTEX_WAIT_BITSET|FUTEX_CLOCK_REALTIME, 11, NULL, FUTEX_BITSET_MATCH_ANY) = 0 <0.000007>
10 1.000070 write(3, "x"..., 12) = 12 <0.000001>
S
expect_status 0 "$VALIDATE" import -q threads.strace -o threads.trace
strings -a threads.trace | grep -o '"threads":\[[^]]*\]' | tail -n 1 | grep -o '{[^}]*}' >got || :
cat >want <<'R'
{"tid":11,"parent":10,"begin_ns":10000,"waited_by":10,"waited_ns":67000}
{"tid":12,"parent":11,"begin_ns":30000}
R
diff got want || fail 'threads of strace'

# a lock keeps its range, also a range before its start position
cat >locks.strace <<'S'
10 1.000000 openat(AT_FDCWD, "/d/in", O_RDWR) = 3 <0.000001>
10 1.000001 fcntl(3, F_SETLKW, {l_type=F_WRLCK, l_whence=SEEK_END, l_start=-5, l_len=10}) = 0 <0.000001>
10 1.000002 fcntl(3, F_SETFL, O_RDONLY|O_APPEND) = 0 <0.000001>
S
csv locks.strace >want
number() { # N: as 8 bytes, little-endian
	printf %016x "$1" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\8\7\6\5\4\3\2\1/'
}
expect_line want "heap=$(number 1)$(number 2)$(number -5)$(number 10)\""
"$VALIDATE" export -q --to strace locks.strace -o again.strace
expect_line again.strace '{l_type=F_WRLCK, l_whence=SEEK_END, l_start=-5, l_len=10}'
csv again.strace | diff want - || fail 'a lock that was written as strace prints it'

# blkparse prints a completion's error as 16 bits without a sign
cat >failed.blkparse <<'B'
  8,0    0        1     0.000000000   700  Q   R 2048 + 8 [dd]
  8,0    0        2     0.000001000   700  D   R 2048 + 8 [dd]
  8,0    0        3     0.000008000     0  C   R 2048 + 8 [65531]
  8,0    0        4     0.000009000   700  D   R 4096 + 8 [dd]
  8,0    0        5     0.000010000     0  C   R 4096 + 8 [0]
B
csv failed.blkparse | grep '^pread' | sed 's/,,*$//' >got
cat >want <<'C'
pread,"device=8,0;offset=1048576;length=4096",-1,EIO
pread,"device=8,0;offset=2097152;length=4096",4096
C
diff want got || fail 'errors in the output of blkparse'

# an exec closes marked descriptors: a later call on the number fails in a replay as traced, and
# does not use the file of an earlier open
cat >exec.strace <<'S'
10 1.000000 openat(AT_FDCWD, "/d/script", O_RDONLY|O_CREAT|O_CLOEXEC, 0644) = 255 <0.000001>
10 1.000001 execve("/bin/x", ["x"], 0x7ffc /* 1 var */) = 0 <0.000001>
10 1.000002 fcntl(255, F_GETFD) = -1 EBADF (Bad file descriptor) <0.000001>
10 1.000003 lseek(255, 0, SEEK_CUR) = -1 EBADF (Bad file descriptor) <0.000001>
S
mkdir dir
expect_status 0 "$VALIDATE" replay --prepare --dir dir exec.strace
expect_line out 'mismatches      0'

# a descriptor that was open before the trace, for writing only: vim tries to read its standard
# error
cat >inherited.strace <<'S'
10 1.000000 write(2</d/messages>, "x", 1) = 1 <0.000001>
10 1.000001 read(2</d/messages>, 0x7ffc, 1) = -1 EBADF (Bad file descriptor) <0.000001>
10 1.000002 write(2</d/messages>, "x", 1) = 1 <0.000001>
S
rm -rf dir
mkdir dir
expect_status 0 "$VALIDATE" replay --prepare --dir dir inherited.strace
expect_line out 'mismatches      0'
