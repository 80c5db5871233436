# SPDX-License-Identifier: GPL-3.0-or-later
# The real workloads of protocols/workloads at their smallest size: the same inputs every time, only
# `run` is captured, and capture and strace agree call by call.
. "$SRCDIR/tests/e2e/lib.sh"
command -v strace >/dev/null || skip 'strace is not installed'
strace -o probe true 2>/dev/null || skip 'strace is not allowed to trace here'

scripts=$SRCDIR/protocols/workloads
mkdir in captured
"$scripts/all.sh" list >list
[ "$(tr '\n' ' ' <list)" = 'build git sort sqlite tar ' ] || fail "the list is: $(cat list)"

inputs() { # of a workload, as one number
	(cd "in/$1" && find . -type f ! -path '*/.git/*' | sort | xargs cksum | cksum)
}

missing= compared=
while read -r name; do
	status=0
	sh "$scripts/$name.sh" prepare in 0 2>err || status=$?
	if [ "$status" -eq 77 ]; then
		missing="$missing $name"
		continue
	fi
	[ "$status" -eq 0 ] || fail "$name: prepare ended with $status: $(cat err)"
	first=$(inputs "$name")
	sh "$scripts/$name.sh" prepare in 0
	[ "$(inputs "$name")" = "$first" ] || fail "$name: prepared twice, the inputs differ"
	# without --snapshot, because strace would record the snapshot's own calls too
	strace -f -o seen "$VALIDATE" capture app -o trace -- "$scripts/$name.sh" run in 0 >out.txt 2>err </dev/null || {
		cat err >&2
		fail "capture of $name"
	}
	grep -q 'status 0' out.txt err || fail "$name failed: $(cat out.txt err)"
	"$VALIDATE" info trace --csv trace.csv >/dev/null
	"$SRCDIR/tests/e2e/capture-app-compare" trace.csv seen >told || {
		tail -n 30 told >&2
		fail "strace and capture disagree about $name"
	}
	alike=$(sed -n '$s/ alike.*//p' told)
	[ "$alike" -ge 200 ] || fail "$name: only $alike calls compared"
	compared="$compared $name"
	echo "$name: $(tail -n 1 told)"
	case $name in
	sort) sort -c in/sort/sorted && [ "$(wc -l <in/sort/sorted)" -eq 20000 ] || fail 'sort did not sort' ;;
	tar) diff -r in/tar/tree in/tar/unpacked/tree || fail 'tar unpacked something else' ;;
	sqlite) [ "$(wc -l <in/sqlite/answers)" -ge 10 ] || fail 'sqlite gave no answers' ;;
	git) [ -n "$(ls in/git/clone/.git/objects/pack)" ] || fail 'git packed nothing' ;;
	build) [ -n "$(in/build/obj/program)" ] || fail 'the program that was built does not run' ;;
	esac
	sh "$scripts/$name.sh" clean in 0
done <list
[ -z "$(ls in)" ] || fail "clean left $(ls in)"
[ -n "$compared" ] || skip "none of the programs of$missing is installed"
[ -z "$missing" ] || echo "not installed, left out:$missing"

# all of them by one command, each with its initial state
name=${compared##* }
VALIDATE=$VALIDATE "$scripts/all.sh" capture captured 0 "$name" >/dev/null 2>err || fail "all.sh: $(cat err)"
[ "$(ls captured)" = "$name.trace" ] || fail "all.sh left $(ls captured)"
"$VALIDATE" info "captured/$name.trace" >info.txt
grep -qi 'needed before the first request' info.txt || fail 'the snapshot is not in the trace'

# wrong usage is reported, and nothing is created
for wrong in 'sort.sh' 'sort.sh run' 'sort.sh jump in' 'sort.sh prepare in -1' 'sort.sh prepare in many' 'all.sh' 'all.sh capture missing'; do
	set -- $wrong
	script=$1
	shift
	expect_status 2 "$scripts/$script" "$@"
	expect_line err 'usage'
done
expect_status 3 "$scripts/sort.sh" prepare missing
[ -z "$(ls in)" ] || fail 'wrong usage made something'
