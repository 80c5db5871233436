# SPDX-License-Identifier: GPL-3.0-or-later
# capture app on requests through liburing: each becomes one request, from the call that submits it
# to the call after which its result was available.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}
$compiler -w -O1 -o uring "$SRCDIR/tests/programs/uring.c" -luring -pthread 2>/dev/null || skip 'no liburing to compile with'
mkdir in
cd in
../uring plain >../probe
! grep -q '^skip' ../probe || skip "$(cat ../probe)"

capture() {
	expect_status 0 "$VALIDATE" capture app -o ../trace "$@"
	"$VALIDATE" info ../trace --csv ../csv >/dev/null
	"$VALIDATE" info ../trace >../info
	grep -q 'Lost  *no events' ../info || fail 'events are lost'
	! grep -q 'without liburing\|direct system call' out || fail "false alarm: $(cat out)"
	# function, begin, end: each request has an end, and not before its begin
	awk -F , 'NR > 1 && $5 ~ /^aio_/ && ($4 == "" || $4 <= $3) { print; exit 1 }' ../csv || fail 'a request without a right end'
}
count() {
	grep -c "$1" ../csv || true
}

for how in plain fixed polled; do
	capture --root . -- ../uring $how
	[ "$(count ',aio_read,"path=ringed;fd=4;offset=[0-9]*;length=4096",4096,')" -eq 50 ] || fail "reads, $how: $(cat ../csv)"
	[ "$(count ',aio_write,"path=ringed;fd=4;offset=[0-9]*;length=4096",4096,')" -eq 50 ] || fail "writes, $how"
	for i in 0 2 98; do
		[ "$(count ",aio_read,.*;offset=$((i * 4096));")" -eq 1 ] || fail "the read of block $i, $how"
		[ "$(count ",aio_write,.*;offset=$((i * 4096 + 4096));")" -eq 1 ] || fail "the write of block $((i + 1)), $how"
	done
done
capture --root . -- ../uring plain
[ "$(count ',aio_readv,"path=ringed;fd=4;offset=8192;length=300",300,')" -eq 1 ] || fail 'several buffers'
[ "$(count ',aio_fsync,"path=ringed;fd=4",0,')" -eq 1 ] || fail 'fsync'
[ "$(count ',aio_other,"path=ringed;fd=4;flags=0x11",0,')" -eq 1 ] || fail 'fallocate is number 17'
capture -- ../uring plain
[ "$(count ',aio_read,"fd=999;offset=0;length=4096",-1,EBADF,')" -eq 1 ] || fail 'a read of nothing'
[ "$(count ',io_uring_enter,')" -ge 105 ] || fail 'calls of the library'

# results fetched by another thread; more requests at a time than are examined in advance, fetched
# without a call
for how in threads many; do
	capture --root . -- ../uring $how
	[ "$(count ',aio_read,')" -eq 100 ] || fail "$(count ',aio_read,') of 100 requests, $how"
done

# results taken without a call after the last call of the library
capture --root . -- ../uring late
[ "$(count ',aio_read,"path=ringed;.*",4096,')" -eq 16 ] || fail "results before the end: $(cat ../csv)"
