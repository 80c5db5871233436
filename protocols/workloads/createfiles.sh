#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes many small files with 16 threads and direct I/O, on an ext4 file system on a device.
# usage: createfiles.sh prepare|run|clean DIR SIZE DEVICE    files: 400 times (SIZE + 1), of 16 KiB in the mean
# $VALIDATE is the program that has the workload (default: validate)
name=createfiles needs='mkfs.ext4 mount umount wipefs' on_device=yes
. "$(dirname "$0")/lib.sh"

options() {
	echo "--level 16 --files $((400 * (size + 1))) --requests $((25 * (size + 1))) --block-size 1M --direct --dir $dir"
}

prepare() {
	file_system
	# shellcheck disable=SC2046
	"${VALIDATE:-validate}" microbench createfiles $(options) --prepare-only
	cold
}

run() {
	# shellcheck disable=SC2046
	exec "${VALIDATE:-validate}" microbench createfiles $(options) --no-prepare --no-sync-output -o "$dir.trace"
}

main "$@"
