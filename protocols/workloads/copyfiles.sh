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
	# Each thread reserves 47 blocks of the journal for a new file. In the default journal of a
	# small file system, 256 threads can fill the transaction, and its commit then adds 200 to 480
	# requests to some runs.
	file_system -J size=64
	# shellcheck disable=SC2046
	"${VALIDATE:-validate}" microbench copyfiles $(options) --prepare-only
	cold
}

run() {
	# shellcheck disable=SC2046
	exec "${VALIDATE:-validate}" microbench copyfiles $(options) --no-prepare --no-sync-output -o "$dir.trace"
}

main "$@"
