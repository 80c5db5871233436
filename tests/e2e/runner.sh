# SPDX-License-Identifier: GPL-3.0-or-later
# The test runner counts honestly: on a tree of its own, with programs that pass, fail, crash, hang and skip.
. "$SRCDIR/tests/e2e/lib.sh"

mkdir -p tree/tests/unit/room tree/tests/e2e tree/build/tests/unit/room
cp "$SRCDIR/tests/run-tests" tree/tests/
runner() {
	status=0
	env -u SRCDIR -u BUILD -u VALIDATE TEST_TIMEOUT=2 tree/tests/run-tests tree/build "$@" >out 2>&1 || status=$?
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
echo 'test -d "$TMPDIR" && test "$PWD" = "$TMPDIR" && test -z "$(ls)" && test -d "$SRCDIR" && test -d "$BUILD"' >tree/tests/e2e/good.sh
runner
last_is '4 passed, 0 failed, 2 skipped'
[ "$status" -eq 0 ] || fail "status $status though all passed"
expect_line out 'e2e/skips.sh: because'
expect_line out 'no device'
runner unit
last_is '3 passed, 0 failed, 1 skipped'
runner all good
last_is '3 passed, 0 failed, 0 skipped'

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
runner unit test_hang
last_is '0 passed, 1 failed, 0 skipped'
expect_line out 'timed out after 2 s'

: >tree/tests/unit/room/test_missing.c
runner unit test_missing
last_is '0 passed, 1 failed, 0 skipped'

# a second one in the same directory would take the scratch of the first away
cat >tree/tests/e2e/again.sh <<'END'
ls "$BUILD/tests/scratch"
env TEST_TIMEOUT=2 "$SRCDIR/tests/run-tests" "$BUILD" e2e good 2>second && exit 1
grep -q 'other tests run in' second && test -d "$TMPDIR"
END
runner e2e again
last_is '1 passed, 0 failed, 0 skipped'
# and what a test leaves running does not keep the next from beginning
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
