#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes an ext4 file system on a device, by direct I/O, with all of its tables.
# usage: mkfs.sh prepare|run|clean DIR SIZE DEVICE    SIZE is ignored
name=mkfs needs='mkfs.ext4 wipefs' on_device=yes
. "$(dirname "$0")/lib.sh"

prepare() { :; }

run() {
	# shellcheck disable=SC2086
	exec mkfs.ext4 -D $make_options "$device"
}

main "$@"
