# SPDX-License-Identifier: GPL-3.0-or-later
# Replayers with the right mean response time that must not be trusted: stored results of a campaign
# with each, beside a faultless replayer. build/tests/bench/make-frauds makes
# tests/data/frauds/NAME.tar.gz.
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

for archive in "$SRCDIR"/tests/data/frauds/*.tar.gz; do
	name=$(basename "$archive" .tar.gz)
	gzip -dc "$archive" | tar xf -
	report "$name"
	[ "$(verdict "$name" fraud)" = 'not trusted' ] || fail "$name: $(verdict "$name" fraud)"
	[ "$(verdict "$name" faultless)" = trusted ] ||
		fail "faultless replayer beside $name: $(jq -c '.cells[] | select(.replayer == "faultless") | [.components[] | select(.decision != "accept") | .reason]' "$name.json")"
	# the components that see it, and no others
	rejected=$(jq -r '[.cells[] | select(.replayer == "fraud") | .components[] | select(.decision == "reject") | .component] | join(", ")' "$name.json")
	case $name in
	all-alike | two-modes) expected='shape, tail' ;;
	heavy-tail) expected='typical response, tail' ;;
	fast-then-slow) expected='bias by half' ;;
	fast-reads) expected='shape, tail, bias by operation' ;;
	ignores-storage) # its scatter relative to the program's is wrong, too
		case ", $rejected, " in *', responsiveness, '*) ;; *) fail "$name is rejected by: $rejected" ;; esac
		continue
		;;
	*) fail "nothing is expected of $name" ;;
	esac
	[ "$rejected" = "$expected" ] || fail "$name is rejected by: $rejected; not by: $expected"
	# without them the fraud passes: they are what finds it
	sed -i '/^\[accept\]/a typical = none\nshape = none\ntail = none\noperation = none\nhalf = none' "$name/protocol.conf"
	report "$name"
	[ "$(verdict "$name" fraud)" = trusted ] || fail "$name without those components: $(verdict "$name" fraud)"
done
