# SPDX-License-Identifier: GPL-3.0-or-later
# capture app on rings that a program sets up and maps itself, by syscall(2) and mmap(2): each entry
# becomes a request or the equivalent call. Entries that could not be read count as lost.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}
$compiler -w -O1 -o ring "$SRCDIR/tests/programs/ring.c" -pthread || skip 'ring.c does not compile here'
mkdir probed
(cd probed && ../ring plain >../probe) || fail 'ring.c fails without a capture'
! grep -q '^skip' probe || skip "$(cat probe)"

captured() { # ARGUMENT...: in ./in, to ./trace and ./csv
	rm -rf in
	mkdir in
	cd in
	expect_status 0 "$VALIDATE" capture app --root . --snapshot -o ../trace -- ../ring "$@"
	mv out err ..
	cd ..
	! grep -q 'direct system call' out || fail "a ring that is seen is called unseen: $(cat out)"
	"$VALIDATE" info trace --csv csv >/dev/null
	"$VALIDATE" info trace >info
}
count() {
	grep -c "$1" csv || true
}
replayed() { # the tree is the one that the program left
	for order in fs temporal; do
		for engine in event compiled; do
			rm -rf dir
			mkdir dir
			expect_status 0 "$VALIDATE" replay --engine $engine --order $order --prepare --dir dir trace
			expect_line out 'mismatches      0'
			(cd dir && find . -printf '%y %m %s %p %l\n' | sed 's/^d \([0-9]*\) [0-9]*/d \1/' | sort) >got
			(cd in && find . -printf '%y %m %s %p %l\n' | sed 's/^d \([0-9]*\) [0-9]*/d \1/' | sort) |
				grep -v ' \.*/\(out\|err\) ' >want
			diff want got || fail "$order, $engine: the trees differ"
		done
	done
}

for how in plain polled vfork; do
	captured $how
	grep -q '^Health     no sign of missing requests; the capture method always omits ' info || fail "not complete, $how: $(grep Health info)"
	[ "$(count ',aio_read,"path=ringed;fd=[0-9]*;offset=[0-9]*;length=4096",4096,')" -eq 50 ] ||
		fail "reads, $how: $(cat csv)"
	[ "$(count ',aio_write,"path=ringed;fd=[0-9]*;offset=[0-9]*;length=4096",4096,')" -eq 50 ] ||
		fail "writes, $how: $(cat csv)"
	for i in 0 1 49; do
		[ "$(count ";offset=$((i * 4096));")" -eq 2 ] || fail "block $i, $how"
	done
	awk -F , 'NR > 1 && $5 ~ /^aio_/ && ($4 == "" || $4 < $3) { print; exit 1 }' csv ||
		fail 'a request without a right end'
	replayed
done

# results that the program takes after its last call are recorded when it ends
for end in exit _exit _Exit quick_exit exit_group exec; do
	captured late $end
	grep -q '^Health     no sign of missing requests; ' info || fail "not complete, $end: $(grep Health info)"
	[ "$(count ',aio_write,"path=ringed;fd=[0-9]*;offset=[0-9]*;length=4096",4096,')" -eq 8 ] ||
		fail "writes before $end: $(cat csv)"
done

# one thread submits, and another thread fetches the results: each request has one
captured threads
grep -q '^Health     no sign of missing requests; ' info || fail "not complete, threads: $(grep Health info)"
[ "$(count ',aio_read,"path=ringed;fd=[0-9]*;offset=[0-9]*;length=4096",4096,')" -eq 20000 ] ||
	fail "reads of two threads: $(grep ',aio_read,' csv | grep -v ',4096,' | head -n 5)"
awk -F , 'NR > 1 && $5 ~ /^aio_/ && ($4 == "" || $4 < $3) { print; exit 1 }' csv >wrong ||
	fail "a request without a right end: $(cat wrong)"

# rings that are never mapped
captured probe
expect_line out 'ended with status 0'

# entries that stand for calls become those calls, with their paths, results and positions
for how in '' polled; do
	captured named $how
	cut -d, -f5-7 csv | sed -n '2,$s/;fd=[0-9]*//p' >calls
	for call in 'mkdir,"path=dir;mode=0700;umask=[0-7]*",0' 'open,"path=dir/f;mode=0640;' 'write,"path=dir/f;fd=[0-9]*;offset=300;length=50",50' \
		'writev,"path=dir/f;fd=[0-9]*;offset=0;length=300' 'read,"path=dir/f;fd=[0-9]*;offset=10;length=1000",340' 'statx,"path=dir/f;' \
		'close,"path=dir/f;' 'rename,"path=dir/f;' 'link,"path=dir/g;' 'symlink,"path=dir/s;' 'unlink,"path=dir/g;' 'open,"path=none;.*ENOENT'; do
		[ "$(count ",$call")" -eq 1 ] || fail "no $call: $(cat csv)"
	done
	replayed
done

# more entries between two calls than places: overwritten entries are counted, and the trace is
# incomplete
captured overrun
expect_line out '16 requests are lost: the trace is incomplete'
grep -q '^Health     the file is complete; the trace is incomplete: 16 events were lost' info ||
	fail "$(grep Health info)"
[ "$(count ',aio_write,')" -eq 9 ] || fail "the first and the last 8 entries: $(cat csv)"

# strace does not record requests through a ring, and import reports it, also if no call submits
# them
cat >polled.strace <<'S'
10 1.000000 openat(AT_FDCWD</w>, "a", O_RDWR|O_CREAT, 0644) = 3</w/a> <0.000001>
10 1.000010 io_uring_setup(64, {flags=IORING_SETUP_SQPOLL, sq_entries=64}) = 4<anon_inode:[io_uring]> <0.000002>
10 1.000020 close(3</w/a>) = 0 <0.000001>
S
sed 's/^10/11/' polled.strace >other.strace
expect_status 0 "$VALIDATE" import -q polled.strace -o polled.trace
expect_status 0 "$VALIDATE" import -q polled.strace other.strace -o both.trace
for t in polled.strace polled.trace; do
	"$VALIDATE" info $t >info
	expect_line info 'the file is complete; the trace is incomplete: 1 instance of io_uring was set up'
done
"$VALIDATE" info both.trace >info
expect_line info 'the trace is incomplete: 2 instances of io_uring were set up'
