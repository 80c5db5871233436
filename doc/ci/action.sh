#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The steps of action.yml.
#
#     action.sh install SOURCE   build the program in SOURCE and install it below /usr/local
#     action.sh compare          measure and compare; inputs are in the environment:
#       PROTOCOL      protocol with [replayer old] and [replayer new]
#       OLD, NEW      programs that the protocol starts as replayer-old and replayer-new (optional)
#       BUDGET        replaces the protocol's budget (optional)
#       INCONCLUSIVE  pass or fail: the result of an inconclusive comparison
#
# `compare` writes validate-results/, appends `verdict=WORD` to $GITHUB_OUTPUT and a table to
# $GITHUB_STEP_SUMMARY, and prints annotations.
set -eu
validate=${VALIDATE:-validate}

case ${1:-} in
install)
	if command -v "$validate" >/dev/null; then
		exit 0
	fi
	cd "$2"
	./setup all
	if [ "$(id -u)" -eq 0 ]; then make install; else sudo make install; fi
	exit 0
	;;
compare) ;;
*)
	sed -n '3,15p' "$0" >&2
	exit 2
	;;
esac

results=validate-results
mkdir -p "$results/bin"
for side in old new; do
	name=${side^^}
	if [ -n "${!name:-}" ]; then
		ln -sfn "$(realpath -e "$(type -P "${!name}")")" "$results/bin/replayer-$side"
	fi
done
PATH=$PWD/$results/bin:$PATH

protocol=$PROTOCOL
if [ -n "${BUDGET:-}" ]; then
	# beside the original, because a protocol names other files relative to itself
	protocol=$(mktemp "$(dirname "$PROTOCOL")/.validate-XXXXXX.conf")
	trap 'rm -f "$protocol"' EXIT
	awk -v budget="$BUDGET" '
		/^[ \t]*budget[ \t]*=/ { next }
		{ print }
		$0 == "[protocol]" { print "budget = " budget }' "$PROTOCOL" >"$protocol"
fi

status=0
STRICT=1 VALIDATE=$validate "$(dirname "$0")/compare.sh" "$protocol" "$results/run" || status=$?
case $status in
0 | 1 | 4)
	verdict=$(sed -n 's/^  *"outcome": *"\([a-z]*\)".*/\1/p' "$results/run.compare.json" | head -n 1)
	cat "$results/run.compare.md" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
	"$validate" compare "$results/run" --format github || true
	;;
*) verdict=failed ;;
esac
echo "verdict=$verdict" >>"${GITHUB_OUTPUT:-/dev/stdout}"
if [ "$status" -eq 4 ] && [ "${INCONCLUSIVE:-pass}" = pass ] &&
	"$validate" compare "$results/run" --inconclusive=pass >/dev/null; then
	echo '::warning::inconclusive: neither shown to be the same nor shown to be worse'
	status=0
fi
exit "$status"
