# SPDX-License-Identifier: GPL-3.0-or-later
# strace output without some threads, calls or its end is reported as incomplete. Other output is
# never reported as complete: the result states the scope of the check. Properties of files that
# strace does not show are named, too.
. "$SRCDIR/tests/e2e/lib.sh"

missing= # why the last trace is incomplete
whole='no sign of missing requests; the capture method always omits calls that a filter of strace left out (unless another call reveals them), lines removed from the output, and accesses to mapped memory'
look_at() { # LOG...: imports it
	expect_status 0 "$VALIDATE" import "$@" -o got.trace
	mv out import.out
	expect_status 0 "$VALIDATE" info got.trace
	mv out info.out
	missing=$(sed -n 's/^Health  *//p' info.out)
}
complete() { # LOG...
	look_at "$@"
	case $missing in "$whole" | "$whole; not known: "* | "$whole; not checked: "*) ;; *) fail "$*: $missing" ;; esac
}
incomplete() { # TEXT LOG...
	text=$1
	shift
	look_at "$@"
	case $missing in *'; the trace is incomplete: '*"$text"*) ;; *) fail "$*: $missing instead of $text" ;; esac
	expect_line import.out "$text"
	[ $# -gt 1 ] || {
		expect_status 0 "$VALIDATE" info "$1" # the foreign file itself
		expect_line out "$text"
	}
}

cat >whole.log <<'S'
10 1.000000 execve("/bin/p", ["p"], 0x7ffc /* 1 var */) = 0 <0.000001>
10 1.000010 openat(AT_FDCWD, "/d/a", O_RDONLY) = 3</d/a> <0.000001>
10 1.000020 clone(child_stack=NULL, flags=SIGCHLD) = 11 <0.000001>
11 1.000030 read(3</d/a>, "x", 1) = 1 <0.000001>
11 1.000040 exit_group(0) = ?
11 1.000050 +++ exited with 0 +++
10 1.000060 wait4(11, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 11 <0.000001>
10 1.000070 close(3</d/a>) = 0 <0.000001>
10 1.000080 openat(AT_FDCWD, "/d/b", O_RDONLY) = 3</d/b> <0.000001>
10 1.000090 exit_group(0) = ?
10 1.000100 +++ exited with 0 +++
S
complete whole.log
untraced='processes or threads that were started and not traced'
filtered='processes that end without a call to exit or exit_group, which shows that calls are missing'
reopened='descriptors that are opened twice or used after they were closed, which shows that calls are missing'
cut='threads whose end is missing, because the output of strace was truncated'

# without -f, or of files of -ff only some
grep -v '^11' whole.log >no-f.log
incomplete "$untraced: 1" no-f.log
grep -v '^10.*clone' whole.log | sed 's/^11/12/' >no-clone.log # seen, with an unknown parent
complete no-clone.log
grep '^10' whole.log | cut -d ' ' -f 2- >log.10
grep '^11' whole.log | cut -d ' ' -f 2- >log.11
incomplete "$untraced: 1" log.10
complete log.10 log.11

# -e trace=...: no exit; no close
grep -v exit_group whole.log >no-exit.log
incomplete "$filtered: 2" no-exit.log
grep -v 'close(' whole.log >no-close.log
incomplete "$reopened: 1" no-close.log
# no open: the names of -y show that a closed descriptor was opened again
sed '/close/a 10 1.000074 openat(AT_FDCWD, "/d/c", O_RDONLY) = 3</d/c> <0.000001>\
10 1.000075 read(3</d/c>, "x", 1) = 1 <0.000001>\
10 1.000076 close(3</d/c>) = 0 <0.000001>' whole.log >named.log
complete named.log
grep -v 'open' named.log >no-open.log
incomplete "$reopened: 1" no-open.log
# but another process may have passed the descriptor
sed '/close/a 10 1.000073 recvmsg(9<socket:[1]>, {msg_name=NULL}, 0) = 1 <0.000001>' no-open.log >passed.log
complete passed.log
# the child ends before vfork returns
sed 's/ clone(.*/ vfork( <unfinished ...>/; /^11.*exited/a 10 1.000055 <... vfork resumed>) = 11 <0.000035>' whole.log >vfork.log
complete vfork.log
grep -v 'close(' vfork.log >no-close.log
incomplete "$reopened: 1" no-close.log
# a thread may end the process, of which -ff shows only its own calls
grep -v exit_group log.11 >thread.11
complete thread.11

# cut: at a line, within a line, in a duration
head -n 8 whole.log >cut.log
incomplete "$cut: 1" cut.log
head -n 4 whole.log >cut.log
incomplete "$cut: 2" cut.log
head -n 8 whole.log | head -c -6 >cut.log
incomplete "$cut: " cut.log
# but strace may detach
sed '/^10 1.00008/,$d' whole.log >detached.log
echo '10 1.000090 read(0,  <detached ...>' >>detached.log
complete detached.log
# quiet about ends of processes (-qq)
grep -v '+++' whole.log >quiet.log
complete quiet.log

# in a PID namespace a clone returns another number than that of the child's lines
sed 's/= 11 </= 2 </' whole.log >namespace.log
complete namespace.log
sed 's/\(clone(.*\)) = 11 .*/\1 <unfinished ...>/; /^11.*read/a10 1.000035 <... clone resumed>) = 2 <0.000015>' \
	whole.log >namespace.log
complete namespace.log

# the position that lseek returns shows that reads or writes are missing
contradict='calls that contradict earlier calls, which shows that calls are missing'
sed '/read(/d; /d\/b/a 10 1.000081 read(3</d/b>, "x"..., 100) = 60 <0.000001>\
10 1.000082 write(3</d/b>, "x"..., 4) = 4 <0.000001>\
10 1.000083 lseek(3</d/b>, 6, SEEK_CUR) = 70 <0.000001>\
10 1.000084 lseek(3</d/b>, -30, SEEK_CUR) = 40 <0.000001>\
10 1.000085 lseek(3</d/b>, 0, SEEK_END) = 500 <0.000001>\
10 1.000086 lseek(3</d/b>, 0, SEEK_CUR) = 500 <0.000001>' whole.log >moved.log
complete moved.log
for call in 'read(' 'write('; do
	grep -vF "$call" moved.log >lacks.log
	incomplete "$contradict: 1" lacks.log
done
grep -v 'SEEK_END' moved.log >lacks.log
incomplete "$contradict: 1" lacks.log
# but another process may have moved it, and a device has no position
sed 's/"\/d\/a", O_RDONLY/"\/d\/a", O_RDWR/; /^11.*read/a11 1.000035 lseek(3</d/a>, 0, SEEK_CUR) = 17 <0.000001>' whole.log >shared.log
sed -i '/^11.*clone/d; /clone/i10 1.000015 read(3</d/a>, "x", 1) = 1 <0.000001>' shared.log
complete shared.log
sed 's/<\/d\/b>/<\/dev\/null>/; s/"\/d\/b"/"\/dev\/null"/; s/ = 70 / = 0 /' moved.log >device.log
complete device.log
# the loader of glibc reads and examines each library before it maps it
cat >loader.log <<'S'
10 1.000000 execve("/bin/p", ["p"], 0x7ffc /* 1 var */) = 0 <0.000001>
10 1.000001 brk(NULL) = 0x5555 <0.000001>
10 1.000010 openat(AT_FDCWD, "/lib/libc.so.6", O_RDONLY|O_CLOEXEC) = 3</lib/libc.so.6> <0.000001>
10 1.000020 read(3</lib/libc.so.6>, "\177ELF"..., 832) = 832 <0.000001>
10 1.000030 newfstatat(3</lib/libc.so.6>, "", {st_mode=S_IFREG|0755, st_size=9000, ...}, AT_EMPTY_PATH) = 0 <0.000001>
10 1.000040 mmap(NULL, 9000, PROT_READ, MAP_PRIVATE|MAP_DENYWRITE, 3</lib/libc.so.6>, 0) = 0x7f00 <0.000001>
10 1.000050 mmap(0x7f00, 4096, PROT_READ|PROT_EXEC, MAP_PRIVATE|MAP_FIXED|MAP_DENYWRITE, 3</lib/libc.so.6>, 0) = 0x7f00 <0.000001>
10 1.000060 close(3</lib/libc.so.6>) = 0 <0.000001>
10 1.000090 exit_group(0) = ?
10 1.000100 +++ exited with 0 +++
S
complete loader.log
! grep -q 'not checked' info.out || fail "a log with all calls: $missing"
for call in read fstat; do
	grep -v "$call" loader.log >lacks.log
	incomplete "$contradict: 1" lacks.log
done
# a filter that keeps the calls on files is named
grep -v brk loader.log >filter.log
complete filter.log
expect_line info.out 'not checked: processes with calls on files only: strace probably had a filter, so calls on files may also be missing: 1'

# lines that an import with --lenient left out
sed '4s/= 1 .*/ = /' whole.log >unread.log
look_at --lenient 5 unread.log
expect_line info.out 'the trace is incomplete: lines that could not be read and were left out: 1'
expect_status 0 "$VALIDATE" info --lenient 5 unread.log
expect_line out 'the trace is incomplete: 1 line that could not be read was left out'
expect_status 0 "$VALIDATE" slice got.trace whole.log -o both.trace
expect_status 0 "$VALIDATE" info both.trace
expect_line out 'the trace is incomplete: lines that could not be read and were left out: 1'

# calls on descriptors without a name
sed 's/read(3<[^>]*>/read(5/' whole.log >no-y.log
sed 's/read(3<[^>]*>, "x", 1) = 1/close(5) = -1 EBADF (Bad file descriptor)/' whole.log >closed.log
complete closed.log
incomplete 'calls on descriptors that the trace neither opens nor names: 1' no-y.log

# an export of an incomplete trace is incomplete, too
for log in whole no-f; do
	expect_status 0 "$VALIDATE" import $log.log -o $log.trace
	expect_status 0 "$VALIDATE" export -q --to strace $log.trace -o $log.again
done
complete whole.again
incomplete "$cut" no-f.again

# so is a replay trace of it; JSON calls a trace complete only if the method shows all requests
json_complete() { # VALUE TRACE
	expect_status 0 "$VALIDATE" info --json "$2"
	expect_line out "\"complete\": $1,"
	expect_status 0 "$VALIDATE" metrics --json "$2" "$2"
	[ "$(grep -c "\"complete\": $1," out)" -eq 2 ] || fail "metrics of $2: $(grep complete out)"
}
for log in whole no-f; do
	rm -rf replayed
	mkdir replayed
	expect_status 0 "$VALIDATE" replay --prepare --dir replayed -o $log.replayed $log.trace
done
json_complete null whole.trace
json_complete false no-f.trace
json_complete true whole.replayed
json_complete false no-f.replayed
expect_status 0 "$VALIDATE" info no-f.replayed
expect_line out "the trace is incomplete: $untraced: 1"

# so are slices, also anonymised ones and those of several traces
expect_status 0 "$VALIDATE" slice --anonymise no-f.trace -o part.trace
expect_status 0 "$VALIDATE" info part.trace
expect_line out "the trace is incomplete: $untraced: 1"
expect_status 0 "$VALIDATE" slice whole.trace no-f.trace -o part.trace
expect_status 0 "$VALIDATE" info part.trace
expect_line out "the trace is incomplete: $untraced: 1"
expect_status 0 "$VALIDATE" slice --anonymise whole.trace -o part.trace
expect_status 0 "$VALIDATE" info part.trace
expect_line out 'Health     no sign of missing requests; the capture method always omits '

# --- properties that no call shows ---
cat >unknown.log <<'S'
10 1.000000 execve("/bin/p", ["p"], 0x7ffc /* 1 var */) = 0 <0.000001>
10 1.000010 openat(AT_FDCWD, "/d/new", O_WRONLY|O_CREAT, 0666) = 3</d/new> <0.000001>
10 1.000020 stat("/d/a", {st_mode=S_IFREG|0644, st_size=5, ...}) = 0 <0.000001>
10 1.000030 lstat("/d/link", {st_mode=S_IFLNK|0777, st_size=4, ...}) = 0 <0.000001>
10 1.000040 access("/d/link", R_OK) = 0 <0.000001>
10 1.000090 exit_group(0) = ?
10 1.000100 +++ exited with 0 +++
S
umask='files created with an unknown umask'
links='files that may have other names (hard links)'
targets='symbolic links that calls follow, but whose target is unknown'
complete unknown.log
for text in "$umask: 1" "$links: 1" "$targets: 1"; do
	expect_line import.out "$text"
	expect_line info.out "$text"
	"$VALIDATE" info --json got.trace >json
	expect_line json "$text"
done
# the first umask returns the umask before it
sed '/new/a10 1.000015 umask(0) = 027 <0.000001>' unknown.log >umask.log
complete umask.log
! grep -q "$umask" info.out || fail "umask: $missing"
mkdir dir
(umask 0 && expect_status 0 "$VALIDATE" replay --prepare --dir dir got.trace)
[ "$(stat -c %a dir/d/new)" = 640 ] || fail "permissions under the umask that the first umask(2) returned: $(stat -c %a dir/d/new)"
# readlink shows the target
sed '/lstat/a10 1.000035 readlink("/d/link", "to/b", 99) = 4 <0.000001>' unknown.log >readlink.log
complete readlink.log
! grep -q "$targets" info.out || fail "a link: $missing"
# a directory before ".." may be a link, unless a call shows that it is none, or shows its text
cat >parents.log <<'S'
10 1.000000 openat(AT_FDCWD, "/w/unclear/../f", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000001>
10 1.000001 lstat("/w/b", {st_mode=S_IFDIR|0755, st_size=40, ...}) = 0 <0.000001>
10 1.000002 readlink("/w/c", 0x7ffc, 99) = -1 EINVAL (Invalid argument) <0.000001>
10 1.000003 mkdir("/w/d", 0755) = 0 <0.000001>
10 1.000004 openat(AT_FDCWD, "/w/e", O_RDONLY|O_NOFOLLOW|O_DIRECTORY) = 3 <0.000001>
10 1.000005 symlink("e", "/w/g") = 0 <0.000001>
10 1.000006 openat(AT_FDCWD, "/w/h/file", O_RDONLY) = 4</w/h/file> <0.000001>
10 1.000007 openat(AT_FDCWD, "/w/i/../f", O_RDONLY) = 5</w/f> <0.000001>
10 1.000008 openat(AT_FDCWD, "/w/j/../f", O_RDONLY) = 6</other/f> <0.000001>
10 1.000009 openat(AT_FDCWD, "/w/k/l/../../f", O_RDONLY) = 7</w/f> <0.000001>
10 1.000010 access("/w/b/../f", F_OK) = -1 ENOENT (No such file or directory) <0.000001>
10 1.000011 access("/w/c/../f", F_OK) = -1 ENOENT (No such file or directory) <0.000001>
10 1.000012 access("/w/d/../f", F_OK) = -1 ENOENT (No such file or directory) <0.000001>
10 1.000013 access("/w/e/../f", F_OK) = -1 ENOENT (No such file or directory) <0.000001>
10 1.000014 access("/w/g/../f", F_OK) = -1 ENOENT (No such file or directory) <0.000001>
10 1.000015 access("/w/h/../f", F_OK) = -1 ENOENT (No such file or directory) <0.000001>
10 1.000016 chdir("/w/n") = 0 <0.000001>
10 1.000017 access("../f", F_OK) = -1 ENOENT (No such file or directory) <0.000001>
10 1.000090 exit_group(0) = ?
10 1.000100 +++ exited with 0 +++
S
parents='directories before ".." that may be symbolic links'
complete parents.log
expect_line info.out "; $parents: 2"
# getcwd shows the working directory without links
sed '/chdir/a10 1.000016 getcwd("/w/n", 4096) = 5 <0.000001>' parents.log >getcwd.log
complete getcwd.log
expect_line info.out "; $parents: 1"
# a process that shares its descriptors with another process
sed '1i10 0.999000 clone(child_stack=0x7e00, flags=CLONE_VM|CLONE_FILES|SIGCHLD) = 11 <0.000001>' parents.log >shares.log
printf '%s\n' '11 1.000110 exit_group(0) = ?' '11 1.000120 +++ exited with 0 +++' >>shares.log
incomplete 'threads or processes that share descriptors' shares.log

# -v shows which names are one file
cat >names.log <<'S'
10 1.000000 stat("/d/a", {st_dev=makedev(0xfe, 0), st_ino=17, st_mode=S_IFREG|0644, st_nlink=2, st_size=5}) = 0 <0.000001>
10 1.000010 stat("/d/b", {st_dev=makedev(0xfe, 0), st_ino=17, st_mode=S_IFREG|0644, st_nlink=2, st_size=5}) = 0 <0.000001>
10 1.000020 statx(AT_FDCWD, "/d/c", 0, STATX_ALL, {stx_mask=STATX_ALL, stx_nlink=2, stx_mode=S_IFREG|0644, stx_ino=17, stx_size=5, stx_dev_major=254, stx_dev_minor=1}) = 0 <0.000001>
10 1.000030 stat("/d/d", {st_dev=makedev(0xfe, 0x1), st_ino=17, st_mode=S_IFREG|0644, st_nlink=2, st_size=5}) = 0 <0.000001>
10 1.000040 stat("/d/alone", {st_dev=makedev(0xfe, 0), st_ino=18, st_mode=S_IFREG|0644, st_nlink=1, st_size=5}) = 0 <0.000001>
10 1.000090 exit_group(0) = ?
10 1.000100 +++ exited with 0 +++
S
complete names.log
[ "$missing" = "$whole" ] || fail "with -v: $missing"
# but not if an earlier call changed one of the files
sed '1i10 0.999000 truncate("/d/b", 5) = 0 <0.000001>' names.log >changed.log
complete changed.log
expect_line info.out "not known: $links: 1"
complete names.log
rm -rf dir
mkdir dir
expect_status 0 "$VALIDATE" replay --prepare --dir dir got.trace
expect_line out 'mismatches      0'
[ "$(stat -c '%n %h' dir/d/* | tr '\n' ' ')" = 'dir/d/a 2 dir/d/alone 1 dir/d/b 2 dir/d/c 2 dir/d/d 2 ' ] &&
	[ dir/d/a -ef dir/d/b ] && [ dir/d/c -ef dir/d/d ] || fail "names: $(stat -c '%n %h %i' dir/d/*)"

# --- the same with logs that the installed strace writes ---
command -v strace >/dev/null || skip 'strace is not installed: only logs made by hand were read'
strace -o probe true 2>/dev/null || skip 'strace may not trace here: only logs made by hand were read'
echo text >file
traced() { # OPTION... : of a shell with children
	strace "$@" -ttt -T -o real.log sh -c 'cat file >copy; cat file >>copy; (cat copy; true) >more; exec cat more' >/dev/null 2>&1
}
traced -f -y
complete real.log
traced -f -y -v
complete real.log
! grep -q 'hard links' info.out || fail "strace -v: $missing"
traced -f -qqq
complete real.log
traced -y
incomplete "$untraced" real.log
traced -f -y -e trace=openat,read,write
incomplete "$filtered" real.log
traced -f -y -e trace=%file,%process
incomplete "$reopened" real.log
traced -f -y -z
incomplete "$filtered" real.log
traced -f -y
! grep -q 'not checked' info.out || fail "no filter: $missing"
for call in read newfstatat,fstat; do
	traced -f -y -e "!$call"
	incomplete "$contradict: " real.log
done
traced -f -y -e trace=%file,%desc,%process
complete real.log
expect_line info.out 'not checked: processes with calls on files only'
traced -f -y
head -n "$(($(wc -l <real.log) / 2))" real.log >cut.log
incomplete "$cut" cut.log
rm -f real.log.*
traced -ff -y
complete real.log.[0-9]*
for file in real.log.[0-9]*; do
	! grep -q 'clone\|fork' "$file" || incomplete "$untraced" "$file"
done
