# SPDX-License-Identifier: GPL-3.0-or-later
# validate export: what is written comes back, and other tools take it.
. "$SRCDIR/tests/e2e/lib.sh"
data=$SRCDIR/tests/data/formats

expect_status 0 "$VALIDATE" import -q "$data/sda.merged" -o block.trace
"$VALIDATE" export -q --to csv block.trace -o block.csv
for format in msr snia spc; do
	expect_status 0 "$VALIDATE" export --to $format block.trace -o block.$format
	expect_line err '200 requests written'
	expect_status 0 "$VALIDATE" info block.$format
	expect_line out "format \"$format\""
	expect_line out 'Requests   200 over'
	# again: what it can hold, it keeps
	expect_status 0 "$VALIDATE" export -q --to $format block.$format -o again.$format
	cmp block.$format again.$format || fail "$format does not come back as it was"
done
grep -o 'offset=[0-9]*;length=[0-9]*' block.csv >want
"$VALIDATE" export -q --to csv block.spc -o - | grep -o 'offset=[0-9]*;length=[0-9]*' >have
cmp want have || fail "spc: offsets or lengths differ"

expect_status 0 "$VALIDATE" export --to blkreplay block.trace -o block.blkreplay
grep -Eqv '^[0-9]+\.[0-9]{9} ; [0-9]+ ; [0-9]+ ; [RW] ; 0\.0 ; 0\.0$' block.blkreplay && fail "blkreplay: a line of another form"
[ "$(wc -l <block.blkreplay)" -eq 200 ] || fail "blkreplay: not 200 lines"
expect_status 0 "$VALIDATE" export --to btrecord block.trace -o block.replay.0
[ "$(wc -c <block.replay.0)" -eq $((32 + 200 * 40)) ] || fail "btrecord: another size"
[ "$(od -An -tu8 -j16 -N16 block.replay.0 | tr -s ' ')" = ' 200 200' ] || fail "btrecord: other numbers of bunches and packets"

# system calls
expect_status 0 "$VALIDATE" import -q "$data/strace-ns.strace" -o app.trace
expect_status 0 "$VALIDATE" export --to strace app.trace -o app.strace
expect_line err '81 requests written as strace'
expect_status 0 "$VALIDATE" import -q app.strace -o back.trace
for t in app back; do # times count from the first line; clone is not in it, so that nobody shares a position
	"$VALIDATE" export -q --to csv $t.trace -o - | cut -d, -f2,5- | sed '/,pread\|,pwrite\|,mmap/!s/;offset=[0-9]*//' >$t.calls
done
cmp app.calls back.calls || { diff app.calls back.calls | head >&2; fail "strace does not come back as it was"; }
expect_status 0 "$VALIDATE" export --to perfetto app.trace -o app.json
expect_line app.json '"name":"pwritev"'
expect_status 0 "$VALIDATE" export --to events app.trace -o app.events
[ "$(head -n 1 app.events)" -eq "$(($(wc -l <app.events) - 1))" ] || fail "events: the first line is not their number"
expect_line err 'left out'
expect_status 0 "$VALIDATE" export --to iolog app.trace -o app.iolog
expect_line app.iolog 'fio version 3 iolog'
expect_status 0 "$VALIDATE" info app.iolog
if command -v fio >/dev/null; then # fio reads what we write
	printf 'fio version 3 iolog\n0 f add\n0 f open\n10 f write 0 4096\n20 f read 0 4096\n30 f close\n' >own.log
	expect_status 0 "$VALIDATE" export -q --to iolog own.log -o ours.log
	fio --name=x --read_iolog=ours.log --ioengine=sync --output-format=terse >fio.out 2>&1 || { cat fio.out >&2; fail "fio refuses our iolog"; }
fi

expect_status 0 "$VALIDATE" export --to list
expect_status 2 "$VALIDATE" export --to alibaba app.trace -o x
expect_line err 'can only be read'
expect_status 2 "$VALIDATE" export --to strac app.trace -o x
expect_line err 'did you mean "strace"?'
expect_status 2 "$VALIDATE" export --to csv app.trace
