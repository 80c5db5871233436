# SPDX-License-Identifier: GPL-3.0-or-later
# validate import of strace: the root, working directories, renames, and the names that -y shows.
. "$SRCDIR/tests/e2e/lib.sh"

csv() { # FILE: columns of its requests from the function on, without their numbers
	"$VALIDATE" export -q --to csv "$1" -o - | cut -d, -f5- | sed 's/,[0-9]*,,[0-9]*$//' ||
		fail "exporting $1"
}
paths() { # FILE: operation and path of each request
	csv "$1" | sed -n 's/^\([a-z0-9_]*\),"path=\([^;"]*\).*/\1 \2/p'
}
files() { # the files below dir, in a line
	(cd dir && find . -type f | sort | tr '\n' ' ')
}

# the root of the machine has the same name as the root of any trace: relative names keep their
# place in a replay, in any directory
cat >root.strace <<'S'
10 1.000000 stat("/", {st_mode=S_IFDIR|0755, st_size=4096, ...}) = 0 <0.000001>
10 1.000001 openat(AT_FDCWD</w>, "/", O_RDONLY|O_DIRECTORY) = 3</> <0.000001>
10 1.000002 mkdirat(3</>, "made", 0755) = 0 <0.000001>
10 1.000003 mkdirat(AT_FDCWD</w>, "d", 0755) = 0 <0.000001>
10 1.000004 chdir("/w/d") = 0 <0.000001>
10 1.000005 openat(AT_FDCWD</w/d>, "f", O_WRONLY|O_CREAT, 0644) = 4</w/d/f> <0.000001>
10 1.000006 write(4</w/d/f>, "x", 1) = 1 <0.000001>
10 1.000007 chdir("/") = 0 <0.000001>
10 1.000008 openat(AT_FDCWD</>, "top", O_WRONLY|O_CREAT, 0644) = 5</top> <0.000001>
S
paths root.strace >got
cat >want <<'C'
stat .
open .
mkdir made
mkdir w/d
chdir w/d
open w/d/f
write w/d/f
chdir .
open top
C
diff want got || fail 'paths of a trace with the root in it'
expect_status 0 "$VALIDATE" import -q root.strace -o root.trace
for order in fs temporal; do
	for engine in event coordinator; do
		rm -rf dir
		mkdir dir
		expect_status 0 "$VALIDATE" replay --engine $engine --order $order --prepare --dir dir root.trace
		expect_line out 'mismatches      0'
		[ "$(files)" = './top ./w/d/f ' ] || fail "$engine, $order: files at $(files)"
	done
done
# as strace prints it, and back
expect_status 0 "$VALIDATE" export -q --to strace root.trace -o again.strace
expect_line again.strace 'newfstatat(AT_FDCWD, "/", '
paths again.strace | diff want - || fail 'paths of a trace that was exported'
# a reader that names the root "/"
"$VALIDATE" export -q --to csv root.trace -o slash.csv
sed -i 's/path=\.;/path=\/;/; s/path=\."/path=\/"/' slash.csv
expect_line slash.csv 'path=/;'
expect_status 0 "$VALIDATE" import -q slash.csv -o slash.trace
rm -rf dir
mkdir dir
expect_status 0 "$VALIDATE" replay --prepare --dir dir slash.trace
[ "$(files)" = './top ./w/d/f ' ] || fail "a root named /: files at $(files)"

# a renamed directory: files opened relative to its descriptor, and relative to the working
# directory, have the new name
cat >moved.strace <<'S'
10 1.000000 chdir("/w") = 0 <0.000001>
10 1.000001 mkdir("a", 0755) = 0 <0.000001>
10 1.000002 open("a", O_RDONLY|O_DIRECTORY) = 3 <0.000001>
10 1.000003 rename("a", "b") = 0 <0.000001>
10 1.000004 openat(3, "f", O_WRONLY|O_CREAT, 0644) = 4 <0.000001>
10 1.000005 fchdir(3) = 0 <0.000001>
10 1.000006 mkdir("c", 0755) = 0 <0.000001>
10 1.000007 chdir("c") = 0 <0.000001>
10 1.000008 rename("/w/b", "/w/d") = 0 <0.000001>
10 1.000009 open("g", O_WRONLY|O_CREAT, 0644) = 5 <0.000001>
10 1.000010 mkdir("/w/x", 0755) = 0 <0.000001>
10 1.000011 renameat2(AT_FDCWD, "/w/d", AT_FDCWD, "/w/x", RENAME_EXCHANGE) = 0 <0.000001>
10 1.000012 open("h", O_WRONLY|O_CREAT, 0644) = 6 <0.000001>
10 1.000013 openat(3, "i", O_WRONLY|O_CREAT, 0644) = 7 <0.000001>
S
paths moved.strace >got
cat >want <<'C'
chdir w
mkdir w/a
open w/a
rename w/a
open w/b/f
fchdir w/a
mkdir w/b/c
chdir w/b/c
rename w/b
open w/d/c/g
mkdir w/x
rename w/d
open w/x/c/h
open w/x/i
C
diff want got || fail 'names below renamed directories'
expect_status 0 "$VALIDATE" import -q moved.strace -o moved.trace
for order in fs temporal; do
	rm -rf dir
	mkdir dir
	expect_status 0 "$VALIDATE" replay --order $order --prepare --dir dir moved.trace
	expect_line out 'mismatches      0'
	[ "$(files)" = './w/x/c/g ./w/x/c/h ./w/x/f ./w/x/i ' ] || fail "$order: files at $(files)"
done

# names of -y are used after renames: descriptor 3 becomes another file without a visible call; 4 is
# renamed, the second time by a call that has not returned; 5 is deleted
cat >shown.strace <<'S'
10 1.000000 openat(AT_FDCWD</w>, "a", O_RDONLY) = 3</w/a> <0.000001>
10 1.000001 openat(AT_FDCWD</w>, "b", O_RDONLY) = 4</w/b> <0.000001>
10 1.000002 openat(AT_FDCWD</w>, "c", O_RDONLY) = 5</w/c> <0.000001>
10 1.000003 read(4</w/b>, "x", 1) = 1 <0.000001>
10 1.000004 rename("b", "e") = 0 <0.000001>
10 1.000005 read(3</w/other>, "x", 1) = 1 <0.000001>
10 1.000006 read(4</w/e>, "x", 1) = 1 <0.000001>
11 1.000007 rename("/w/e", "/w/g" <unfinished ...>
10 1.000008 read(4</w/g>, "x", 1) = 1 <0.000001>
11 1.000009 <... rename resumed>) = 0 <0.000002>
10 1.000010 read(4</w/g>, "x", 1) = 1 <0.000001>
10 1.000011 unlink("c") = 0 <0.000001>
10 1.000012 read(5</w/c>(deleted), "x", 1) = 1 <0.000001>
10 1.000013 read(5</w/c (deleted)>, "x", 1) = 1 <0.000001>
S
csv shown.strace | grep ^read | sed 's/,,*$//' >got
cat >want <<'C'
read,"path=w/b;fd=4;offset=0;length=1",1
read,"path=w/other;fd=3;length=1",1
read,"path=w/b;fd=4;offset=1;length=1",1
read,"path=w/b;fd=4;offset=2;length=1",1
read,"path=w/b;fd=4;offset=3;length=1",1
read,"path=w/c;fd=5;offset=0;length=1",1
read,"path=w/c;fd=5;offset=1;length=1",1
C
diff want got || fail 'descriptors that -y names, after renames'

# the directory in which the command was started: shown late, by getcwd; earlier names are below it
# too. If it is never shown, a warning reports it
cat >start.strace <<'S'
10 1.000000 access("x", F_OK) = 0 <0.000001>
10 1.000001 getcwd("/w", 4096) = 3 <0.000001>
10 1.000002 access("y", F_OK) = 0 <0.000001>
S
[ "$(paths start.strace | tr '\n' ' ')" = 'access w/x access w/y ' ] ||
	fail "where the command was started: $(paths start.strace)"
expect_status 0 "$VALIDATE" import start.strace -o start.trace
! grep -q 'relative to an unknown directory' out || fail 'a directory that is known'
grep -v getcwd start.strace >nowhere.strace
echo '10 1.000003 chdir("s") = 0 <0.000001>' >>nowhere.strace
echo '10 1.000004 access("z", F_OK) = 0 <0.000001>' >>nowhere.strace
[ "$(paths nowhere.strace | tr '\n' ' ')" = 'access x access y chdir s access s/z ' ] ||
	fail "from nowhere: $(paths nowhere.strace)"
expect_status 0 "$VALIDATE" import nowhere.strace -o start.trace
expect_line out 'relative to an unknown directory'

# CLONE_FS: a thread that called unshare has its own umask and working directory; a process may share
# them with its parent
cat >umasks.strace <<'S'
10 1.000000 umask(022) = 0 <0.000001>
10 1.000001 chdir("/w") = 0 <0.000001>
10 1.000002 clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD, exit_signal=0} => {parent_tid=[11]}, 88) = 11 <0.000001>
11 1.000003 unshare(CLONE_FS) = 0 <0.000001>
11 1.000004 umask(077) = 022 <0.000001>
11 1.000005 mkdir("own", 0777) = 0 <0.000001>
11 1.000006 chdir("own") = 0 <0.000001>
10 1.000007 openat(AT_FDCWD, "a", O_WRONLY|O_CREAT, 0666) = 3 <0.000001>
11 1.000008 openat(AT_FDCWD, "b", O_WRONLY|O_CREAT, 0666) = 4 <0.000001>
10 1.000009 write(4, "x"..., 2) = 2 <0.000001>
10 1.000010 clone(child_stack=0x7e00, flags=CLONE_FS|SIGCHLD) = 12 <0.000001>
12 1.000011 umask(027) = 022 <0.000001>
12 1.000012 mkdir("shared", 0777) = 0 <0.000001>
12 1.000013 chdir("shared") = 0 <0.000001>
10 1.000014 openat(AT_FDCWD, "c", O_WRONLY|O_CREAT, 0666) = 5 <0.000001>
10 1.000015 rename("/w/shared", "/w/moved") = 0 <0.000001>
12 1.000016 openat(AT_FDCWD, "d", O_WRONLY|O_CREAT, 0666) = 5 <0.000001>
11 1.000017 openat(AT_FDCWD, "e", O_WRONLY|O_CREAT, 0666) = 6 <0.000001>
S
expect_status 0 "$VALIDATE" import umasks.strace -o umasks.trace
! grep -q 'unknown umask\|unusual' out || fail "umasks: $(cat out)"
for order in fs temporal; do
	rm -rf dir
	mkdir dir
	expect_status 0 "$VALIDATE" replay --order $order --prepare --dir dir umasks.trace
	expect_line out 'mismatches      0'
	[ "$(cd dir/w && find . -mindepth 1 -printf '%p %m %s\n' | sed 's/\(d\?7[0-9]*\) [0-9]*$/\1/' | sort | tr '\n' ' ')" = \
		'./a 644 0 ./moved 750 ./moved/c 640 0 ./moved/d 640 0 ./own 700 ./own/b 600 2 ./own/e 600 0 ' ] ||
		fail "$order: $(find dir -printf '%p %m %s\n')"
done

# a process that receives a descriptor shares the open file with the sender
cat >sent.strace <<'S'
10 1.000000 umask(022) = 022 <0.000001>
10 1.000000 rename("/w/old", "/w/other") = 0 <0.000001>
10 1.000000 socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 7<socket:[8]> <0.000001>
10 1.000000 write(7<socket:[8]>, "x"..., 1) = 1 <0.000001>
10 1.000001 clone(child_stack=NULL, flags=SIGCHLD) = 11 <0.000001>
11 1.000001 execve("/bin/x", ["x"], 0x7ffc /* 1 var */) = 0 <0.000001>
10 1.000002 openat(AT_FDCWD, "/w/new", O_RDWR|O_CREAT|O_EXCL, 0600) = 3</w/new> <0.000001>
10 1.000003 write(3</w/new>, "x"..., 5) = 5 <0.000001>
10 1.000004 openat(AT_FDCWD, "/w/closed", O_RDWR|O_CREAT, 0751) = 4</w/closed> <0.000001>
10 1.000005 write(4</w/closed>, "x"..., 6) = 6 <0.000001>
10 1.000006 close(4</w/closed>) = 0 <0.000001>
11 1.000007 recvmsg(5<socket:[7]>, {msg_iov=[{iov_base="x", iov_len=1}], msg_iovlen=1, msg_controllen=24, msg_flags=0}, 0) = 1 <0.000001>
11 1.000008 write(7</w/new>, "x"..., 4) = 4 <0.000001>
10 1.000009 write(3</w/new>, "x"..., 3) = 3 <0.000001>
11 1.000010 write(8</w/closed>, "x"..., 2) = 2 <0.000001>
11 1.000011 close(7</w/new>) = 0 <0.000001>
S
csv sent.strace | grep -q 'write,"path=w/new;fd=3;offset=9;length=3",3' || fail "positions: $(csv sent.strace)"
expect_status 0 "$VALIDATE" import -q sent.strace -o sent.trace
for options in '--order fs' '--order temporal' '--order fs --engine compiled' '--order fs --processes'; do
	rm -rf dir
	mkdir dir
	expect_status 0 "$VALIDATE" replay $options --prepare --dir dir sent.trace
	expect_line out 'mismatches      0'
	[ "$(stat -c '%n %a %s' dir/w/[cn]* | tr '\n' ' ')" = 'dir/w/closed 751 8 dir/w/new 600 12 ' ] ||
		fail "$options: $(stat -c '%n %a %s' dir/w/*)"
done

# a real program that renames a directory below a descriptor, and changes to the root and back
command -v strace >/dev/null || skip "no strace: only logs made by hand were read"
command -v python3 >/dev/null || skip "no python3: only logs made by hand were read"
mkdir run
cat >program.py <<'S'
import os, threading
top = os.getcwd()
os.stat("/")
os.mkdir("d")
fd = os.open("d", os.O_RDONLY)
os.chdir("/")
os.chdir(top + "/d")
os.rename(top + "/d", top + "/e")
open("relative", "w").write("x")
os.close(os.open("below", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
ts = [threading.Thread(target=lambda i=i: open(top + "/t%d" % i, "w").write("x" * i)) for i in range(3)]
[t.start() for t in ts]
[t.join() for t in ts]
S
cd run
strace -f -ttt -T -y -o ../log python3 ../program.py || skip "strace may not trace here"
cd ..
expect_status 0 "$VALIDATE" import -q log -o log.trace
top=$PWD
for order in fs temporal; do
	rm -rf dir
	mkdir dir
	expect_status 0 "$VALIDATE" replay --order $order --prepare --dir dir log.trace
	(cd "dir$top/run" && find . -type f -printf '%p %s\n' | sort) >got ||
		fail "$order: nothing at dir$top/run"
	(cd run && find . -type f -printf '%p %s\n' | sort) | diff - got || fail "$order: the trees differ"
done
