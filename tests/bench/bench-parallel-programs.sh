# SPDX-License-Identifier: GPL-3.0-or-later
# Parallel programs whose nodes sleep, look for files, or wait for threads and processes without
# requests: each is recorded on one volume, and it and its replays run on another volume in turn. A
# value is the percent error of the running time, (program - replay) / program: mean and worst
# magnitude of the repetitions. The last column is the time of all runs of the recording divided by
# the program's. Needs root (file systems on volumes). Environment: RUNS, PROGRAMS, RECORD and REPLAY
# (models of the volumes).
set -eu
command -v mpirun >/dev/null && [ -x "$BUILD/validate-mpi-replay" ] || { echo 'skipped: no OpenMPI'; exit 0; }
[ "$(id -u)" = 0 ] || { echo 'skipped: not root'; exit 0; }
runs=${RUNS:-5}
programs=${PROGRAMS:-'pipe:20 threads:20 sending:8 files:15 helped:12 naps:8 relay:10'}
work=$(mktemp -d /tmp/programs.XXXXXX)
cd "$work"
TMPDIR=$work
export TMPDIR
clean() {
	for v in record replay; do
		umount "$work/$v" 2>/dev/null || :
		"$VALIDATE" volume remove $v --root "$work/volumes" >/dev/null 2>&1 || :
	done
	rm -rf "$work"
}
trap clean EXIT
${CC:-cc} -w -O1 -o parallel "$SRCDIR/tests/programs/parallel.c" -pthread

volume() { # name, model
	mkdir -p volumes "$1"
	"$VALIDATE" volume create "$1" --root "$work/volumes" --size 64M --service "$2" --loop >"$1.told"
	mkfs.ext4 -q -O ^has_journal "$(grep -o '/dev/loop[0-9]*' "$1.told" | head -n 1)"
	mount "$(grep -o '/dev/loop[0-9]*' "$1.told" | head -n 1)" "$1"
}
volume record "${RECORD:-ssd:channels=8,unit=64K,read=3ms,write=4ms,rate=400MB}"
volume replay "${REPLAY:-constant:time=6ms,parallel=2}"

running_ns() { # trace: from the first begin to the last end of a request
	"$VALIDATE" export -q --to csv "$1" -o - | awk -F , 'NR > 1 && $5 !~ /^(compute|signal|wait)$/ && $3 != "" && $4 != "" {
		first = !n++ || $3 < first ? $3 : first; last = $4 > last ? $4 : last } END { printf "%.0f\n", last - first }'
}
program() { # kind:n
	(cd replay && rm -f ./* 2>/dev/null; PARALLEL_SYNC=1 "$VALIDATE" capture app -o ../app.trace --root . -- ../parallel "${1%:*}" "${1#*:}" >../told 2>&1) || cat told >&2
	running_ns app.trace
}
replayed() { # mode
	rm -rf replay/target
	mkdir replay/target
	"$VALIDATE" replay --engine parallel --mode "$1" --prepare --dir replay/target -o out.trace trace >told 2>&1 || cat told >&2
	running_ns out.trace
}

printf '%-10s %16s %16s %16s %10s\n' program causal think-limited afap recording
for p in $programs; do
	rm -rf trace trace.runs record/*
	(cd record && PARALLEL_SYNC=1 "$VALIDATE" capture causality -o ../trace --root . --before 'rm -f ready*' -- ../parallel "${p%:*}" "${p#*:}" >../told 2>&1) || cat told >&2
	: >times
	i=0
	while [ "$i" -lt "$runs" ]; do
		echo "$(program "$p") $(replayed causal) $(replayed think-limited) $(replayed afap)" >>times
		i=$((i + 1))
	done
	"$VALIDATE" info --json trace | jq -r '.. | .causality? // empty | "\(.tracing_ns) \(.application_ns)"' | head -n 1 >cost
	awk -v p="${p%:*}" 'FILENAME == "cost" { cost = $1 / $2; next }
		{ for (k = 2; k <= 4; k++) { e = 100 * ($1 - $k) / $1; sum[k] += e; e = e < 0 ? -e : e; worst[k] = e > worst[k] ? e : worst[k] } n++ }
		END { printf "%-10s", p; for (k = 2; k <= 4; k++) printf " %+7.1f, %5.1f %%", sum[k] / n, worst[k]; printf " %9.0fx\n", cost }' cost times
done
