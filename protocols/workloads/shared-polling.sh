#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A pipeline of ranks that communicate only by words in shared memory, which they poll.
# usage: shared-polling.sh prepare|run|clean DIR [SIZE [DEVICE]]    100 times SIZE rounds (at least 10)
name=shared-polling needs=mpirun ranks=2
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ranks.sh"

application() {
	n=$((size ? size * 100 : 10))
	echo "shared-polling --requests $n"
}

main "$@"
