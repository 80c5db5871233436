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
# Those that work on a device have it as a fourth argument (SIZE must be given then): they make a file system on it, mount it on DIR/NAME, and
# clean unmounts it and leaves no signature behind. What is on the device is lost.
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
	echo "usage: $name.sh prepare|run|clean DIR [SIZE]${on_device:+ DEVICE}" >&2
	exit 2
}

# attach: mounts the device. What the kernel would read ahead of use in the background, the bitmaps of free blocks, it reads when the work needs them
# (kernels before 5.11 have no such option, and do it that way).
attach() {
	mount -t ext4 -o no_prefetch_block_bitmaps "$device" "$dir" 2>/dev/null || mount -t ext4 "$device" "$dir"
}

# file_system: a fresh one on the device, mounted on DIR/NAME, which becomes the working directory. Nothing is left to be done in the
# background, and no blocks are discarded.
make_options='-q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0'
file_system() {
	# shellcheck disable=SC2086
	mkfs.ext4 $make_options "$device"
	attach
	cd "$dir"
}

# cold: everything is on the device, and nothing in the cache
cold() {
	cd /
	umount "$dir"
	attach
	cd "$dir"
}

# wipe: no signature stays. Whoever copied the mounts meanwhile (a container that was just started) holds the device for a moment longer.
wipe() {
	tries=0
	until wipefs -q -a "$device" 2>"$dir.wipefs"; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || {
			cat "$dir.wipefs" >&2
			exit 3
		}
		sleep 0.1
	done
	rm -f "$dir.wipefs"
}

unmount() {
	if [ -n "$device" ] && mountpoint -q "$dir" 2>/dev/null; then
		umount "$dir"
	fi
}

main() {
	[ $# -ge 2 ] && [ $# -le 4 ] || usage
	verb=$1 dir=$2 size=${3:-1} device=${4:-}
	[ -z "${on_device:-}" ] || [ -n "$device" ] || usage
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
		unmount
		rm -rf "$dir"
		mkdir "$dir"
		cd "$dir"
		prepare
		;;
	run)
		cd "$dir" || exit 3
		run
		;;
	clean)
		unmount
		[ -z "$device" ] || wipe
		rm -rf "$dir" "$dir.trace" "$dir.command"
		;;
	*) usage ;;
	esac
}

# random N SEED: N lines of six digits, the same for the same seed on every system (Park and Miller's generator: its
# products are exact in awk's doubles)
random() {
	awk -v n="$1" -v x="$2" 'BEGIN { for (i = 0; i < n; i++) { x = (x * 16807) % 2147483647; printf "%06d\n", x % 1000000 } }'
}
