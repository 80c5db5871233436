# SPDX-License-Identifier: GPL-3.0-or-later
# Measures the cost of observing a replayer. The example replayer of doc/adapters.md runs at full
# speed: without observer, with the preloaded library, and with tracepoints on the device, in turn;
# on a file, and on a loop device if available. Prints mean response time and execution time by the
# replayer's own stamps, as ratios to the values without observer: median over the turns, with
# quartiles.
set -eu
work=$(mktemp -d)
loop=
trap '[ -z "$loop" ] || losetup -d "$loop"; rm -rf "$work"' EXIT
cd "$work"
${CC:-cc} -O2 -o simple-replayer "$SRCDIR/tests/programs/simple-replayer.c"
turns=${TURNS:-16} n=${N:-20000}
truncate -s 64M target
awk -v n="$n" 'BEGIN { for (i = 0; i < n; i++)
	printf "0.000000000 ; %d ; 8 ; R ; 0.0 ; 0.0\n", i * 37 % 16384 * 8 }' >input

measure() { # HOW COMMAND...: "mean-response-us total-us" of the times that the replayer printed
	how=$1
	shift
	"$@" >told 2>/dev/null || return 1
	awk -F , '$3 ~ /^[RW]$/ { first = n++ ? first : $1; sum += $2 - $1; last = $2 } END { printf "%.4f %.1f\n", sum / n, last - first }' told >>"$how"
}
ratio() { # HOW COLUMN
	paste -d ' ' "$1" nobody | awk -v c="$2" '{ print $c / $(c + 2) }' | sort -n |
		awk '{ v[NR] = $1 } END { printf "%.3f (%.3f to %.3f)", v[int((NR + 1) / 2)], v[int((NR + 3) / 4)], v[int((3 * NR + 1) / 4)] }'
}
report() { # WHERE HOW...
	echo "$1: $n reads of 4 KiB, $(wc -l <nobody) turns; response time and run time against nobody looking"
	shift
	for how; do
		[ -s "$how" ] && printf '  %-10s %s  %s\n' "$how" "$(ratio "$how" 1)" "$(ratio "$how" 2)" || printf '  %-10s not here\n' "$how"
	done
}
turn() { # TARGET NUMBER: each turn begins with another method, so that the order has no effect
	for k in 0 1 2 3; do
		case $((($2 + k) % 4)) in
		0) measure nobody ./simple-replayer input "$1" ;;
		1) measure preload "$VALIDATE" capture app -o seen -- ./simple-replayer input "$1" ;;
		2) [ ! -b "$1" ] || measure block "$VALIDATE" capture block --unit bio -o seen "$1" -- ./simple-replayer input "$1" || rm -f block ;;
		3) measure again ./simple-replayer input "$1" ;;
		esac
	done
}

for i in $(seq "$turns"); do turn target "$i"; done
report "a file" preload again
rm -f nobody preload again
loop=$(losetup -f --show target 2>/dev/null) || { echo "no loop device: block is not measured"; exit 0; }
for i in $(seq "$turns"); do turn "$loop" "$i"; done
report "a loop device (through the page cache)" preload block again
