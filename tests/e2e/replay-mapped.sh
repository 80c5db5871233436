# SPDX-License-Identifier: GPL-3.0-or-later
# A program that maps a file, captured by both methods at once, joined, and replayed cold: exactly
# the pages that it touched are touched, and the pages that it wrote are written.
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

# The kernel may take any page from the cache at any time (proactive reclaim: DAMON). So the
# functions that count pages know the expected number, and repeat the count if it differs.
tries='1 2 3 4 5 6 7 8 9 10 11 12'
# added TRACE PATTERN: number of pages of the files that were added to the cache
added() {
	"$VALIDATE" info "$1" --csv csv >/dev/null
	grep ',page_cache_add,' csv | grep "$2" | sed 's/.*",//; s/,.*//' | awk '{ n += $1 } END { print n + 0 }'
}
# replay_brings FILE PAGES REPLAY...: a replay that begins with FILE cold leaves this number of its
# pages in the cache
replay_brings() {
	file=$1 pages=$2
	shift 2
	for try in $tries; do
		cold "$file"
		expect_status 0 "$VALIDATE" replay "$@"
		brought=$(cached "$file")
		[ "$brought" -ne "$pages" ] || return 0
	done
	fail "replay $* brought $brought pages into the cache instead of $pages"
}

head -c 1M /dev/urandom >f
for try in $tries; do
	cold f
	expect_status 0 "$VALIDATE" capture vfs -o below -- "$VALIDATE" capture app --snapshot -o above -- ./mapped f
	! grep -q 'lost' out || fail "events were lost"
	! grep -q 'paths cannot be read' out || skip "the kernel does not let paths be read: $(cat out)"
	touched=$(cached f)
	expect_status 0 "$VALIDATE" slice --join below above -o both
	grep -q '^joined: [1-9][0-9]* page faults and [1-9][0-9]* insertions' out || fail "nothing was joined: $(cat out)"
	missed=$(added both '/f;')
	[ "$touched" -ne "$missed" ] || break
done
[ "$touched" -eq "$missed" ] || fail "$missed pages missed, $touched in the cache"
"$VALIDATE" info both --csv both.csv >/dev/null
! grep -q 'libc' both.csv || fail "libraries are no files of the program"
# 20 pages read, 10 written; the first written page was read before; one through the private
# mapping; 10 by a thread that made no call
[ "$(grep -c ',page_fault,.*flags=0x3"' both.csv)" -ge 11 ] || fail "$(grep -c ',page_fault,.*flags=0x3"' both.csv) faults that write"
[ "$(grep ',page_fault,' both.csv | cut -d, -f2 | sort -u | wc -l)" -eq 2 ] || fail "faults of two threads"
# 20 + 10 + 17 by calls + 1 + 10, some of which are the same pages
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
replay_brings "$g" "$touched" --dir tree -o replayed both
# the calls alone touch 17 pages
replay_brings "$g" 17 --dir tree -o replayed above
# each written page has at most one other byte: at most 11 bytes in all
[ "$(stat -c %s "$g")" -eq "$(stat -c %s f)" ] || fail "the file has another size"
rm -r tree && mkdir tree
head -c 1M /dev/zero >zero
expect_status 0 "$VALIDATE" replay --prepare --dir tree -o replayed both
cp zero "$g"
expect_status 0 "$VALIDATE" replay --dir tree -o replayed both
changed=$(cmp -l zero "$g" | wc -l)
[ "$changed" -ge 1 ] && [ "$changed" -le 11 ] || fail "$changed bytes were written"

# captured warm: nothing is missed
for try in $tries; do
	cat f >/dev/null
	"$VALIDATE" capture vfs -o below2 -- "$VALIDATE" capture app --snapshot -o above2 -- ./mapped f >/dev/null
	"$VALIDATE" slice --join below2 above2 -o warmed >/dev/null
	missed_warm=$(added warmed '/f;')
	[ "$missed_warm" -ne 0 ] || break
done
[ "$missed_warm" -eq 0 ] || fail "$missed_warm pages missed of a file that was cached"

# with the cache decisions of the capture: the same pages come from storage, whether or not the file
# is cached now, and no others
head -c 1M /dev/urandom >"$g"
for engine in event coordinator; do
	for try in $tries; do
		cold "$g"
		cat "$g" >/dev/null
		expect_status 0 "$VALIDATE" capture vfs -o warm -- "$VALIDATE" replay --engine $engine --reads original --dir tree -o replayed both
		grep -q "$missed pages were not cached at capture: the replay read them" out || fail "$engine: $missed pages were missed: $(cat out)"
		grep -q '^mismatches *0$' out || fail "$engine, as the cache decided: $(cat out)"
		brought=$(added warm 'tree/.*/f;')
		[ "$brought" -ne "$missed" ] || break
	done
	[ "$brought" -eq "$missed" ] || fail "$engine: $brought pages from storage in a warm replay, $missed were missed"
	replay_brings "$g" "$missed" --engine $engine --reads original --dir tree -o replayed both
	# no misses: data written to mapped memory must be read from storage first, all other data
	# need not
	replay_brings "$g" 11 --engine $engine --reads original --dir tree -o replayed warmed
	# no reads: only the written pages
	replay_brings "$g" 11 --engine $engine --reads none --dir tree -o replayed both
	grep -q 'reads that --reads leaves out [1-9]' out || fail "$engine: reads left out are not counted: $(cat out)"
	grep -q '^mismatches *0$' out || fail "$engine, no reads: $(cat out)"
done
expect_status 3 "$VALIDATE" replay --reads original --dir tree above
grep -q 'slice --join' err || fail "a trace without misses: $(cat err)"

# traces that are not of one run
expect_status 3 "$VALIDATE" slice --join above above -o x
grep -q 'no records of the page cache' err || fail "a trace without pages: $(cat err)"
"$VALIDATE" capture vfs -o other -- true >/dev/null
expect_status 3 "$VALIDATE" slice --join other above -o x
grep -q 'of different runs' err || fail "another run: $(cat err)"
[ ! -e x ] || fail "a trace was left"
expect_status 2 "$VALIDATE" slice --join below above above -o x
