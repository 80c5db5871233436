# SPDX-License-Identifier: GPL-3.0-or-later
# A program that maps a file, captured both ways at once, joined, and replayed cold: every page that it touched is touched, none that it
# did not, and those that it wrote are written.
. "$SRCDIR/tests/e2e/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracefs needs root"
[ -w /sys/kernel/tracing/instances ] || skip "no tracefs at /sys/kernel/tracing that may be used"
[ -e /sys/kernel/tracing/events/filemap/mm_filemap_fault ] || skip "this kernel has no tracepoint of faults on mapped files"
[ -e /sys/kernel/tracing/events/exceptions/page_fault_user ] || skip "this kernel has no tracepoint of faults by address"
[ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ] || skip "this is a PID namespace of its own"
command -v fincore >/dev/null || skip "no fincore"
case $(stat -f -c %T .) in
ext2/ext3 | xfs) ;;
*) skip "pages of a file system of type $(stat -f -c %T .) may come and go otherwise" ;;
esac
${CC:-cc} -w -O1 -o mapped "$SRCDIR/tests/programs/mapped.c" -pthread || fail 'mapped.c does not compile'

# cold FILE
cold() {
	sync "$1"
	dd of="$1" oflag=nocache conv=notrunc,fdatasync count=0 status=none
	[ "$(cached "$1")" -eq 0 ] || skip "$1 does not leave the page cache"
}
cached() {
	fincore -n -o PAGES "$1" | tr -d ' '
}

head -c 1M /dev/urandom >f
cold f
expect_status 0 "$VALIDATE" capture vfs -o below -- "$VALIDATE" capture app --snapshot -o above -- ./mapped f
! grep -q 'lost' out || fail "events were lost"
! grep -q 'paths cannot be read' out || skip "the kernel does not let paths be read: $(cat out)"
touched=$(cached f)
expect_status 0 "$VALIDATE" slice --join below above -o both
grep -q '^joined: [1-9][0-9]* faults and [1-9][0-9]* additions' out || fail "nothing was joined: $(cat out)"
"$VALIDATE" info both --csv both.csv >/dev/null
! grep -q 'libc' both.csv || fail "libraries are no files of the program"
# 20 pages read, 10 written; the first one written after it was read; one through the private mapping; 10 by a thread that made no call
[ "$(grep -c ',page_fault,.*flags=0x3"' both.csv)" -ge 11 ] || fail "$(grep -c ',page_fault,.*flags=0x3"' both.csv) faults that write"
[ "$(grep ',page_fault,' both.csv | cut -d, -f2 | sort -u | wc -l)" -eq 2 ] || fail "faults of two threads"
# 20 + 10 + 17 by calls + 1 + 10, of which some meet each other
[ "$touched" -ge 50 ] || fail "the program brought $touched pages into the cache"

mkdir tree
for engine in event coordinator; do
	for order in temporal fs; do
		expect_status 0 "$VALIDATE" replay --engine $engine --order $order --prepare --dir tree -o replayed both
		grep -q '^mismatches *0$' out || fail "$engine, $order: $(cat out)"
		grep -q '^touched ' out || fail "$engine, $order: touches are not counted: $(cat out)"
	done
done
g=$(find tree -name f)
cold "$g"
expect_status 0 "$VALIDATE" replay --dir tree -o replayed both
[ "$(cached "$g")" -eq "$touched" ] || fail "the replay brought $(cached "$g") pages into the cache, the program $touched"
# what the calls alone touch are 17 pages
cold "$g"
expect_status 0 "$VALIDATE" replay --dir tree -o replayed above
[ "$(cached "$g")" -eq 17 ] || fail "the calls alone brought $(cached "$g") pages into the cache"
# each page that was written has another byte at most: of 11, and at no other place
[ "$(stat -c %s "$g")" -eq "$(stat -c %s f)" ] || fail "the file has another size"
rm -r tree && mkdir tree
head -c 1M /dev/zero >zero
expect_status 0 "$VALIDATE" replay --prepare --dir tree -o replayed both
cp zero "$g"
expect_status 0 "$VALIDATE" replay --dir tree -o replayed both
changed=$(cmp -l zero "$g" | wc -l)
[ "$changed" -ge 1 ] && [ "$changed" -le 11 ] || fail "$changed bytes were written"

# traces that are not of one run
expect_status 3 "$VALIDATE" slice --join above above -o x
grep -q 'nothing of the page cache' err || fail "a trace without pages: $(cat err)"
"$VALIDATE" capture vfs -o other -- true >/dev/null
expect_status 3 "$VALIDATE" slice --join other above -o x
grep -q 'not of one run' err || fail "another run: $(cat err)"
[ ! -e x ] || fail "a trace was left"
expect_status 2 "$VALIDATE" slice --join below above above -o x
