# SPDX-License-Identifier: GPL-3.0-or-later
# capture vfs on rings of io_uring: the trace contains each entry that the kernel takes, even if a
# kernel thread takes it or the program overwrites it at once. Rings that cannot be read are
# counted.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}
[ "$(id -u)" -eq 0 ] || skip "tracefs needs root"
[ -w /sys/kernel/tracing/instances ] || skip "no tracefs at /sys/kernel/tracing that may be used"
[ -e /sys/kernel/tracing/events/io_uring/io_uring_submit_req ] || skip "this kernel has no io_uring"
[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel does not publish its types (BTF)"
[ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ] || skip "this is a PID namespace of its own"
grep -q user_notif /proc/sys/kernel/seccomp/actions_avail || skip "no user_notif of seccomp"
$compiler -w -O1 -o ring "$SRCDIR/tests/programs/ring.c" || skip 'ring.c does not compile here'
mkdir probed
(cd probed && ../ring plain >../probe) || fail 'ring.c fails without a capture'
! grep -q '^skip' probe || skip "$(cat probe)"
work=$PWD

captured() { # OPTION... -- ARGUMENT...: in ./in, to ./trace and ./csv
	rm -rf in
	mkdir in
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	cd in
	"$VALIDATE" capture vfs $options -o ../trace -- ../ring "$@" >../out 2>../err ||
		fail "$(cat ../err)"
	cd ..
	! grep -q 'cannot be read on this machine' out || skip "$(grep 'cannot be read' out)"
	"$VALIDATE" info trace --csv all >/dev/null
	sed "s|${work#/}/in/||" all >csv
	"$VALIDATE" info trace >info
}
count() {
	grep -c "$1" csv || true
}
complete() {
	grep -q '^Health     no sign of missing requests; the capture method always omits ' info || fail "not complete: $(grep Health info)"
}
tree() { # DIRECTORY
	(cd "$1" && find . -printf '%y %m %s %p %l\n' | sed 's/^d \([0-9]*\) [0-9]*/d \1/' | sort)
}
replayed() { # the tree is the one that the program left
	for order in fs temporal; do
		rm -rf dir
		mkdir dir
		expect_status 0 "$VALIDATE" replay --order $order --prepare --dir dir trace
		expect_line out 'mismatches      0'
		tree "dir$work/in" >got
		tree in >want
		diff want got || fail "$order: the trees differ"
	done
}

for how in plain polled; do
	captured --snapshot -- $how
	complete
	for op in read write; do
		request=",aio_$op,\"path=ringed;fd=[0-9]*;offset=[0-9]*;length=4096\",4096,"
		[ "$(count "$request")" -eq 50 ] ||
			fail "$op, $how: $(grep ringed csv)"
	done
	for i in 0 1 49; do
		[ "$(count "path=ringed;fd=[0-9]*;offset=$((i * 4096));")" -eq 2 ] || fail "block $i, $how"
	done
	replayed
done

for how in '' polled; do
	captured --snapshot -- named $how
	complete
	for call in 'mkdir,"path=dir;mode=0700;umask=0[0-7]*",0' 'open,"path=dir/f;mode=0640;' \
		'write,"path=dir/f;fd=[0-9]*;offset=300;length=50",50' \
		'writev,"path=dir/f;fd=[0-9]*;offset=0;length=300' \
		'read,"path=dir/f;fd=[0-9]*;offset=10;length=1000",340' 'statx,"path=dir/f;' \
		'close,"path=dir/f;' 'rename,"path=dir/f;' 'link,"path=dir/g;' \
		'symlink,"path=dir/s;' 'unlink,"path=dir/g;' 'open,"path=none;.*ENOENT'; do
		[ "$(count ",$call")" -eq 1 ] || fail "no $call: $(cat csv)"
	done
	replayed
done

# entries that are overwritten before any observer outside could read the ring
captured -- overrun
complete
[ "$(count ',aio_write,')" -eq 25 ] || fail "all entries: $(grep aio_ csv)"

# without BPF rings are not read: a message reports it, and the trace is incomplete
captured --paths none -- plain
expect_line out '1 instance of io_uring was set up'
expect_line info 'the file is complete; the trace is incomplete:'
