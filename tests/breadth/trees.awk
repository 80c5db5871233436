# SPDX-License-Identifier: GPL-3.0-or-later
# Compares the tree that a replay left with the tree that the program left.
#
# usage: awk -F '\t' -v snapshot=0|1 -v links=0|1 -f trees.awk BEFORE AFTER AGAIN
#        awk -F '\t' -v changed=1 -f trees.awk BEFORE AFTER
#
# The first form prints a line for each difference, the second the regular files made or changed.
# Each file lists a tree: path, kind, permissions, size, links, target of a link, inode, time of
# modification. BEFORE and AFTER are the program's directory before and after its run, AGAIN is the
# replay's. A file whose links changed in number is not a changed file.
#
# A trace with a snapshot contains the state before the run: then all permissions, sizes and targets
# must be equal. A trace without a snapshot shows only what the program changed: then those of new
# files and of changed files must be equal. Files that the program did not change may be missing,
# because it may not have used them. This also applies to files below a directory that it moved.
FILENAME == ARGV[1] {
	for (i = 2; i <= 8; i++) before[$1, i] = $i
	was[$1] = 1
	inode[$2, $3, $4, $6, $7, $8] = 1
	next
}
FILENAME == ARGV[2] {
	for (i = 2; i <= 8; i++) after[$1, i] = $i
	is[$1] = 1
	order[++n] = $1
	if (($2, $3, $4, $6, $7, $8) in inode) same[$1] = 1
	next
}
{ for (i = 2; i <= 6; i++) again[$1, i] = $i; has[$1] = 1; got[++m] = $1 }

function touched(path, i) {
	if (!(path in was)) return !(path in same)
	for (i = 2; i <= 8; i++)
		if (i != 5 && before[path, i] != after[path, i]) return 1
	return 0
}

function check(path, i, what) {
	if (after[path, i] == again[path, i]) return
	if (!snapshot && ((path in was) ? before[path, i] == after[path, i] : (path in same))) return
	print path ": " what " " again[path, i] " instead of " after[path, i]
}

function compare(path, kind) {
	kind = after[path, 2]
	if (!(path in has)) {
		# a directory that only got or lost entries
		if (touched(path) && (kind != "d" || !(path in was))) print path ": missing, kind " kind
		return
	}
	if (kind != again[path, 2]) {
		print path ": kind " again[path, 2] " instead of " kind
		return
	}
	if (kind != "l") check(path, 3, "permissions")
	if (kind == "f") check(path, 4, "size")
	if (kind == "f" && links && touched(path)) check(path, 5, "number of links")
	if (kind == "l") check(path, 6, "target")
}

END {
	for (k = 1; k <= n; k++)
		if (!changed) compare(order[k])
		else if (after[order[k], 2] == "f" && touched(order[k])) print order[k]
	for (k = 1; k <= m; k++)
		if (!(got[k] in is)) print got[k] ": kind " again[got[k], 2] ", the program left none"
}
