# SPDX-License-Identifier: GPL-3.0-or-later
# Common functions of the scripts of real workloads. A script is called in these ways:
#
#     NAME.sh prepare DIR    make the input files in DIR, with the same bytes every time
#     NAME.sh run DIR        do the work once; only this is captured
#     NAME.sh clean DIR      remove DIR/NAME
#
# A size can follow: a whole number. 1 takes about a second on a small machine. 0 is the smallest
# work that still uses everything. prepare and run need the same size.
#
# Workloads on a device get the device as a fourth argument, after SIZE. They make a file system on
# it and mount it on DIR/NAME. clean unmounts it and leaves no signature. The content of the device
# is lost.
#
# A script sets `name` and `needs` (programs). It defines prepare and run, which work in the
# directory DIR/NAME. Then it calls main "$@".
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

# attach: mounts the device. ext4 would commit its journal every 5 s, so a run that takes longer on a
# slow device would make requests that a faster device does not get. Here it commits every 600 s.
# With the other option the kernel reads the bitmaps of free blocks only when they are needed, not
# ahead in the background. Kernels before 5.11 lack this option and never read them ahead.
attach() {
	mount -t ext4 -o commit=600,no_prefetch_block_bitmaps "$device" "$dir" 2>/dev/null ||
		mount -t ext4 -o commit=600 "$device" "$dir"
}

# file_system [OPTION...]: makes a fresh file system on the device and mounts it on DIR/NAME, which
# becomes the working directory. The file system needs no work in the background and discards no
# blocks. Options are those of mkfs.ext4.
make_options='-q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0'
file_system() {
	# shellcheck disable=SC2086
	mkfs.ext4 $make_options "$@" "$device"
	attach
	cd "$dir"
}

# cold: writes everything to the device and empties the cache
cold() {
	cd /
	umount "$dir"
	attach
	cd "$dir"
}

# wipe: removes all signatures. It tries again, because a container that copied the mounts when it
# started can keep the device busy for a moment.
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

# random N SEED: N lines of six digits, the same for the same seed on every system (Park and
# Miller's generator; its products are exact in awk's doubles)
random() {
	awk -v n="$1" -v x="$2" 'BEGIN { for (i = 0; i < n; i++) { x = (x * 16807) % 2147483647; printf "%06d\n", x % 1000000 } }'
}
