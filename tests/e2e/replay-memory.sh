# SPDX-License-Identifier: GPL-3.0-or-later
# A replay whose plan exceeds its memory limit: the same replay, in bounded memory, without page
# faults.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not installed"

mkdir tree scratch
expect_status 0 "$VALIDATE" microbench rr --level 2 --requests 100000 --file-size 1M --prepare --dir tree --no-sync-output -o in.trace
# figure FILE NAME: of the replay's metadata
figure() {
	"$VALIDATE" info --json "$1" | jq ".. | .$2? // empty" | head -1
}

expect_status 0 "$VALIDATE" replay --order fs --dir tree --memory 1MiB --scratch scratch -o part.trace in.trace
grep -q '^mismatches *0$' out || fail "$(cat out)"
grep -q '^memory .* of its plan of .* in memory at a time' out || fail "no word of the memory: $(cat out)"
grep -q '^read ahead  *workers had to wait for [0-9]* of [0-9]* chunks of the plan$' out || fail "the late chunks are not reported: $(cat out)"
[ -z "$(ls -A scratch)" ] || fail "something was left in the scratch directory"
expect_status 0 "$VALIDATE" replay --order fs --dir tree --memory none -o whole.trace in.trace
grep -q '^memory' out && fail "--memory none: $(cat out)"

# The plan has 3000 pages. Fewer than one in a hundred of them fault; a plan in pages that are not
# present would fault on all.
plan=$(figure part.trace plan_bytes)
[ "$plan" -gt 10000000 ] || fail "the plan of 200,000 requests takes $plan bytes"
ahead=$(figure part.trace ahead_bytes)
[ "$ahead" -gt 0 ] && [ "$ahead" -le 1048576 ] || fail "$ahead bytes were held"
faults=$(figure part.trace n_minor_faults)
[ "$faults" -lt 100 ] || fail "$faults minor faults while requests ran"
# peak resident sets differ by the size of the plan
for f in part whole; do
	p=$(figure $f.trace peak_resident_bytes)
	[ "$p" -gt 0 ] || skip "the kernel does not report the peak resident set"
	eval "$f=$p"
done
[ $((whole - part)) -gt $((plan / 2)) ] || fail "$part bytes resident in parts, $whole as a whole; the plan takes $plan"

# order none keeps the whole plan in memory, and reports it
expect_status 0 "$VALIDATE" replay --order none --dir tree --memory 1MiB -o none.trace in.trace
grep -q '^note: the plan takes .*order = none' out || fail "$(cat out)"
expect_status 3 "$VALIDATE" replay --dir tree --memory 1MiB --scratch nowhere in.trace
expect_line err "nowhere"
expect_status 3 "$VALIDATE" replay --dir tree --memory 1KiB in.trace
expect_line err "--memory"
expect_status 2 "$VALIDATE" replay --dir tree --memory 0 in.trace

# a user who may not lock memory gets a message; with a sanitizer no memory is locked, although mlock reports success
if [ -z "${SANITIZE:-}" ] && [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 777 . tree scratch
	chmod 666 tree/* in.trace
	lock="setpriv --reuid=65534 --clear-groups --bounding-set=-ipc_lock --inh-caps=-all"
	if $lock test -r in.trace 2>/dev/null; then
		(ulimit -l 8 && exec $lock "$VALIDATE" replay --order fs --dir tree --memory 1MiB --scratch scratch in.trace) >out 2>err || fail "$(cat err)"
		grep -q '^memory .* not locked (ulimit -l)' out || fail "8 KiB may be locked: $(cat out)"
	fi
fi

# a scratch directory without room
if mkdir full && mount -t tmpfs -o size=1M none full 2>/dev/null; then
	status=0
	"$VALIDATE" replay --dir tree --memory 1MiB --scratch full in.trace >out 2>err || status=$?
	umount full
	[ "$status" -eq 3 ] || fail "status $status where the scratch directory is full: $(cat out err)"
	expect_line err "not enough space for the plan"
fi
