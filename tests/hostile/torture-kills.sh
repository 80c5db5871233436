#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Kills small campaigns at random times and resumes them: no run is lost or made twice, nothing is
# left over, and results that do not depend on measured times are the same as without a kill.
#
# usage: tests/hostile/torture-kills.sh SECONDS SEED
#
# VALIDATE: the program. The current directory: where campaigns are made; a campaign that failed is
# kept there. Prints a line for each failure, and at the end "count kills N", "count kills-campaigns
# N" and "count kills-failures N". Status: 0, 1 after a failure.
SRCDIR=$(cd "$(dirname "$0")/../.." && pwd)
seconds=$1 state=$2
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

n_kills=0 n_campaigns=0 n_failures=0

random_below() { # N: sets $random; the generator of Park and Miller
	state=$(((state % 2147483646 + 1) * 48271 % 2147483647))
	random=$((state % $1))
}

went_well() { # STATUS of a campaign that completed
	case $1 in 0 | 1 | 4) ;; *) return 1 ;; esac
}

# A campaign; "fail" ends the subshell in which this is called
campaign() {
	kills=0
	while [ "$kills" -lt 40 ] && [ "$(date +%s)" -lt "$until" ]; do
		if [ -f results/journal ]; then
			journal_runs results >before
			"$VALIDATE" run -o results --resume -q >out 2>err &
		else
			[ ! -s before ] || fail 'the journal is gone'
			rm -rf results
			"$VALIDATE" run tiny.conf -o results -q >out 2>err &
		fi
		pid=$!
		# often soon after the start, so that there are more kills; a later start continues
		# from there
		random_below 3
		[ "$random" -eq 0 ] && random_below 900 || random_below 250
		sleep "0.$(printf %03d "$random")"
		if ! kill -KILL $pid 2>/dev/null; then
			wait $pid && status=0 || status=$?
			went_well $status || fail "status $status: $(head -n 3 err)"
			break
		fi
		wait $pid 2>/dev/null || :
		kills=$((kills + 1))
		echo "$kills" >kills
		[ ! -f results/journal ] || journal_runs results >after
		head -n "$(wc -l <before)" after | cmp -s - before || fail "kill $kills: finished runs were lost"
	done
	status=0
	if [ -f results/journal ]; then
		"$VALIDATE" run -o results --resume -q >out 2>err || status=$?
	else
		rm -rf results
		"$VALIDATE" run tiny.conf -o results -q >out 2>err || status=$?
	fi
	went_well $status || fail "status $status at the last resume: $(head -n 3 err)"
	judge
}

judge() {
	complete results "$N_TINY"
	clean results
	# on a busy machine a slice can be too short for its requests
	! grep '"state":"failed"' results/journal | grep -v 'were in flight at a switch of slices' >failed ||
		fail "a run failed: $(head -n 1 failed)"
	cmp -s results/plan.json ../undisturbed/results/plan.json || fail 'the plan is another one'
	[ -z "$(find results -name '.validate-*')" ] ||
		fail "left behind: $(find results -name '.validate-*')"
	cases results >cases
	cases ../undisturbed/results | cmp -s - cases || fail 'the report is about other cases'
	# the report is a function of the results
	status=0
	cp results/report/report.json left.json
	"$VALIDATE" report results --format json >out 2>err || status=$?
	went_well $status || fail "status $status of report: $(head -n 3 err)"
	cmp -s left.json results/report/report.json || fail 'the report made again is another one'
}

cases() { # DIR: scenarios and replayers in the report
	tr ',{' '\n\n' <"$1/report/report.json" | grep -oE '"(scenario|replayer)": *"[^"]*"' | sort -u
}

mkdir -p undisturbed
cd undisturbed
tiny tiny.conf 'seed = 5'
rm -rf results
status=0
"$VALIDATE" run tiny.conf -o results -q >out 2>err || status=$?
went_well $status || fail "a campaign without a kill: status $status: $(cat err)"
cd ..
until=$(($(date +%s) + seconds))
while [ "$(date +%s)" -lt "$until" ]; do
	rm -rf killed
	mkdir killed
	cp undisturbed/tiny.conf killed
	: >killed/before
	: >killed/after
	echo 0 >killed/kills
	random_below 1000000
	n_campaigns=$((n_campaigns + 1))
	(cd killed && campaign) >killed.log 2>&1 || {
		n_failures=$((n_failures + 1))
		echo "FAILED kills, campaign $n_campaigns of seed $2: $(tail -n 1 killed.log); $PWD/killed-$n_failures"
		mv killed "killed-$n_failures"
	}
	n_kills=$((n_kills + $(cat killed/kills "killed-$n_failures/kills" 2>/dev/null | head -n 1)))
done
rm -rf killed undisturbed
echo "count kills $n_kills"
echo "count kills-campaigns $n_campaigns"
echo "count kills-failures $n_failures"
[ $n_failures -eq 0 ]
