#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A checkpoint whose ranks wait for each other after every write (PseudoSync of the parallel-trace
# paper).
# usage: checkpoint-sync.sh prepare|run|clean DIR [SIZE [DEVICE]]    each rank writes 32 times SIZE blocks (at least 16)
name=checkpoint-sync needs=mpirun ranks=8
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ranks.sh"

application() {
	n=$((size ? size * 32 : 16))
	echo "checkpoint-sync --requests $n --file-size $((n * 64))K"
}

main "$@"
