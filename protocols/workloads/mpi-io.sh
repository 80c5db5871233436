#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Ranks write and read a file by MPI's functions. The MPI library chooses the rank that makes each
# request of the file system.
# usage: mpi-io.sh prepare|run|clean DIR [SIZE [DEVICE]]    16 times SIZE blocks of each rank (at least 2)
name=mpi-io needs=mpirun ranks=4 buffered=yes
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ranks.sh"

application() {
	n=$((size ? size * 16 : 2))
	echo "mpi-io --requests $n --file-size $((n * 64))K"
}

main "$@"
