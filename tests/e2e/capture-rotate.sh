# SPDX-License-Identifier: GPL-3.0-or-later
# capture --rotate: a trace in parts, by size and by time, and slice over the parts as one trace.
. "$SRCDIR/tests/e2e/lib.sh"

requests() { # TRACE...: their requests, one after the other
	for t; do
		"$VALIDATE" export -q --to csv "$t" -o - | sed 1d || fail "exporting $t"
	done
}

# by size: the parts follow each other, and joined they equal the trace
cat >program.sh <<'S'
i=0
while [ $i -lt 400 ]; do
	echo $i >file.$i
	i=$((i + 1))
done
cat file.* >/dev/null
S
mkdir in
cd in
expect_status 0 "$VALIDATE" capture app --root . --snapshot --rotate 64K -o ../t -- sh ../program.sh
cd ..
expect_line in/out 'to join them: validate slice'
[ ! -e t ] || fail 'the whole trace exists, too'
[ -e t.000 ] && [ -e t.001 ] && [ ! -e t.999 ] || fail "parts: $(echo t.*)"
for part in t.*; do
	[ "$(stat -c %s "$part")" -lt 300000 ] || fail "$part has $(stat -c %s "$part") bytes"
	"$VALIDATE" info "$part" >/dev/null || fail "$part cannot be read"
done
expect_status 0 "$VALIDATE" slice t -o joined
requests t.* | cut -d, -f1-8 >want
requests joined | cut -d, -f1-8 | diff want - || fail 'the joined parts are not the trace'
[ "$(wc -l <want)" -gt 1500 ] || fail "requests: $(wc -l <want)"
expect_status 0 "$VALIDATE" slice t.* -o again
cmp joined again >/dev/null || requests again | cut -d, -f1-8 | diff want - ||
	fail 'parts that are named one by one'
for order in fs temporal; do
	rm -rf dir
	mkdir dir
	expect_status 0 "$VALIDATE" replay --order $order --prepare --dir dir joined
	expect_line out 'mismatches      0'
	[ "$(ls dir/file.* | wc -l)" -eq 400 ] || fail "files of the replay: $(ls dir | wc -l)"
done
"$VALIDATE" info --json joined >json
! grep -q '"part"' json || fail 'the joined trace calls itself a part'
# of the parts, only part 0 has the snapshot; the joined trace has it, and parts without part 0 do not
"$VALIDATE" info --json t.000 >first
jq -e '.files | length > 0' first >/dev/null || fail 'part 0 has no snapshot'
[ "$(jq -c .files first)" = "$(jq -c .files json)" ] || fail "snapshot of the joined trace: $(jq -c .files json)"
expect_status 0 "$VALIDATE" slice t.001 t.002 -o later
"$VALIDATE" info --json later | jq -e '.files // [] | length == 0' >/dev/null || fail 'later parts have a snapshot'

# the message explains how to get one trace; impossible options
for command in info 'replay --dir in' deps 'export --to csv'; do
	# shellcheck disable=SC2086
	expect_status 3 "$VALIDATE" $command t
	expect_line err 'validate slice t -o JOINED'
done
cp t.000 'a b.000'
expect_status 3 "$VALIDATE" info 'a b'
expect_line err "validate slice 'a b' -o JOINED"
cp t.000 x.csv.000
echo text >x.csv # a missing mapping is no missing trace
expect_status 3 "$VALIDATE" info --mapping missing x.csv
expect_line err 'missing: '
for text in 5 1K 1us much; do
	expect_status 2 "$VALIDATE" capture app --rotate $text -o x -- true
	expect_line err "--rotate $text"
done
expect_status 2 "$VALIDATE" capture app --rotate 1h --content -o x -- true
[ ! -e x ] && [ ! -e x.000 ] || fail 'something was captured'

# parts by time: requests that are a second apart are in different parts; a part without a request is
# left out
expect_status 0 "$VALIDATE" capture app --root "$PWD" --rotate 300ms -o s -- sh -c 'echo 1 >a; sleep 1; echo 2 >b'
n=0
for part in s.*; do
	[ "$part" = "s.00$n" ] || fail "parts by time: $(echo s.*)"
	requests "$part" >of
	[ -s of ] || fail "$part has no request"
	! grep -q 'path=a;' of || ! grep -q 'path=b;' of || fail "both files are in $part: $(cat of)"
	n=$((n + 1))
done
requests s.* >of
grep -q 'path=a;' of && grep -q 'path=b;' of || fail "a file is in no part: $(cat of)"

# a short capture is one part, which is the whole trace
echo data >in/short
(cd in && expect_status 0 "$VALIDATE" capture app --root . --snapshot --rotate 1h -o ../one -- cat short && mv out ../)
expect_line out 'the whole trace is ../one.000'
[ "$(echo one*)" = one.000 ] || fail "not one part: $(echo one*)"
expect_status 0 "$VALIDATE" info one.000
rm -rf dir
mkdir dir
expect_status 0 "$VALIDATE" replay --prepare --dir dir one.000
expect_line out 'mismatches      0'
expect_status 0 "$VALIDATE" slice one -o whole
requests one.000 >want
requests whole | diff want - || fail 'slice of one part is another trace'
expect_status 0 "$VALIDATE" capture app --rotate 1h -o none -- true
expect_line out 'the whole trace is none.000'
