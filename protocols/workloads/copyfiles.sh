#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Copies many small files with 256 threads and direct I/O, on an ext4 file system on a device.
# usage: copyfiles.sh prepare|run|clean DIR SIZE DEVICE    files: 256 times (SIZE + 1), of 16 KiB in the mean
# $VALIDATE is the program that has the workload (default: validate)
name=copyfiles needs='mkfs.ext4 mount umount wipefs' on_device=yes
. "$(dirname "$0")/lib.sh"

options() {
	echo "--level 256 --files $((256 * (size + 1))) --requests $((size + 1)) --block-size 128K --direct --dir $dir"
}

prepare() {
	file_system
	# shellcheck disable=SC2046
	"${VALIDATE:-validate}" microbench copyfiles $(options) --prepare-only
	cold
}

run() {
	# shellcheck disable=SC2046
	exec "${VALIDATE:-validate}" microbench copyfiles $(options) --no-prepare --no-sync-output -o "$dir.trace"
}

main "$@"
