#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds a mesh on disk, collects it on rank 0, and computes with it, like Quake of the
# //TRACE paper.
# usage: earthquake.sh prepare|run|clean DIR [SIZE [DEVICE]]    40 times SIZE iterations (at least 10)
name=earthquake needs=mpirun ranks=8
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ranks.sh"

application() {
	n=$((size ? size * 40 : 10))
	echo "earthquake --requests $n --block-size 16K --file-size $((size ? 256 : 128))K --compute 2ms"
}

main "$@"
