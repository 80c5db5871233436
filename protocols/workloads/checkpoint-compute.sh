#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Like checkpoint-sync.sh, but ranks compute after reading each block back (PseudoSyncDat of the
# //TRACE paper).
# usage: checkpoint-compute.sh prepare|run|clean DIR [SIZE [DEVICE]]    each rank writes 32 times SIZE blocks (at least 16)
name=checkpoint-compute needs=mpirun ranks=8
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ranks.sh"

application() {
	n=$((size ? size * 32 : 16))
	echo "checkpoint-compute --requests $n --file-size $((n * 64))K --compute 2ms"
}

main "$@"
