#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A checkpoint: the ranks write one file, interleaved, wait for each other once, and read their
# blocks back (Pseudo of the //TRACE paper).
# usage: checkpoint.sh prepare|run|clean DIR [SIZE [DEVICE]]    each rank writes 32 times SIZE blocks (at least 16)
name=checkpoint needs=mpirun ranks=8
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ranks.sh"

application() {
	n=$((size ? size * 32 : 16))
	echo "checkpoint --requests $n --file-size $((n * 64))K"
}

main "$@"
