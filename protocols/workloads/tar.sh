#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Packs a tree of small files into an archive and unpacks it elsewhere.
# usage: tar.sh prepare|run|clean DIR [SIZE]    files: 2000 times SIZE (at least 100), of some 60 bytes to 20 KB
name=tar needs='tar awk'
. "$(dirname "$0")/lib.sh"

prepare() {
	mkdir tree unpacked
	# sizes as of a source tree: many small files, few large ones
	random $((size ? size * 2000 : 100)) 2 | awk '{
		if (NR % 20 == 1) { dir = sprintf("tree/d%04d", NR / 20); system("mkdir " dir) }
		file = sprintf("%s/f%02d", dir, NR % 20)
		n = 1 + int(exp($1 / 1000000 * 6))
		for (i = 0; i < n; i++) printf "%06d line %d of a file with %d of them\n", $1, i, n >file
		close(file)
	}'
	# the same times in every archive
	find tree -exec touch -h -d 2000-01-01 {} +
}

run() {
	tar -cf archive.tar tree
	tar -xf archive.tar -C unpacked
}

main "$@"
