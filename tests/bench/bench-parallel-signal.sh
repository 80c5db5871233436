# SPDX-License-Identifier: GPL-3.0-or-later
# Measures how much later than its signal a wait of engine parallel ends: nodes signal each other in
# a ring many times. A value is the time of the run divided by the number of signals: sending, the
# message, its receipt, and the two stamps of each node. Prints the smallest, median and largest
# value of the runs: for two ranks, for two threads of a rank, and for more ranks than CPUs.
# Environment: SIGNALS, RUNS.
set -eu
command -v mpirun >/dev/null && [ -x "$BUILD/validate-mpi-replay" ] || { echo 'skipped: no OpenMPI'; exit 0; }
signals=${SIGNALS:-20000} runs=${RUNS:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir target
# shellcheck disable=SC2046
${CC:-cc} -w -O1 -D_GNU_SOURCE -DVALIDATE_VERSION='"bench"' -I"$SRCDIR" -o causal-trace "$SRCDIR/tests/programs/causal-trace.c" "$BUILD/libcapture.a" \
	"$BUILD/libcommon.a" $(pkg-config --libs libzstd jansson libgcrypt) -lm -pthread

ring() { # nodes, whether they are threads of one rank
	awk -v n="$1" -v threads="$2" -v m="$signals" 'BEGIN {
		for (i = 0; i < n; i++) printf "node %d %d %d\n", i, threads ? 0 : i, threads ? i : 0
		for (k = 0; k < m; k++) {
			i = k % n
			if (k >= n || i) printf "%d wait %d\n", i, (i + n - 1) % n
			printf "%d signal %d\n", i, (i + 1) % n
		}
		printf "%d wait %d\n", m % n, (m - 1) % n
	}'
}
measure() { # what it is, nodes, threads
	ring "$2" "$3" | ./causal-trace ring.trace
	i=0
	while [ "$i" -lt "$runs" ]; do
		"$VALIDATE" replay --engine parallel --dir target -o out.trace ring.trace >told
		"$VALIDATE" export --to csv out.trace -o - | awk -F , -v m="$signals" 'NR == 2 { first = $3 } NR > 1 {
			first = $3 < first ? $3 : first; last = $4 > last ? $4 : last } END { printf "%.3f\n", (last - first) / 1000 / m }'
		i=$((i + 1))
	done | sort -n | awk -v what="$1" '{ v[NR] = $1 } END { printf "%-32s %8.3f %8.3f %8.3f us a signal\n", what, v[1], v[int((NR + 1) / 2)], v[NR] }'
}
measure '2 ranks' 2 0
measure '2 threads of a rank' 2 1
measure "$(($(nproc) * 2)) ranks on $(nproc) processors" "$(($(nproc) * 2))" 0
