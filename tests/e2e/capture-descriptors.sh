# SPDX-License-Identifier: GPL-3.0-or-later
# capture app, capture vfs and the import of strace recognise descriptors that are not files, such
# as pipes and sockets, made by a call that is not a request. capture app also finds the file of a
# descriptor that another process sent. A replay skips requests on such descriptors without a
# mismatch.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}
$compiler -w -O1 -o made "$SRCDIR/tests/programs/descriptors.c" -lutil || fail 'descriptors.c does not compile'

# known TRACE: each successful request has its object
known() {
	"$VALIDATE" info --csv csv "$1" >/dev/null
	[ "$(wc -l <csv)" -ge 40 ] || fail "$1: only $(wc -l <csv) lines"
	awk 'NR > 1 && !/,"*(path|descriptor)=/ && !/,(sync|fflush),/ && !/,E[A-Z]*,/' csv >unknown
	[ ! -s unknown ] || fail "$1: descriptors of unknown objects: $(cat unknown)"
}

mkdir in
(cd in && expect_status 0 "$VALIDATE" capture app -o ../app.trace -- ../made) || exit 1
known app.trace
for call in 'write,"descriptor=pipe:[[0-9]*];fd=[0-9]*;length=8",8' 'read,"descriptor=socket:[[0-9]*];fd=[0-9]*;length=8",8' \
	'read,"descriptor=anon_inode:[[]eventfd[]];' 'ftruncate,"descriptor=memfd:[[0-9]*];' 'fgets,"descriptor=pipe:' \
	'pread,"path=[^"]*in/sent;fd=[0-9]*;offset=0;length=9",9' 'write,"path=[^"]*in/sent;fd=[0-9]*;offset=9;length=4",4' \
	'write,"path=[^"]*in/own;fd=[0-9]*;offset=0;length=9",9' 'write,"path=[^"]*dev/pts;fd=[0-9]*;offset=0;length=8",8' \
	'read,"path=[^"]*dev/ptmx;fd=[0-9]*;offset=0;length=8",8' 'fstat,"path=[^"]*in/first;fd='; do
	grep -q ",$call" csv || fail "no call $call: $(cat csv)"
done
[ "$(grep -c ',write,"path=[^"]*in/sent;fd=[0-9]*;offset=9;length=4",4' csv)" -eq 4 ] || fail "files that were sent: $(grep in/sent csv)"
# the processes share the open file, and its position
! grep -q ',pread,"path=[^"]*in/fetched;' csv ||
	grep -q ',write,"path=[^"]*in/fetched;fd=[0-9]*;offset=13;length=3",3' csv || fail "position of a file that was taken: $(grep in/fetched csv)"
files() {
	(cd "$1" && stat -c '%n %a %s' fetched own sent)
}
files in >left
expect_line left 'sent 600 13'
replayed() { # TRACE OPTIONS...
	rm -rf target
	mkdir target
	expect_status 0 "$VALIDATE" replay --prepare --dir target "$@"
	expect_line out 'mismatches      0'
	files "target$PWD/in" | diff left - || fail "files of $*"
}
for options in '--order fs' '--order temporal' '--order temporal --processes'; do
	replayed app.trace $options
done

# the kernel's events, if they are available
if [ "$(id -u)" -eq 0 ] && [ -w /sys/kernel/tracing/instances ] && [ -e /sys/kernel/tracing/events/syscalls/sys_enter_pipe2 ] &&
	[ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ]; then
	(cd in && expect_status 0 "$VALIDATE" capture vfs -o ../vfs.trace -- ../made alone) || exit 1
	known vfs.trace
	! grep -q 'without a captured open' in/out || fail "$(cat in/out)"
	rm -rf target
	mkdir target
	expect_status 0 "$VALIDATE" replay --prepare --dir target vfs.trace
	expect_line out 'mismatches      0'
	for call in 'write,"descriptor=pipe2*:[[0-9]*];fd=[0-9]*;length=8",8' 'read,"descriptor=accept:[[0-9]*];fd=[0-9]*;length=8",8' \
		'read,"descriptor=eventfd2:' 'ftruncate,"descriptor=memfd_create:' 'write,"descriptor=ioctl:' 'fstat,"path=[^"]*in/first;fd='; do
		grep -q ",$call" csv || fail "capture vfs: no call $call: $(cat csv)"
	done

	# descriptors received from another process, and requests in memory that cannot be read, are at least reported
	(cd in && "$VALIDATE" capture vfs -o ../sent.trace -- ../made >../out) || fail "capture vfs: $(cat out)"
	n=$(sed -n 's/^warning *\([0-9]*\) calls use descriptors without a captured open.*/\1/p' out)
	"$VALIDATE" info --csv csv sent.trace >/dev/null
	[ "${n:-0}" -ge 8 ] && [ "$n" -eq "$(awk 'NR > 1 && !/,"*(path|descriptor)=/ && /,"fd=[0-9]/ && !/,E[A-Z]*,/' csv | wc -l)" ] || fail "sent descriptors: $(cat out csv)"
	if $compiler -w -O1 -o asked "$SRCDIR/tests/programs/aio.c" -laio; then
		(cd in && "$VALIDATE" capture vfs -o ../asked.trace -- ../asked libaio >../out) || fail "capture vfs: $(cat out)"
		"$VALIDATE" info --csv csv asked.trace >/dev/null
		n=$(awk -F , '/,io_submit,/ && $7 > 0 { n += $7 } END { print n + 0 }' csv)
		[ "$n" -ge 5 ] && [ "$(grep -c ',aio_' csv)" -eq "$n" ] || fail "asynchronous requests: $n; $(cat csv)"
		(cd in && "$VALIDATE" capture vfs --paths none -o ../asked.trace -- ../asked libaio >../out) || fail "capture vfs: $(cat out)"
		"$VALIDATE" info --csv csv asked.trace >/dev/null
		n=$(awk -F , '/,io_submit,/ && $7 > 0 { n += $7 } END { print n + 0 }' csv)
		[ "$n" -ge 5 ] && grep -q "^warning *$n asynchronous requests were submitted" out || fail "asynchronous requests: $n; $(cat out)"
	else
		echo 'libaio is not there'
	fi

	# if the numbers of a pair are not read, they are the lowest free numbers, also those of
	# standard streams
	pairs() {
		"$VALIDATE" info --csv - "$1" | grep -c ',"descriptor=\(pipe\|pipe2\|socketpair\):'
	}
	(cd in && expect_status 0 "$VALIDATE" capture vfs --paths none -o ../guessed.trace -- ../made alone) || exit 1
	[ "$(pairs vfs.trace)" -ge 20 ] && [ "$(pairs guessed.trace)" -eq "$(pairs vfs.trace)" ] ||
		fail "requests on pairs: $(pairs vfs.trace), and $(pairs guessed.trace) where their numbers are guessed"

	# a process that reads a file while its descriptors are looked up: the offset at which it
	# finds the end is the file's size
	$compiler -w -O1 -o attached "$SRCDIR/tests/programs/attached.c" || fail 'attached.c does not compile'
	head -c 30000000 /dev/zero >big
	./attached big &
	pid=$!
	"$VALIDATE" capture vfs -o attached.trace --pid $pid >attached.out &
	capturing=$!
	tries=0
	until grep -q '[0-9]' "/sys/kernel/tracing/instances/validate-$capturing/set_event_pid" 2>/dev/null || [ $tries -ge 300 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	sleep 0.3
	touch go
	wait $pid || fail "the watched program: status $?"
	wait $capturing || fail "capture of a running process: $(cat attached.out)"
	"$VALIDATE" info --csv csv attached.trace >/dev/null
	grep -q ',read,"path=[^"]*/big;fd=[0-9]*;offset=30000000;length=65536",0,' csv ||
		fail "where the file ends: $(grep -c /big csv) calls, $(grep /big csv | head -n 3) ... $(grep /big csv | tail -n 3)"
else
	echo 'the kernel lets nobody look at its events here'
fi

# strace shows no names here
command -v strace >/dev/null && strace -o probe true 2>/dev/null || exit 0
(cd in && strace -f -ttt -T -o ../made.strace ../made alone)
expect_status 0 "$VALIDATE" import made.strace -o strace.trace
! grep -q 'that the trace neither opens nor names' out || {
	"$VALIDATE" info --csv - strace.trace | grep '"fd=[3-9]' | head -n 5 >&2
	fail "$(cat out)"
}
"$VALIDATE" info --csv csv strace.trace >/dev/null
grep -q ',write,"descriptor=pipe2*:[[][0-9]*[]];fd=[0-9]*;length=8",8' csv && grep -q ',read,"descriptor=accept:' csv ||
	fail "pipes and sockets in strace's output: $(cat csv)"
rm -f in/sent in/fetched
(umask 022 && cd in && strace -f -ttt -T -y -o ../made.strace ../made)
expect_status 0 "$VALIDATE" import made.strace -o strace.trace
files in >left
(umask 022 && replayed strace.trace) || exit 1
