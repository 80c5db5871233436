# SPDX-License-Identifier: GPL-3.0-or-later
# Measures the replay of metadata calls: tar unpacks an archive of many small files, and its
# captured calls are replayed, in turn. The time of the replay is from its first call to its last.
# The time of tar is that of the whole program, which is a little longer than its calls.
#
# usage: bench-untar.sh; BENCH_FILES=50000 BENCH_PAIRS=11 BENCH_DIR=/dev/shm (directory of the
# files)
set -eu
files=${BENCH_FILES:-$([ -n "${BENCH_QUICK-1}" ] && echo 5000 || echo 50000)}
pairs=${BENCH_PAIRS:-11}
dir=$(mktemp -d "${BENCH_DIR:-/dev/shm}/bench-untar.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"
awk -v n="$files" 'BEGIN { for (i = 0; i < n; i++) { d = sprintf("tree/%03d/%02d", i % 100, i / 100 % 10)
	if (!(d in seen)) { seen[d]; print "mkdir -p " d }
	printf "printf %%%dd 0 >%s/f%06d\n", 100 + i * 7919 % 4000, d, i } }' | sh
tar cf a.tar tree
rm -r tree
mkdir run
(cd run && "$VALIDATE" capture app --snapshot --root "$PWD" -o ../a.trace -- tar xf "$dir/a.tar" >/dev/null)
rm -r run
i=0
while [ $i -lt "$pairs" ]; do
	i=$((i + 1))
	mkdir fresh
	start=$(date +%s%N)
	(cd fresh && tar xf ../a.tar)
	echo "tar $(($(date +%s%N) - start))" >>times
	rm -r fresh
	for order in temporal fs; do
		mkdir fresh
		"$VALIDATE" replay --order $order --prepare --dir fresh --no-sync-output -o out.trace a.trace >out
		grep -q 'mismatches      0' out || {
			cat out
			exit 1
		}
		echo "$order $("$VALIDATE" info --json out.trace | jq .span_ns)" >>times
		rm -r fresh
	done
done
"$VALIDATE" info --json a.trace | jq -r '"\(.n_requests) requests, \(.span_ns / 1e6 | floor) ms when captured"'
for what in tar temporal fs; do
	awk -v what=$what '$1 == what { print $2 / 1e6 }' times | sort -n | awk -v what=$what '{ v[NR] = $1 }
		END { printf "%-10s median %8.1f ms, quartiles %.1f to %.1f, least %.1f\n", what, v[int((NR + 1) / 2)], v[int((NR + 3) / 4)],
			v[int((3 * NR + 1) / 4)], v[1] }'
done
for column in 4 6; do
	paste -d ' ' - - - <times | awk -v c=$column '{ print $c / $2 }' | sort -n | awk -v c=$column '{ v[NR] = $1 }
		END { printf "replay (%s) / tar, in pairs: median %.3f, from %.3f to %.3f\n", c == 4 ? "temporal" : "fs", v[int((NR + 1) / 2)],
			v[1], v[NR] }'
done
