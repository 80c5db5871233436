#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Captures the real workloads beside it, each one live, with the state of its files before it.
#
# Those that work on a device, and parallel applications, are not among them.
#
# usage: all.sh capture OUTDIR [SIZE] [NAME...]    NAME: only these
#        all.sh list
#
# OUTDIR/NAME.trace is what is left, and OUTDIR/work is removed. The program is VALIDATE, or else what was built in this source
# tree, or else the installed one.
# A workload whose programs are missing is named and skipped; status 77 when that was all of them.
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
