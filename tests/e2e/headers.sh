# SPDX-License-Identifier: GPL-3.0-or-later
# long: 20 s
# Every header compiles alone, and includes no header of a room to its right. Lines have at most 100 columns.
. "$SRCDIR/tests/e2e/lib.sh"
scratch=$PWD
cd "$SRCDIR"

# A header that its own .c file includes first was compiled alone with that file; the other headers
# are compiled here. Each is included twice.
bad=0 n=0
compiled_alone() { # header
	[ -f "$BUILD/obj/${1%.h}.o" ] && [ "$(grep -m 1 '^[[:space:]]*#[[:space:]]*include' "${1%.h}.c")" = "#include \"$1\"" ] &&
		[ "$(grep -m 1 '^#' "$1" | cut -d ' ' -f 1)" = '#pragma' ]
}
for header in */*.h */*/*.h */*/*/*.h; do
	[ -f "$header" ] || continue
	case $header in tests/* | build*) continue ;; esac
	n=$((n + 1))
	! compiled_alone "$header" || continue
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" >"$scratch/alone.c"
	mpi=
	case $header in
	*/mpi/*)
		mpi=$(pkg-config --cflags ompi-c 2>/dev/null | sed 's/-I/-isystem /g')
		[ -n "$mpi" ] || continue # not built either
		;;
	esac
	if ! eval "${CC:-cc} -std=c11 -Wall -Wextra -Werror -fsyntax-only ${TEST_CPPFLAGS:--D_GNU_SOURCE} $mpi -I. \$scratch/alone.c"; then
		echo "$header does not compile alone" >&2
		bad=1
	fi
done
[ "$n" -gt 5 ] || fail "only $n headers found in $SRCDIR"

# no line is longer than 100 columns
git ls-files '*.[ch]' 2>/dev/null | grep -v '^tests/' >"$scratch/sources" || true
[ -s "$scratch/sources" ] || find common capture microbench replay validate reports commands -name '*.[ch]' >"$scratch/sources"
while read -r source; do
	[ ! -f "$source" ] || expand "$source" | LC_ALL=C.UTF-8 grep -nE '^.{101}' | sed "s|^\([0-9]*\):.*|$source:\1: longer than 100 columns|"
done <"$scratch/sources" >"$scratch/long"
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
