# SPDX-License-Identifier: GPL-3.0-or-later
# Methods of waiting, and schedulers: accepted, refused and recorded values.
. "$SRCDIR/tests/e2e/lib.sh"

mkdir target
run() { # status, then arguments
	want=$1
	shift
	expect_status "$want" "$VALIDATE" replay --dir target "$@"
}
extra() { # TRACE FILTER: of the metadata
	"$VALIDATE" info --json "$1" | jq -r ".meta.extra$2"
}
"$VALIDATE" microbench rr --level 3 --requests 60 --file-size 64K --pause 200us --dir target -o rr.trace >/dev/null

# each way of waiting, with and without pre-spin: no request earlier than its time, and as many as
# traced
for how in --wait=hybrid "--wait=hybrid --no-pre-spin" --wait=spin --wait=nanosleep; do
	for engine in event coordinator; do
		run 0 --engine $engine --timing timestamp --order thread $how -o out.trace rr.trace
		expect_line out 'requests        180 of 180'
		expect_line out 'mismatches      0'
	done
done
run 0 --processes --timing timestamp --order thread -o out.trace rr.trace
expect_line out 'requests        180 of 180'
run 2 --timing timestamp --wait sleep rr.trace
expect_line err 'hybrid, nanosleep, spin'
expect_status 2 "$VALIDATE" microbench rr --pause 1us --pause-by sleep --dir target -o out2.trace
expect_line err 'hybrid, nanosleep, spin'

# unknown policies, and values that the kernel would refuse
for bad in fifo fifo:0 rr:100 other:1 deadline:1ms deadline:2ms/1ms deadlines; do
	run 2 --scheduler $bad rr.trace
	expect_line err "$bad"
done
run 2 --scheduler deadline --pin rr.trace
expect_line err 'no deadline thread with an affinity mask'
expect_status 2 "$VALIDATE" microbench rr --scheduler fifo:100 --dir target -o out2.trace
if [ "$(nproc)" -gt 1 ] && command -v taskset >/dev/null; then
	expect_status 2 taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" \
		"$VALIDATE" replay --dir target --scheduler deadline rr.trace
	expect_line err 'may use only 1 of'
fi

# with permission: set for the workers, recorded, and the meaning of real time is explained
run 0 --scheduler batch -o out.trace rr.trace
[ "$(extra out.trace .replay.scheduling.policy)" = batch ] || fail "batch is not recorded"
run 0 -o out.trace rr.trace
[ "$(extra out.trace .replay.scheduling)" = null ] || fail "a scheduler is recorded without the option"

# without permission: one message with the name of the limit, and no request was issued
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 . && chmod -R a+rX . && mkdir -m 777 open
	cp "$VALIDATE" ./validate-copy && chmod 755 validate-copy
	if setpriv --reuid 12345 --regid 12345 --clear-groups ./validate-copy version >/dev/null 2>&1; then
		for policy in fifo:10 deadline:100us/10ms; do
			expect_status 3 setpriv --reuid 12345 --regid 12345 --clear-groups --bounding-set -sys_nice \
				./validate-copy replay --dir target --scheduler $policy -o open/out.trace rr.trace
			expect_line err "scheduling policy ${policy%%:*}"
			expect_line err 'is not permitted'
			expect_line err 'CAP_SYS_NICE'
			[ "$(wc -l <err)" -eq 1 ] || fail "more than a sentence: $(cat err)"
			[ ! -e open/out.trace ] || fail "a trace of nothing was left"
		done
		expect_status 3 setpriv --reuid 12345 --regid 12345 --clear-groups \
			./validate-copy microbench rr --scheduler rr:5 --requests 10 --file-size 4K --dir open -o open/own.trace
		expect_line err 'RLIMIT_RTPRIO'
	fi
fi

chrt -f 10 true 2>/dev/null || skip "real-time scheduling is not permitted here: what follows was not tried"
for policy in fifo:10 rr:5 deadline deadline:100us/10ms; do
	for how in --no-processes --processes; do
		rm -f out.trace
		status=0
		"$VALIDATE" replay --dir target $how --scheduler $policy --timing timestamp --order thread -o out.trace rr.trace \
			>out 2>err || status=$?
		# Linux 6.18 may reserve the share of ended deadline threads for minutes
		if [ $status -eq 3 ] && [ "${policy%%:*}" = deadline ]; then
			expect_line err 'the kernel does not admit'
			[ ! -e out.trace ] || fail "a trace of nothing was left"
			continue
		fi
		[ $status -eq 0 ] || fail "$policy $how: status $status: $(cat err)"
		expect_line out 'requests        180 of 180'
		expect_line out 'real-time throttling'
		[ "$(extra out.trace .replay.scheduling.policy)" = "${policy%%:*}" ] || fail "$policy is not recorded"
		[ "$(extra out.trace .replay.options.scheduler)" = "$policy" ] || fail "$policy is not among the options"
		[ $policy != deadline:100us/10ms ] || [ "$(extra out.trace .replay.scheduling.runtime_ns)" = 100000 ] ||
			fail "the runtime is not recorded"
	done
done
run 3 --scheduler deadline:999us/1ms rr.trace
expect_line err '3 threads with'
expect_line err 'the kernel does not admit'
expect_status 0 "$VALIDATE" microbench rr --scheduler fifo:3 --requests 10 --file-size 64K --dir target -o own.trace
[ "$(extra own.trace .scheduling.priority)" = 3 ] || fail "the program's scheduler is not recorded"
run 0 --scheduler fifo:10 --wait spin --timing timestamp --order thread rr.trace
[ "$(nproc)" -ge 3 ] || expect_line out '3 spinning real-time threads share'
