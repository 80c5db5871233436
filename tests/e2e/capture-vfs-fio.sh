# SPDX-License-Identifier: GPL-3.0-or-later
# capture vfs of a fio run, cached and mapped: requests, misses and faults equal fio's own counts.
. "$SRCDIR/tests/e2e/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracefs needs root"
[ -w /sys/kernel/tracing/instances ] || skip "no tracefs at /sys/kernel/tracing that may be used"
[ -e /sys/kernel/tracing/events/filemap/mm_filemap_fault ] || skip "this kernel has no tracepoint of faults on mapped files"
[ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ] || skip "this is a PID namespace of its own"
command -v fio >/dev/null || skip "fio is not installed"
case $(stat -f -c %T .) in
ext2/ext3 | xfs) ;;
*) skip "pages of a file system of type $(stat -f -c %T .) may come and go otherwise" ;;
esac

cat >job <<'END'
[global]
directory=.
size=2M
bs=4k
invalidate=1
[cached]
ioengine=psync
rw=randread
filename=a
[written]
stonewall
ioengine=psync
rw=randwrite
filename=b
end_fsync=1
[mapped]
stonewall
ioengine=mmap
rw=randread
filename=c
END
for f in a b c; do
	head -c 2M /dev/urandom >$f
done
sync

# count FILE OPERATION [FLAGS]
count() {
	grep "path=$(echo "$PWD/$1" | cut -c2-);" trace.csv | grep ",$2," | grep -c "${3-.}" || :
}
json() {
	jq -r ".jobs[] | select(.jobname == \"$1\") | $2" told.json
}
# If memory is short, the kernel takes pages from the cache meanwhile: pages of fio itself, whose
# faults fio counts as its own, and mapped pages, which are read again. Such a run is repeated. If
# all runs are disturbed, the conditions are tested that hold in any run.
command -v jq >/dev/null || skip "jq is not installed"
for i in 1 2 3 4 5; do
	expect_status 0 "$VALIDATE" capture vfs -o trace -- fio --output-format=json --output=told.json job
	! grep -q 'lost' out || fail "events were lost"
	! grep -q 'paths cannot be read' out || skip "the kernel does not let paths be read: $(cat out)"
	"$VALIDATE" info trace --csv trace.csv >/dev/null
	reads=$(json cached .read.total_ios) writes=$(json written .write.total_ios) mapped=$(json mapped .read.total_ios)
	faults=$(json mapped .majf)
	misses=$(count c page_cache_add 'flags=0x1') seen=$(count c page_fault 'flags=0x1')
	[ "$seen" -ne "$faults" ] || [ "$misses" -ne "$mapped" ] || break
done
# major faults of the process that reads the mapping, on any file
job=$(grep "path=$(echo "$PWD/c" | cut -c2-);" trace.csv | grep -m 1 ',page_fault,' | cut -d , -f 1)
all=$(grep "^$job," trace.csv | grep ',page_fault,' | grep -c 'flags=0x1' || :)
[ "$reads" -eq 512 ] && [ "$writes" -eq 512 ] && [ "$mapped" -eq 512 ] || fail "fio did not make the requested I/O"
[ "$(count a pread length=4096)" -eq "$reads" ] || fail "$(count a pread) reads, and fio counts $reads"
[ "$(count b pwrite length=4096)" -eq "$writes" ] || fail "$(count b pwrite) writes, and fio counts $writes"
[ "$(count b fsync)" -eq 1 ] || fail "the fsync at the end"
# every block was read once from a cold cache: a miss for each, of the requested page
[ "$(count a page_cache_add 'flags=0x1')" -eq "$reads" ] || fail "$(count a page_cache_add) misses of $reads cold reads"
if [ "$seen" -ne "$faults" ]; then # some of fio's faults are not on the mapping
	[ "$seen" -lt "$faults" ] && [ "$faults" -le "$all" ] || fail "$seen faults, $all with those on other files, and fio counts $faults"
	echo "pages of fio were taken from the cache in each of $i runs: $all faults, $seen of them on the mapping, fio counts $faults"
fi
if [ "$misses" -ne "$mapped" ]; then # a page that was read again was taken before, and faulted a second time
	[ "$misses" -gt "$mapped" ] && [ "$seen" -gt "$mapped" ] || fail "$misses misses of $mapped mapped cold reads"
fi
# each miss is within the read that caused it, on the same thread
awk -F, '$5 == "pread" && $6 ~ /\/a;/ { begin[$2] = $3 + 0; end[$2] = $4 + 0 }
	$5 == "page_cache_add" && $6 ~ /\/a;/ { if ($3 + 0 < begin[$2] || $3 + 0 > end[$2]) bad++; n++ }
	END { if (bad || !n) { print bad + 0 " of " n + 0 " pages outside the reads"; exit 1 } }' trace.csv || fail "misses outside their reads"

# cached now: no miss at all (repeated if another process emptied the cache)
for i in 1 2 3 4 5; do
	expect_status 0 "$VALIDATE" capture vfs -o again -- dd if=a of=/dev/null bs=64k
	"$VALIDATE" info again --csv trace.csv >/dev/null
	[ "$(count a read length=65536)" -eq 33 ] || fail "$(count a read) reads by dd"
	[ "$(count a page_cache_add)" -ne 0 ] || break
done
if [ "$(count a page_cache_add)" -ne 0 ]; then
	[ "$(grep -c ',page_cache_add,' trace.csv)" -gt "$(count a page_cache_add)" ] || fail "misses of a cached file"
	echo "not judged: the page cache is being emptied, of programs too"
fi

# both methods at once, joined: the misses of a cold file are within the reads of the program
head -c 64K /dev/urandom >cold
sync cold
for i in 1 2 3; do
	dd of=cold oflag=nocache conv=notrunc,fdatasync count=0 status=none
	expect_status 0 "$VALIDATE" capture vfs -o below.trace -- "$VALIDATE" capture app -o above.trace -- dd if=cold of=/dev/null bs=4k
	expect_status 0 "$VALIDATE" slice --operation page below.trace -o pages.trace
	expect_status 0 "$VALIDATE" slice above.trace pages.trace -o both.trace
	"$VALIDATE" info both.trace --csv trace.csv >/dev/null
	[ "$(count cold page_cache_add 'flags=0x1')" -eq 0 ] || break
done
[ "$(count cold read)" -eq 17 ] || fail "$(count cold read) reads in the joined trace"
[ "$(count cold page_cache_add 'flags=0x1')" -ge 1 ] || fail "no miss in the joined trace"
awk -F, '$6 !~ /\/cold;/ { next }
	$5 == "read" { begin[$2] = $3 + 0; end[$2] = $4 + 0 }
	$5 == "page_cache_add" { if ($3 + 0 < begin[$2] || $3 + 0 > end[$2]) bad++; n++ }
	END { if (bad || !n) { print bad + 0 " of " n + 0 " pages outside the reads"; exit 1 } }' trace.csv || fail "misses outside the program's reads"
