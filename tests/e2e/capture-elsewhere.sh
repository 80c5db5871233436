# SPDX-License-Identifier: GPL-3.0-or-later
# Paths whose file depends on more than the path: /dev/stdout, /proc/self/fd/N, /proc/self/cwd, ".."
# after a symbolic link, openat2 below a root, files without a name. The replays of capture app,
# capture vfs and strace leave the files of the program. A trace of a program that mounts a file
# system is incomplete; so is a trace of capture app of a thread with its own working directory. A
# mismatch for a limit of the process has a reason. File actions of posix_spawn are replayed; after a
# failed posix_spawn, the trace is incomplete.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
${CC:-cc} -w -O1 -pthread -o elsewhere "$SRCDIR/tests/programs/elsewhere.c" ||
	fail 'elsewhere.c does not compile'
# a directory of PATH that this user may not read would fail in another way in a replay
PATH=/usr/local/bin:/usr/bin:/bin

made() { # DIR: its files before
	mkdir -p "$1/a/b" "$1/down"
	echo longer >"$1/a/f"
	echo x >"$1/f"
	ln -s a/b "$1/link"
	ln -s ../a/b "$1/down/far"
}

cat >command.sh <<'S'
echo one >out1
{ echo longer than one; echo one >/dev/stdout; echo two >>/dev/stdout; } >out1
{ echo three >/dev/fd/3; echo four >>/proc/self/fd/3; } 3>out3
exec 4>out4
sh -c "echo five >/proc/$$/fd/4"
exec 4>&-
exec 5<>gone
rm gone
echo long >/dev/fd/5
exec 5>&-
echo six >/proc/self/cwd/out6
cat <f /dev/stdin >>out6
cat link/../f >seen
mkdir swap
cat swap/../f >>seen
rmdir swap
ln -s a/b swap
echo more >>link/../f
mkdir link/../made
mv link/../f link/../moved
ln link/../moved link/../hard
readlink down/far
cd down/far
echo seven >../seven
cd ../..
rm link
ln -s down/new link
mkdir -p down/new
echo eight >link/../eight
rm link
../elsewhere
S

tree() {
	(cd "$1" && find . -mindepth 1 ! -path ./out ! -path ./err -printf '%P %y %m %s %n %l\n' | sort)
}

replayed() { # NAME: compares the replay with the files that the program left in ./in
	tree in >left
	if grep -q '^made d' left; then fail "$1: made is not in a"; fi
	grep -q '^a/made d' left || fail "the program: $(cat left)"
	rm -rf target
	mkdir target
	expect_status 0 "$VALIDATE" replay --prepare --dir target "$1.trace"
	expect_line out 'mismatches      0'
	tree "target$PWD/in" >replayed
	[ -z "${2:-}" ] || { # without a snapshot, the initial links are unknown
		grep -v ' l ' left >left.files
		mv left.files left
		grep -v ' l ' replayed >replayed.files
		mv replayed.files replayed
	}
	diff left replayed >differs || fail "$1: $(cat differs)"
}

traced() { # whether the kernel's events are available
	[ "$(id -u)" -eq 0 ] && [ -w /sys/kernel/tracing/instances ] &&
		[ -e /sys/kernel/tracing/events/syscalls/sys_enter_pipe2 ] &&
		[ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ]
}

fresh() {
	rm -rf in
	made in
}

methods=app
! traced || methods='app vfs'
for method in $methods; do
	fresh
	(cd in && expect_status 0 "$VALIDATE" capture $method --snapshot -o ../$method.trace -- sh -e ../command.sh) || exit 1
	! grep '^command.*\(signal\|status [1-9]\)' in/out || fail "the program failed: $(cat in/out in/err)"
	replayed $method
	[ "$(uname -m)" != x86_64 ] || [ "$("$VALIDATE" info --csv - $method.trace | grep -c ',utimens,')" -eq 3 ] ||
		fail "$method: calls that set times: $("$VALIDATE" info --csv - $method.trace | grep utim)"
done
if command -v strace >/dev/null && strace -o probe true; then
	fresh
	(cd in && strace -f -yy -v -s 256 -ttt -T -o ../log sh -e ../command.sh) || fail 'strace failed'
	expect_status 0 "$VALIDATE" import log -o strace.trace
	replayed strace files
fi

# file actions of posix_spawn
for method in $methods; do
	for options in --snapshot ''; do
		rm -rf in target
		mkdir in target
		echo long >in/cut
		(cd in && umask 022 && expect_status 0 "$VALIDATE" capture $method $options -o ../spawns.trace -- ../elsewhere spawns) || exit 1
		expect_line in/out 'ended with status 0'
		expect_status 0 "$VALIDATE" info spawns.trace
		expect_line out 'no sign of missing requests'
		tree in >left
		grep -q '^output f 640 5' left || fail "the program: $(cat left)"
		expect_status 0 "$VALIDATE" replay --prepare --dir target spawns.trace
		expect_line out 'mismatches      0'
		tree "target$PWD/in" >replayed
		diff left replayed >differs || fail "$method $options: $(cat differs)"
	done
done

# names or descriptors that mean other files after a call
incomplete() { # NAME TEXT
	expect_status 0 "$VALIDATE" info "$1.trace"
	expect_line out "the trace is incomplete: $2"
}
rm -rf in
mkdir in
echo long >in/cut
(cd in && expect_status 0 "$VALIDATE" capture app -o ../failed.trace -- ../elsewhere spawns /none/such) || exit 1
expect_line in/out 'ended with status 0'
expect_line in/out '1 call to posix_spawn failed'
incomplete failed 'calls to posix_spawn that failed'
for method in $methods; do
	rm -rf in
	mkdir in
	(cd in && expect_status 0 "$VALIDATE" capture $method -o ../own.trace -- ../elsewhere own) || exit 1
	if [ $method = app ]; then
		expect_line in/out 'shares descriptors or the working directory in an unusual way'
		incomplete own 'threads or processes that share'
	else # the working directory of each thread is followed
		expect_status 0 "$VALIDATE" info own.trace
		expect_line out 'no sign of missing requests'
		rm -rf target
		mkdir target
		expect_status 0 "$VALIDATE" replay --prepare --dir target own.trace
		expect_line out 'mismatches      0'
		[ -f "target$PWD/in/own/file" ] || fail "a thread with its own working directory: $(find target)"
	fi
done
if unshare -m mount -t tmpfs none /mnt 2>/dev/null; then
	mkdir -p mounted/at
	for method in $methods; do
		(cd mounted && expect_status 0 "$VALIDATE" capture $method -o ../mounts.trace -- unshare -m sh -ec \
			'mount --bind at /mnt; echo text >/mnt/file') || exit 1
		expect_line mounted/out 'mounted or unmounted'
		incomplete mounts 'calls that mounted or unmounted file systems'
	done
	! [ -e log ] || {
		strace -f -yy -ttt -o log unshare -m mount -t tmpfs none /mnt
		expect_status 0 "$VALIDATE" import log -o mounts.trace
		incomplete mounts 'calls that mounted or unmounted file systems'
	}
	# mounts of /proc do not count
	(cd mounted && expect_status 0 "$VALIDATE" capture app -o ../proc.trace -- unshare -m mount -t proc proc /proc) || exit 1
	expect_status 0 "$VALIDATE" info proc.trace
	expect_line out 'no sign of missing requests'
fi

# a limit of the process
mkdir limited goal
(cd limited && expect_status 0 "$VALIDATE" capture app --root . -o ../limited.trace -- ../elsewhere many) || exit 1
expect_status 0 "$VALIDATE" replay --prepare --dir goal limited.trace
expect_line out 'mismatches      1'
expect_line out 'note: 1 of them failed or wrote less in the traced run because of a limit'

# the replay has one directory for names that were on two file systems. An exec closes a descriptor,
# and its number then belongs to a pipe
cat >two.log <<'S'
10 1.000000 creat("/one/file", 0644) = 3 <0.000001>
10 1.000010 rename("/one/file", "/two/file") = -1 EXDEV (Invalid cross-device link) <0.000001>
10 1.000020 openat(AT_FDCWD, "/script", O_RDONLY|O_CLOEXEC) = 11 <0.000001>
10 1.000030 read(11, "text", 100) = 4 <0.000001>
10 1.000040 rename("/one/file", "/one/new") = 0 <0.000001>
10 1.000050 execve("/bin/program", ["program"], []) = 0 <0.000001>
10 1.000060 read(11<pipe:[5]>, 0x1000, 32) = -1 EAGAIN (Resource temporarily unavailable) <0.000001>
10 1.000070 exit_group(0) = ?
S
expect_status 0 "$VALIDATE" import two.log -o two.trace
mkdir both
expect_status 0 "$VALIDATE" replay --prepare --dir both two.trace
expect_line out 'mismatches      0'
expect_line out 'calls between two file systems (EXDEV) 1'
[ -e both/one/new ] && [ ! -e both/two/file ] || fail "the rename was replayed: $(find both)"
