#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compare a new version of a replayer with the old version, in any CI service or in a terminal.
#
#     doc/ci/compare.sh [PROTOCOL] [RESULTS]
#
# PROTOCOL (default protocols/ci.conf) has [replayer old] and [replayer new], and [compare] names both.
# The script makes RESULTS (default ./results) and RESULTS.compare.{html,md,xml,json}. A CI service
# should keep all of them.
# Exit status: 0 no component is worse; 1 a component is worse; else a failure. INCONCLUSIVE=pass,
# fail, skip or error sets the result of an inconclusive comparison (default pass: status 0 with a
# message; STRICT=1 is INCONCLUSIVE=error: status 4). A scenario that no version can replay returns 4.
set -u
validate=${VALIDATE:-validate}
protocol=${1:-protocols/ci.conf}
results=${2:-results}
inconclusive=${INCONCLUSIVE:-pass}
[ "${STRICT:-0}" != 1 ] || inconclusive=error

# Statuses 1 and 4 of `run` are its verdicts on each version by itself. Only failures end this script.
status=0
"$validate" run "$protocol" -o "$results" --quiet >"$results.log" 2>&1 || status=$?
case $status in
0 | 1 | 4) ;;
*)
	cat "$results.log" >&2
	exit "$status"
	;;
esac

status=0
"$validate" compare "$results" --inconclusive="$inconclusive" || status=$?
case $status in
0 | 1 | 4)
	for form in markdown:md junit:xml html:html json:json; do
		"$validate" compare "$results" --inconclusive="$inconclusive" --format "${form%:*}" >"$results.compare.${form#*:}" || [ $? -eq "$status" ] || exit 3
	done
	;;
*) exit "$status" ;;
esac
exit "$status"
