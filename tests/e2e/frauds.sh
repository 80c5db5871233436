# SPDX-License-Identifier: GPL-3.0-or-later
# Replayers with the right mean response time that must not be trusted: stored results of a campaign
# with each such replayer, and of a campaign with a faultless replayer.
# build/tests/bench/make-frauds makes tests/data/frauds/NAME.tar.gz.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"

verdict() { # NAME REPLAYER: of its stored results
	jq -r --arg r "$2" '.cells[] | select(.replayer == $r) | .verdict' "$1.json"
}

report() { # NAME: whatever the verdict
	status=0
	"$VALIDATE" report "$1" --format json >"$1.json" 2>err || status=$?
	any_verdict "$1"
}

differences() { # NAME: what the report says about the fraud
	case $1 in
	all-alike)
		echo "50.4 % of the program's requests and 100 % of the replay's requests take at most 1.03 times the typical response time of their run (mean of its fastest 90 %)"
		echo 'the slowest 1 % of the requests take 53 % less time'
		;;
	two-modes) echo "9.95 % of the program's requests and 49.9 % of the replay's requests take at most 0.7 times the typical response time of their run (mean of its fastest 90 %)" ;;
	heavy-tail)
		echo 'the fastest 90 % of the requests take 17 % less time'
		echo 'the slowest 1 % of the requests take 499 % longer'
		;;
	fast-then-slow)
		echo 'requests of the first half of the run take 24 % less time'
		echo 'requests of the second half of the run take 23 % longer'
		;;
	fast-reads)
		echo 'pread takes 28 % less time'
		echo 'pwrite takes 68 % longer'
		;;
	ignores-storage)
		echo 'the replays scatter 6.1 times as much as the program'
		echo 'times do not follow the storage: on slower storage, the response times are 33 % too short'
		;;
	*) fail "nothing is expected of $1" ;;
	esac
}

for archive in "$SRCDIR"/tests/data/frauds/*.tar.gz; do
	name=$(basename "$archive" .tar.gz)
	gzip -dc "$archive" | tar xf -
	report "$name"
	# both forms name the difference, and the first screen points to it
	for text in summary.txt index.html; do
		sed "s/&#39;/'/g" "$name/report/$text" | tr -s '\n ' ' ' >shown
		differences "$name" | while IFS= read -r difference; do
			grep -qF "$difference" shown || fail "$text of $name lacks: $difference: $(cat "$name/report/summary.txt")"
		done
	done
	expect_line "$name/report/summary.txt" 'Why the replays differ'
	expect_line "$name/report/summary.txt" 'states the causes.'
	[ "$(verdict "$name" fraud)" = 'not trusted' ] || fail "$name: $(verdict "$name" fraud)"
	[ "$(verdict "$name" faultless)" = trusted ] ||
		fail "faultless replayer beside $name: $(jq -c '.cells[] | select(.replayer == "faultless") | [.components[] | select(.decision != "accept") | .reason]' "$name.json")"
	# the components that detect it, and no others
	rejected=$(jq -r '[.cells[] | select(.replayer == "fraud") | .components[] | select(.decision == "reject") | .component] | join(", ")' "$name.json")
	case $name in
	all-alike | two-modes) expected='shape, tail' ;;
	heavy-tail) expected='typical response, tail' ;;
	fast-then-slow) expected='bias by half' ;;
	fast-reads) expected='shape, tail, bias by operation' ;;
	ignores-storage) # its scatter relative to the program's scatter is wrong, too
		case ", $rejected, " in *', responsiveness, '*) ;; *) fail "$name is rejected by: $rejected" ;; esac
		continue
		;;
	esac
	[ "$rejected" = "$expected" ] || fail "$name is rejected by: $rejected; not by: $expected"
	# without these components the fraud passes, so they detect it
	sed -i '/^\[accept\]/a typical = none\nshape = none\ntail = none\noperation = none\nhalf = none' "$name/protocol.conf"
	report "$name"
	[ "$(verdict "$name" fraud)" = trusted ] || fail "$name without those components: $(verdict "$name" fraud)"
done
