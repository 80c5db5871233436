# SPDX-License-Identifier: GPL-3.0-or-later
# long: 24 s
# Each command with one allocation that fails: its output is unchanged, or it ends with a message
# about memory and leaves no files. FAILING_MEMORY_STEP=1 tries every allocation; otherwise a few of
# each command.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"
[ -z "${SANITIZE:-}" ] || skip 'the sanitizers have allocators of their own'
${CC:-cc} -w -O1 -shared -fPIC -o failing-memory.so "$SRCDIR/tests/programs/failing-memory.c" -ldl || skip 'no library to preload'
export TMPDIR="$PWD/tmp" FAIL_COUNT="$PWD/failed"
mkdir tmp

tiny tiny.conf
sed -i 's/^level = .*/level = 1/; /^\[replayer again\]/,$d' tiny.conf
status=0
"$VALIDATE" run tiny.conf -o results --quiet >/dev/null 2>err || status=$?
any_verdict
cp "$SRCDIR/tests/data/trace-v1.trace" in.trace
cp in.trace again.trace
cp "$SRCDIR/tests/data/compare/old.json" "$SRCDIR/tests/data/compare/worse.json" .
seq 1 30 >numbers
formats="$SRCDIR/tests/data/formats"

# The result of a command: its standard output and the file that it writes; a trace by its requests,
# because it contains its date
written() {
	case $1 in
	import | slice) [ ! -e made ] || "$VALIDATE" export --to csv made -o - ;;
	*) [ ! -e made ] || cat made ;;
	esac
}
shown() {
	cat out
	written "$1"
}

# sweep STEP COMMAND...: allocations 1, 1 + STEP, ... fail, one in each run
sweep() {
	step=${FAILING_MEMORY_STEP:-$1}
	shift
	rm -f made
	usual=0
	"$VALIDATE" "$@" >out 2>err || usual=$?
	shown "$1" >expected
	written "$1" >whole
	at=1
	n=0
	while :; do
		rm -f made failed
		status=0
		FAIL_AT=$at LD_PRELOAD="$PWD/failing-memory.so" "$VALIDATE" "$@" >out 2>err || status=$?
		[ -e failed ] || break
		left=$(find . -name '.validate-*' -o -path './tmp/*')
		[ -z "$left" ] || fail "allocation $at of $*: left behind: $left"
		if [ "$status" -ne "$usual" ] || ! { shown "$1" | cmp -s - expected; }; then
			[ "$status" -eq 3 ] && grep -qi 'memory' err ||
				fail "allocation $at of $*: status $status, $(cat err)"
			[ ! -e made ] || { written "$1" | cmp -s - whole; } || fail "allocation $at of $*: half a file"
			n=$((n + 1))
		fi
		at=$((at + step))
	done
	[ $n -gt 0 ] || fail "no allocation of $* mattered"
}

sweep 193 info in.trace
sweep 499 info in.trace --json
sweep 397 info in.trace --html made
sweep 997 metrics in.trace again.trace --json
sweep 29 stats numbers
sweep 31 slice in.trace --operation read -o made
echo 'a key of thirty-two bytes or more' >key
sweep 3 slice in.trace --anonymise --key key -o made # libgcrypt's allocations among them
sweep 37 export --to csv in.trace -o made
sweep 67 import "$formats/strace-us.strace" -o made
sweep 47 import "$formats/sda.blkparse" -o made
sweep 61 import "$formats/snia.csv" -o made
sweep 797 baseline save results -o made
sweep 211 baseline show old.json
sweep 2999 compare old.json worse.json
sweep 6983 report results
sweep 14983 run --dry-run tiny.conf # GSL's allocations among them

# a helper process without memory: its run has no outcome, and the campaign can be resumed
# (the number of processes depends on time: after a campaign in which none failed, begin again)
n=1
tries=0
until grep -q 'no summary of run [1-9][0-9]*: a process of the campaign ran out of memory' err; do
	[ $tries -le 60 ] || fail "no helper of a run failed: $(cat err)"
	rm -rf later
	status=0
	FAIL_FORKED=$n LD_PRELOAD="$PWD/failing-memory.so" "$VALIDATE" run tiny.conf -o later -q >out 2>err || status=$?
	case $status in
	3) n=$((n + 1)) ;;
	0 | 1 | 4) n=1 ;;
	*) fail "fork $n: status $status: $(cat err)" ;;
	esac
	tries=$((tries + 1))
done
expect_line err '--resume'
status=0
"$VALIDATE" run -o later --resume -q >out 2>err || status=$?
any_verdict
! grep -q '"state":"failed"' later/journal || fail "a run failed for it: $(cat later/journal)"

# a signal that ends the command leaves no temporary file
cp "$formats/sda.blkparse" large.blkparse
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	cat large.blkparse large.blkparse >larger.blkparse
	mv larger.blkparse large.blkparse
done
"$VALIDATE" import --lenient 1000000 large.blkparse -o signalled >/dev/null 2>&1 &
reader=$!
while [ -z "$(find . -name '.validate-*')" ] && kill -0 $reader 2>/dev/null; do :; done
kill -TERM $reader 2>/dev/null || fail 'the import ended too early'
status=0
wait $reader 2>/dev/null || status=$?
[ $status -eq 143 ] || fail "status $status instead of SIGTERM's"
[ -z "$(find . -name '.validate-*')" ] ||
	fail "left behind by SIGTERM: $(find . -name '.validate-*')"
