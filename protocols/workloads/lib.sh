# SPDX-License-Identifier: GPL-3.0-or-later
# What the scripts of real workloads share. Each is called as
#
#     NAME.sh prepare DIR    makes its inputs in DIR, from nothing but itself: the same bytes every time
#     NAME.sh run DIR        does the work, once, and nothing else: this is what is captured
#     NAME.sh clean DIR      removes DIR/NAME
#
# A size may follow: a whole number, 1 is a second or so on a small machine, 0 the least that still does everything. It must be the
# same for prepare and run.
#
# A script sets `name` and `needs` (programs), and defines prepare and run, which work in the directory DIR/NAME; then it calls
# main "$@".
set -eu
LC_ALL=C
export LC_ALL
unset CDPATH

usage() {
	# name and needs are set by the script
	# shellcheck disable=SC2154
	echo "usage: $name.sh prepare|run|clean DIR [SIZE]" >&2
	exit 2
}

main() {
	[ $# -eq 2 ] || [ $# -eq 3 ] || usage
	verb=$1 dir=$2 size=${3:-1}
	case $size in '' | *[!0-9]*) usage ;; esac
	[ -d "$dir" ] || {
		echo "$name.sh: $dir is no directory" >&2
		exit 3
	}
	for program in $needs; do
		command -v "$program" >/dev/null || {
			echo "$name.sh: $program is not installed" >&2
			exit 77
		}
	done
	dir=$(cd "$dir" && pwd)/$name
	case $verb in
	prepare)
		rm -rf "$dir"
		mkdir "$dir"
		cd "$dir"
		prepare
		;;
	run)
		cd "$dir" || exit 3
		run
		;;
	clean) rm -rf "$dir" ;;
	*) usage ;;
	esac
}

# random N SEED: N lines of six digits, the same for the same seed on every system (Park and Miller's generator: its
# products are exact in awk's doubles)
random() {
	awk -v n="$1" -v x="$2" 'BEGIN { for (i = 0; i < n; i++) { x = (x * 16807) % 2147483647; printf "%06d\n", x % 1000000 } }'
}
