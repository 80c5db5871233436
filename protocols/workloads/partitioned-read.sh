#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Ranks read the parts of one file in turn (Fitness of the //TRACE paper).
# usage: partitioned-read.sh prepare|run|clean DIR [SIZE [DEVICE]]    each rank reads 64 times SIZE blocks (at least 16)
name=partitioned-read needs=mpirun ranks=4
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ranks.sh"

application() {
	n=$((size ? size * 64 : 16))
	echo "partitioned-read --requests $n --file-size $((n * 64))K"
}

main "$@"
