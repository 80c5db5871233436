# SPDX-License-Identifier: GPL-3.0-or-later
# long: 8 s
# waits: for programs that hang
# The test runner counts correctly, runs tests in parallel, and ends them after a signal. It is
# tested on a separate tree with programs that pass, fail, crash, hang and skip.
. "$SRCDIR/tests/e2e/lib.sh"

mkdir -p tree/tests/unit/room tree/tests/e2e tree/build/tests/unit/room
cp "$SRCDIR/tests/run-tests" tree/tests/
runner() {
	status=0
	env -u SRCDIR -u BUILD -u VALIDATE TEST_TIMEOUT=${limit:-60} \
		tree/tests/run-tests tree/build "$@" >out 2>&1 || status=$?
}
unit() { # name; the program on standard input
	: >"tree/tests/unit/room/$1.c"
	{ echo '#!/bin/sh' && cat; } >"tree/build/tests/unit/room/$1"
	chmod +x "tree/build/tests/unit/room/$1"
}
last_is() {
	[ "$(tail -n 1 out)" = "$1" ] || { cat out >&2; fail "the last line is not: $1"; }
}

runner
last_is '0 passed, 0 failed, 0 skipped'
[ "$status" -ne 0 ] || fail 'nothing ran, and that passed'

unit test_good <<'END'
echo 1..2; echo 'ok 1 - a'; echo 'ok 2 - b'
END
unit test_skips <<'END'
echo 1..2; echo 'ok 1 - a'; echo 'ok 2 # SKIP no device'
END
echo 'echo because; exit 77' >tree/tests/e2e/skips.sh
cat >tree/tests/e2e/good.sh <<'END'
test -d "$TMPDIR" && test "$PWD" = "$TMPDIR" && test -z "$(ls)" &&
	test -d "$SRCDIR" && test -d "$BUILD"
END
runner
last_is '4 passed, 0 failed, 2 skipped'
[ "$status" -eq 0 ] || fail "status $status though all passed"
expect_line out 'e2e/skips.sh: because'
expect_line out 'no device'
runner unit
last_is '3 passed, 0 failed, 1 skipped'
expect_line out '-- unit: 3 passed, 0 failed, 1 skipped'
runner all good
last_is '3 passed, 0 failed, 0 skipped'
expect_line out '-- unit: 2 passed, 0 failed, 0 skipped'
expect_line out '-- end-to-end: 1 passed, 0 failed, 0 skipped'
runner all "$PWD" # text that is no part of a path below the source directory
last_is '0 passed, 0 failed, 0 skipped'

# a caller's umask and a git hook's variables do not reach the tests
echo '[ "$(umask)" -eq 22 ] && [ -z "${GIT_DIR+set}" ]' >tree/tests/e2e/surroundings.sh
(umask 077 && GIT_DIR=$PWD && export GIT_DIR && runner e2e surroundings && [ "$status" -eq 0 ]) ||
	fail "surroundings: $(cat out)"
rm tree/tests/e2e/surroundings.sh

unit test_bad <<'END'
echo 1..3; echo 'ok 1 - a'; echo 'not ok 2 - b'; echo '# why it failed'; echo 'ok 3 - c'; exit 1
END
runner unit test_bad
last_is '2 passed, 1 failed, 0 skipped'
[ "$status" -ne 0 ] || fail 'a failure passed'
expect_line out '# why it failed'

unit test_crash <<'END'
echo 1..3; echo 'ok 1 - a'; kill -SEGV $$
END
runner unit test_crash
last_is '1 passed, 2 failed, 0 skipped'

unit test_early <<'END'
kill -SEGV $$
END
runner unit test_early
last_is '0 passed, 1 failed, 0 skipped'

unit test_leak <<'END'
echo 1..1; echo 'ok 1 - a'; echo 'leaked'; exit 1
END
runner unit test_leak
last_is '1 passed, 1 failed, 0 skipped'

unit test_hang <<'END'
echo 1..1; sleep 60
END
limit=1
runner unit test_hang
unset limit
last_is '0 passed, 1 failed, 0 skipped'
expect_line out 'timed out after 1 s'

: >tree/tests/unit/room/test_missing.c
runner unit test_missing
last_is '0 passed, 1 failed, 0 skipped'

# tests run in parallel, but a test that must be alone runs alone
meets() { # name, the other's name, tries: passes if both run at the same time
	cat <<-END
		: >"\$BUILD/$1.here"
		for i in \$(seq $3); do
			[ ! -e "\$BUILD/$2.here" ] || exit 0
			sleep 0.1
		done
		exit 1
	END
}
meets meet-a meet-b 300 >tree/tests/e2e/meet-a.sh
meets meet-b meet-a 300 >tree/tests/e2e/meet-b.sh
TEST_JOBS=2 && export TEST_JOBS
runner e2e meet-
last_is '2 passed, 0 failed, 0 skipped'
rm tree/build/*.here
{ echo '# alone: it measures time' && meets meet-b meet-a 5; } >tree/tests/e2e/meet-b.sh
rm -f tree/tests/e2e/meet-a.sh && meets meet-a meet-b 5 >tree/tests/e2e/meet-a.sh
runner e2e meet-
last_is '1 passed, 1 failed, 0 skipped' # meet-b finds the file of meet-a, and meet-a finds none
expect_line out 'FAIL  e2e/meet-a.sh'
rm tree/build/*.here
# a test that waits runs beside as many others as TEST_JOBS
{ echo '# waits: for others' && meets meet-c meet-a 300; } >tree/tests/e2e/meet-c.sh
meets meet-a meet-c 300 >tree/tests/e2e/meet-a.sh
meets meet-b meet-c 300 >tree/tests/e2e/meet-b.sh
runner e2e meet-
last_is '3 passed, 0 failed, 0 skipped'
rm tree/build/*.here tree/tests/e2e/meet-c.sh
meets meet-a meet-b 5 >tree/tests/e2e/meet-a.sh
meets meet-b meet-a 5 >tree/tests/e2e/meet-b.sh
TEST_JOBS=1
runner e2e meet-
last_is '1 passed, 1 failed, 0 skipped'
rm tree/tests/e2e/meet-[ab].sh

# long tests begin first, and the CPU time of a test is shown
: >tree/tests/e2e/order-a.sh
echo '# long: 3 s' >tree/tests/e2e/order-b.sh
cat >tree/tests/e2e/order-c.sh <<'END'
# SPDX: none
# long: 20 s
sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done'
END
runner e2e order-
[ "$(sed -n 's|^ok *e2e/order-\(.\).*|\1|p' out | tr -d '\n')" = cba ] || fail "order: $(cat out)"
awk '$2 ~ /order-c/ && $5 > 0.01 && $5 <= $3 + 0.1 { ok = 1 } END { exit !ok }' out ||
	fail "processor time: $(cat out)"
rm tree/tests/e2e/order-[abc].sh
unset TEST_JOBS

# a signal ends the running tests and their programs; SIGINT reaches a test's own programs
echo 'echo $$ >"$BUILD/runs"; sleep 60 & echo $! >"$BUILD/sleeps"; wait' >tree/tests/e2e/long.sh
for signal in INT TERM; do
	expected=143
	[ $signal = TERM ] || expected=130
	rm -f tree/build/runs tree/build/sleeps
	env -u SRCDIR -u BUILD -u VALIDATE --default-signal=INT \
		tree/tests/run-tests tree/build e2e long >out 2>&1 &
	runs=$!
	until [ -s tree/build/sleeps ]; do sleep 0.05; done
	kill -$signal $runs
	status=0
	wait $runs || status=$?
	[ "$status" -eq $expected ] || fail "status $status after SIG$signal"
	for left in runs sleeps; do
		n=0
		while grep -qs '^State:[[:space:]]*[^Z]' "/proc/$(cat tree/build/$left)/status"; do
			n=$((n + 1))
			[ $n -lt 200 ] || fail "SIG$signal: a program of the test is left: $left"
			sleep 0.05
		done
	done
	[ ! -e tree/build/tests/scratch ] || fail "SIG$signal: the scratch directory is left"
done
echo 'sh -c "kill -INT \$\$; exit 0"; [ $? -eq 130 ]' >tree/tests/e2e/long.sh
runner e2e long
last_is '1 passed, 0 failed, 0 skipped'
rm tree/tests/e2e/long.sh

# a second runner in the same directory would remove the scratch directory of the first
cat >tree/tests/e2e/again.sh <<'END'
ls "$BUILD/tests/scratch"
env TEST_TIMEOUT=2 "$SRCDIR/tests/run-tests" "$BUILD" e2e good 2>second && exit 1
grep -q 'other tests run in' second && test -d "$TMPDIR"
END
runner e2e again
last_is '1 passed, 0 failed, 0 skipped'
# and a process that a test leaves running does not prevent the next test from beginning
echo 'sleep 30 >/dev/null 2>&1 & echo $! >"$BUILD/left"' >tree/tests/e2e/leaves.sh
runner e2e leaves
runner e2e good
kill "$(cat tree/build/left)"
last_is '1 passed, 0 failed, 0 skipped'
rm tree/tests/e2e/again.sh tree/tests/e2e/leaves.sh

echo 'echo the reason; exit 1' >tree/tests/e2e/bad.sh
runner e2e
last_is '1 passed, 1 failed, 1 skipped'
expect_line out 'the reason'
[ -z "$(ls tree/build/tests/scratch 2>/dev/null)" ] || fail 'the runner left something behind'
