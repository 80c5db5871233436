# SPDX-License-Identifier: GPL-3.0-or-later
# Every header compiles alone, and includes no header of a room to its right. Lines have at most 100 columns.
. "$SRCDIR/tests/e2e/lib.sh"
scratch=$PWD
cd "$SRCDIR"

# A header that some compiled source file includes first was compiled alone with that file, and a second inclusion of a header
# that begins with #pragma once is empty. The other headers are compiled here, each included twice.
bad=0
find common capture microbench replay validate reports commands -name '*.h' | sort >"$scratch/headers"
[ "$(wc -l <"$scratch/headers")" -gt 5 ] || fail "only $(wc -l <"$scratch/headers") headers found in $SRCDIR"
xargs awk 'FNR == 1 { seen = 0 } !seen && /^#/ { seen = 1; if (/^#pragma once/) print FILENAME }' <"$scratch/headers" | sort >"$scratch/once"
find "$BUILD/obj" -name '*.o' | sed "s|^$BUILD/obj/||; s|o\$|c|" | sort >"$scratch/compiled"
find common capture microbench replay validate reports commands tests -name '*.c' | sort | comm -12 - "$scratch/compiled" |
	xargs awk 'FNR == 1 { seen = 0 } !seen && /^[ \t]*#[ \t]*include/ { seen = 1; if (split($0, word, "\"") == 3) print word[2] }' |
	sort -u | comm -12 - "$scratch/once" >"$scratch/alone"
comm -23 "$scratch/headers" "$scratch/alone" >"$scratch/others"
mpi=$(pkg-config --cflags ompi-c 2>/dev/null | sed 's/-I/-isystem /g')
mkdir "$scratch/twice"
while read -r header; do
	case $header in */mpi/*) [ -n "$mpi" ] || continue ;; esac # not built either
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" >"$scratch/twice/$(echo "$header" | tr / +).c"
done <"$scratch/others"
eval "${CC:-cc} -std=c11 -Wall -Wextra -Werror -fsyntax-only ${TEST_CPPFLAGS:--D_GNU_SOURCE} $mpi -I. \$scratch/twice/*.c" || {
	echo 'a header does not compile alone' >&2
	bad=1
}

# no line is longer than 100 columns: tabs are expanded, and each UTF-8 character is a column
git ls-files '*.[ch]' 2>/dev/null | grep -v '^tests/' >"$scratch/sources" || true
[ -s "$scratch/sources" ] || find common capture microbench replay validate reports commands -name '*.[ch]' >"$scratch/sources"
while read -r source; do
	[ ! -f "$source" ] || echo "$source"
done <"$scratch/sources" | LC_ALL=C xargs awk 'length($0) > 12 {
		line = $0
		gsub(/[\200-\277]/, "", line)
		columns = 0
		n = split(line, part, "\t")
		for (i = 1; i < n; i++) columns += length(part[i]) + 8 - (columns + length(part[i])) % 8
		if (columns + length(part[n]) > 100) print FILENAME ":" FNR ": longer than 100 columns"
	}' >"$scratch/long"
[ ! -s "$scratch/long" ] || { cat "$scratch/long" >&2; bad=1; }

# the rooms from left to right; microbench and replay do not use each other
check() { # room, rooms it may not know
	room=$1
	shift
	for other; do
		found=$(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]+\"$other/" "$room" --include='*.[ch]' || true)
		if [ -n "$found" ]; then
			echo "$room may not know $other: $found" >&2
			bad=1
		fi
	done
}
check common capture microbench replay validate reports commands
check capture microbench replay validate reports commands
check microbench replay validate reports commands
check replay microbench validate reports commands
check validate reports commands
check reports commands
exit $bad
