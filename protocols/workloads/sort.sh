#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sorts a file that is larger than the memory limit, so that sort writes and merges temporary files.
# usage: sort.sh prepare|run|clean DIR [SIZE]    lines: 400,000 times SIZE (at least 20,000)
name=sort needs='sort awk'
. "$(dirname "$0")/lib.sh"

prepare() {
	random $((size ? size * 400000 : 20000)) 1 >numbers
	mkdir temporary
}

run() {
	# a buffer of a tenth of the file: ten runs, merged at the end; one thread, so that there is
	# one order of requests
	exec sort --buffer-size=$((size ? size * 400 : 20))K --parallel=1 --temporary-directory=temporary -o sorted numbers
}

main "$@"
