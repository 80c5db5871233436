# SPDX-License-Identifier: GPL-3.0-or-later
# Folders depend on each other in one direction: no folder includes a header of a folder that depends on it, or is
# linked with it, not even by includes and links together. Rooms depend only on rooms to their left.
. "$SRCDIR/tests/e2e/lib.sh"

# Reads "FOLDER FOLDER" lines; prints those whose second folder depends on the first one.
cyclic() {
	awk '$1 != $2 && !(($1, $2) in edge) { edge[$1, $2]; next_of[$1] = next_of[$1] " " $2; name[$1]; name[$2] }
	     function visit(at, from,   list, n, i) {
		     n = split(next_of[at], list, " ")
		     for (i = 1; i <= n; i++)
			     if (!((from, list[i]) in reach)) { reach[from, list[i]]; visit(list[i], from) }
	     }
	     END {
		     for (from in name) visit(from, from)
		     for (e in edge) { split(e, f, SUBSEP); if ((f[2], f[1]) in reach) print f[1], f[2] }
	     }' | sort
}

folder_of() { sed 's|/[^/ ]*\( \)|\1|; s|/[^/ ]*$||'; }

# "A B": a file of folder A includes a header of folder B.
includes() {
	(cd "$SRCDIR" && find common capture microbench replay validate reports commands -name '*.[ch]' \
		-exec grep -H '^#include "[a-z_]*/' {} +) |
		sed 's|^\([^:]*\):#include "\([^"]*\)".*|\1 \2|' | folder_of
}

# "A B": an object of folder A needs a symbol that an object of folder B defines. Programs for MPI jobs and the preloaded
# library are linked apart. A build directory may hold objects of sources that are gone.
links() {
	(cd "$SRCDIR" && find common capture microbench replay validate reports commands -name '*.c' \
		! -path '*/mpi/*' ! -path '*/preload/*') | sed 's|c$|o|' > objects
	(cd "$BUILD/obj" && xargs nm -A) < objects | sed 's|^\([^:]*\):|\1 |' |
		awk 'NF == 4 && $3 ~ /^[TDBRVWC]$/ { at[$4] = $1 }
		     NF == 3 && $2 == "U" { n++; who[n] = $1; needs[n] = $3 }
		     END { for (i = 1; i <= n; i++) if (needs[i] in at) print who[i], at[needs[i]] }' | folder_of
}

check() { # KIND
	[ -s edges.$1 ] || fail "no $1 were found"
	cyclic < edges.$1 > found
	[ ! -s found ] || fail "cycles of folders by $1: $(tr '\n' ';' < found)"
}

# the check itself: a cycle of three folders is found, the path to it is not reported
printf 'a b\nb c\nc a\nd a\n' | cyclic > got
printf 'a b\nb c\nc a\n' | cmp -s - got || fail "a cycle of three folders is not found: $(cat got)"

includes | sort -u > edges.includes
check includes
links | sort -u > edges.links
check links
sort -u edges.includes edges.links > edges.both
check both

# rooms
awk 'BEGIN { n = split("common capture microbench replay validate reports commands", r, " "); for (i = 1; i <= n; i++) at[r[i]] = i }
     { split($1, a, "/"); split($2, b, "/"); if (at[b[1]] > at[a[1]]) print $1, $2 }' edges.both > leftwards
[ ! -s leftwards ] || fail "a room depends on one to its right: $(tr '\n' ';' < leftwards)"
