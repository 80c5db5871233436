# SPDX-License-Identifier: GPL-3.0-or-later
# capture causality: no time between requests is lost. The trace distinguishes sleeping from
# computing, and waiting for a process that is not a node from waiting for a node.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
command -v jq >/dev/null || skip 'no jq'
${CC:-cc} -w -O1 -o parallel "$SRCDIR/tests/programs/parallel.c" -pthread || fail 'parallel.c does not compile'
mkdir work
cd work

deps() { # jq filter that must hold
	"$VALIDATE" deps --json ../trace >../deps.json || fail 'deps fails'
	jq -e "$1" ../deps.json >/dev/null || fail "not: $1: $(cat ../deps.json)"
}

# Captures the program until no warning of a longer replay appears, at most three times: a busy
# machine can lengthen single runs, but time that is lost is lost in each capture.
captured() { # PROGRAM, ARGUMENT, WHAT is lost
	for attempt in 1 2 3; do
		rm -rf ../trace ../trace.runs ./*
		expect_status 0 "$VALIDATE" capture causality -o ../trace --root . -- ../parallel "$1" "$2"
		grep 'a replay will take' out || return 0
	done
	fail "the time of $3 is lost"
}

# a child that only ends computes for 20 ms before each write: it sends no message, so it is no node
captured spawned 6 'a child'
expect_line out 'of 1 node '
expect_line out 'for something other than a node'
deps '.external_ns > 100e6 and .asleep_ns == 0 and .compute_ns < .external_ns / 2'
deps '.predicted_ns > 110e6'
"$VALIDATE" export --to parallel ../trace -o ../text >/dev/null
[ "$(grep -c '^EXTERNAL(' ../text)" -ge 5 ] || fail "$(cat ../text)"
"$VALIDATE" import --from parallel ../text -o ../back >/dev/null
"$VALIDATE" export --to parallel ../back -o ../text-of-back >/dev/null
[ "$(sed 1d ../text)" = "$(sed 1d ../text-of-back)" ] || fail 'the text and back differ'

# a process without requests computes for 5 ms before each turn of two others: it is a node
captured relay 6 'a process without requests'
expect_line out 'of 3 nodes'
deps '.n_waits >= 22 and .compute_ns > 11 * 5e6 * 0.9'

# a thread without requests computes for 20 ms before each write: it is a node
captured helped 6 'a thread without requests'
expect_line out 'of 2 nodes'
deps '.compute_ns > 5 * 20e6 * 0.9 and .external_ns < .compute_ns'

# four processes sleep 20 ms before each write, by all calls; with fewer CPUs, computing is in CPU
# time
rm -rf ../trace ../trace.runs ./*
expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --clock cpu -- ../parallel naps 7
deps '.asleep_ns > 4 * 6 * 20e6 and .compute_ns < 500e6' # (before the first request of all is nothing)
deps '.external_ns < .asleep_ns / 2'
deps '.predicted_ns > 120e6'
"$VALIDATE" export --to parallel ../trace -o ../text >/dev/null
[ "$(grep -c '^SLEEP(' ../text)" -ge 24 ] || fail "$(cat ../text)"

# if no request is delayed, the cause of a wait is unknown: it is not replayed, and a warning names it
rm -rf ../trace ../trace.runs ./*
expect_status 0 "$VALIDATE" capture causality -o ../trace --root . --nodes none -- sh -c '../parallel spawned 6 & ../parallel independent; wait'
expect_line out 'is not explained by any dependency'
deps '.external_ns == 0'
