#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Judges a new version of a replayer against the old one: for any CI service, and for a terminal.
#
#     doc/ci/compare.sh [PROTOCOL] [RESULTS]
#
# PROTOCOL has [replayer old], [replayer new] and both named in [compare], as protocols/ci.conf (the default). RESULTS is made
# (default ./results); it and RESULTS.compare.{html,md,xml,json} beside it are what a CI service should keep.
# Exit status: 0 no worse; what could not be decided is told, and is no failure unless STRICT=1 (then 4); 1 worse; else
# something went wrong.
set -u
validate=${VALIDATE:-validate}
protocol=${1:-protocols/ci.conf}
results=${2:-results}

# Of `run` only failures end this: 1 and 4 are its verdicts on each version by itself.
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
"$validate" compare "$results" || status=$?
case $status in
0 | 1 | 4)
	for form in markdown:md junit:xml html:html json:json; do
		"$validate" compare "$results" --format "${form%:*}" >"$results.compare.${form#*:}" || [ $? -eq "$status" ] || exit 3
	done
	;;
*) exit "$status" ;;
esac
[ "$status" -ne 4 ] || [ "${STRICT:-0}" = 1 ] || status=0
exit "$status"
