# SPDX-License-Identifier: GPL-3.0-or-later
# capture causality --period auto: halves the period until a replay takes as long as the
# application. It ends at 1 if no period does.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
command -v jq >/dev/null || skip 'no jq'
${CC:-cc} -w -O1 -o parallel "$SRCDIR/tests/programs/parallel.c" -pthread || fail 'parallel.c does not compile'
mkdir work
cd work
capture() { # options
	expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --period auto "$@" -- ../parallel pipe 12
}

expect_match() {
	grep -q -- "$1" out || fail "out has no line with $1: $(cat out)"
}

# a replay that takes as long as the application from the third try on
cat >../check <<'END'
echo try >>../tries
application_ns=$("$VALIDATE" info --json "$TRACE" | jq -r '.. | .application_ns? // empty' | head -n 1)
if [ "$(wc -l <../tries)" -lt 3 ]; then echo "$((application_ns * 2)) ns"; else echo "$((application_ns * 105 / 100)) ns"; fi
END
capture --error 10% --check 'sh ../check'
expect_match 'period 15: .* the difference is 100.0 %'
expect_match 'period 7: .* the difference is 100.0 %'
expect_match 'period 3: .* the difference is 5.0 %'
[ "$(wc -l <../tries)" -eq 3 ] || fail 'it continues after a period that was good enough'
[ "$("$VALIDATE" info --json ../trace | jq -r '.. | .period? // empty' | head -n 1)" = 3 ] || fail 'the trace is of another period'
[ "$(cut -d ' ' -f 1 <../trace.runs/run-3-0.edges | sort -u | tr '\n' ' ')" = '0:0 0:12 0:3 0:6 0:9 ' ] || fail "other requests were held back: $(cat ../trace.runs/run-3-0.edges)"

# a replay that never takes as long; runs that exist are not recorded again
capture --resume --error 10% --check 'echo 1000s; seq 100000'
expect_line out 'period 1: '
expect_line out 'with every period, the execution times of replay and application differ by more than 10.0 %. The trace therefore contains the dependencies found with --period 1'
[ "$(grep -c 'runs with delays (--period .*) will follow' out)" -eq 1 ] || fail "not only the runs at period 1 were made: $(cat out)"
[ "$("$VALIDATE" info --json ../trace | jq -r '.. | .period? // empty' | head -n 1)" = 1 ] || fail 'the trace is of another period'

# a run whose file is incomplete
n=$(wc -l <../trace.runs/run-1-0.edges)
sed -i '$d' ../trace.runs/run-1-0.edges
expect_status 3 "$VALIDATE" capture causality -o ../trace --root . --resume -- ../parallel pipe 12
expect_line err "run-1-0.edges is damaged: only $((n - 1)) of its $n dependencies"

# bytes that are no UTF-8 may differ, too
rm -rf ../trace.runs
expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --nodes none --before "$(printf ': \377')" -- ../parallel pipe 12
expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --nodes none --before "$(printf ': \377')" --resume -- ../parallel pipe 12
expect_status 3 "$VALIDATE" capture causality -o ../trace --root . --nodes none --before "$(printf ': \376')" --resume -- ../parallel pipe 12
expect_line err 'another command, or runs with other options'

# checks that fail
rm -rf ../trace.runs
for check in false 'echo soon' true; do
	if [ "$check" = 'echo soon' ]; then wanted=2; else wanted=3; fi
	expect_status $wanted "$VALIDATE" capture causality -o ../trace --root . --period auto --resume --check "$check" -- ../parallel pipe 12
	expect_line err 'check'
done
rm -rf ../trace.runs
expect_status 2 "$VALIDATE" capture causality -o ../trace --root . --period auto -- ../parallel pipe 12
expect_line err 'replay-dir'
