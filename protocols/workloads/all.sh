#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Captures each real workload of this directory while it runs, with the state of its files before
# it.
#
# Workloads on a device and parallel applications are not included.
#
# usage: all.sh capture OUTDIR [SIZE] [NAME...]    NAME: only these
#        all.sh list
#
# The output is OUTDIR/NAME.trace; OUTDIR/work is removed. The program is $VALIDATE, else the
# program built in this source tree, else the installed program. A workload with missing programs is
# skipped with a message. If all are skipped, the status is 77.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
validate=${VALIDATE:-$here/../../build/validate}
[ -x "$validate" ] || command -v "$validate" >/dev/null || validate=validate

usage() {
	sed -n '7,8s/^# \{0,1\}//p' "$here/all.sh" >&2
	exit 2
}

list() {
	for script in "$here"/*.sh; do
		name=$(basename "$script" .sh)
		case $name in lib | ranks | all) continue ;; esac
		grep -q -e "on_device=yes" -e "ranks.sh" "$script" || echo "$name"
	done
}

capture() { # name
	status=0
	sh "$here/$1.sh" prepare "$out/work" "$size" || status=$?
	[ "$status" -ne 77 ] || return 0
	[ "$status" -eq 0 ] || exit 3
	"$validate" capture app --snapshot --root "$out/work/$1" -o "$out/$1.trace" -- \
		sh "$here/$1.sh" run "$out/work" "$size"
	sh "$here/$1.sh" clean "$out/work" "$size"
	n=$((n + 1))
}

[ $# -ge 1 ] || usage
verb=$1
shift
case $verb in
list)
	list
	;;
capture)
	[ $# -ge 1 ] && [ -d "$1" ] || usage
	out=$(cd "$1" && pwd)
	shift
	size=1
	case ${1:-} in [0-9]*)
		size=$1
		shift
		;;
	esac
	mkdir -p "$out/work"
	n=0
	for name in ${*:-$(list)}; do
		[ -f "$here/$name.sh" ] || usage
		capture "$name"
	done
	rmdir "$out/work"
	[ "$n" -gt 0 ] || exit 77
	;;
*) usage ;;
esac
