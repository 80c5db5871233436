# SPDX-License-Identifier: GPL-3.0-or-later
# Measures replays of parallel programs. Each program is recorded on one volume. Then the program
# and its replays run on another volume in turn. Some are small programs whose nodes sleep, look for
# files, or wait for threads and processes without requests (tests/programs). The others are
# applications under MPI with 4 ranks: IOR and mdtest (https://github.com/hpc/ior, with HDF5 for
# ior-hdf5) and a Python program (mpi4py). The files of both volumes are mounted with -o sync, so
# that each write reaches the volume.
#
# A value is the percent error of the execution time, (program - replay) / program: mean and worst
# magnitude of the repetitions. The last columns are the execution time of the program, its largest
# deviation from the mean of the repetitions, and the time of all runs of the recording divided by
# the execution time. Programs that are not installed are left out. Needs
# root (file systems on volumes). Environment: RUNS, PROGRAMS, RECORD and REPLAY (models of the
# volumes), IOR, MDTEST and PYTHON (paths), TIMES (a file that gets each execution time in ns: of the
# program, then of the replays).
#
# Two properties of ext4 make execution times depend on chance. ext4 chooses a block by the CPU of the
# thread: if the scheduler moves the thread, a file gets more extents than its inode can contain,
# and each write needs two more requests. So the file systems have no extents. Writes to two files
# wait for each other if their inodes are in one block. So each inode has a block of its own.
set -eu
command -v mpirun >/dev/null && [ -x "$BUILD/validate-mpi-replay" ] || { echo 'skipped: no OpenMPI'; exit 0; }
[ "$(id -u)" = 0 ] || { echo 'skipped: not root'; exit 0; }
runs=${RUNS:-5}
programs=${PROGRAMS:-pipe threads queue sending files helped naps relay paced bystander farm ior-posix ior-files ior-mpiio ior-collective ior-hdf5 mdtest}
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
mpi=$("$VALIDATE" microbench checkpoint --level 4 --dir "$work" --print-command | sed 's, [^ ]*/validate-mpi-workload.*,,')
ior=$(command -v "${IOR:-ior}" || :)
mdtest=$(command -v "${MDTEST:-mdtest}" || :)

command_of() { # program: its command, which runs in the directory of the files; nothing if it is not installed
	ior_options='-w -r -b 256k -t 64k -s 8 -o data'
	case $1 in
	pipe | threads | queue) echo "$work/parallel $1 20" ;;
	files) echo "$work/parallel files 15" ;;
	helped) echo "$work/parallel helped 12" ;;
	naps | sending) echo "$work/parallel $1 8" ;;
	relay | paced | bystander) echo "$work/parallel $1 10" ;;
	farm) ! "${PYTHON:-python3}" -c 'import mpi4py' 2>/dev/null || echo "$mpi ${PYTHON:-python3} $SRCDIR/tests/programs/farm.py 10" ;;
	ior-posix) [ -z "$ior" ] || echo "$mpi $ior -a POSIX $ior_options" ;;
	ior-files) [ -z "$ior" ] || echo "$mpi $ior -a POSIX -F $ior_options" ;;
	ior-mpiio) [ -z "$ior" ] || echo "$mpi $ior -a MPIIO $ior_options" ;;
	ior-collective) [ -z "$ior" ] || echo "$mpi $ior -a MPIIO -c $ior_options" ;;
	ior-hdf5) ! "${ior:-false}" -h 2>&1 | grep -q HDF5 || echo "$mpi $ior -a HDF5 $ior_options" ;;
	mdtest) [ -z "$mdtest" ] || echo "$mpi $mdtest -d tree -n 8 -w 4096" ;;
	esac
}

file_system() { # volume: anew for each run
	umount "$1" 2>/dev/null || :
	# a container that copied the mounts when it started can keep the device busy for a moment
	for k in 1 2 3 4 5 6 7 8 9; do
		mkfs.ext4 -q -F -b 4096 -I 4096 -N 256 -E nodiscard -O ^has_journal,^extents,^64bit "$(cat "$1.device")" && break
		sleep "$k"
	done
	mount -o sync "$(cat "$1.device")" "$1"
	mkdir "$1/target"
}
volume() { # name, model
	mkdir -p volumes "$1"
	"$VALIDATE" volume create "$1" --root "$work/volumes" --size 64M --service "$2" --loop >"$1.told"
	grep -o '/dev/loop[0-9]*' "$1.told" | head -n 1 >"$1.device"
	file_system "$1"
}
volume record "${RECORD:-ssd:channels=8,unit=64K,read=3ms,write=4ms,rate=400MB}"
volume replay "${REPLAY:-constant:time=6ms,parallel=2}"

running_ns() { # trace: from the first begin to the last end of a request (not chdir, by which launchers begin)
	"$VALIDATE" export -q --to csv "$1" -o - | awk -F , 'NR > 1 && $5 !~ /^(compute|signal|wait|chdir)$/ && $3 != "" && $4 != "" {
		first = !n++ || $3 < first ? $3 : first; last = $4 > last ? $4 : last } END { printf "%.0f\n", last - first }'
}
program() { # command
	file_system replay
	(cd replay/target && "$VALIDATE" capture app -o ../../app.trace --root . -- $1 >../../told 2>&1) || cat told >&2
	running_ns app.trace
}
replayed() { # mode
	file_system replay
	"$VALIDATE" replay --engine parallel --mode "$1" --prepare --dir replay/target -o out.trace trace >told 2>&1 || cat told >&2
	running_ns out.trace
}

printf '%-14s %16s %16s %16s %9s %9s %10s\n' program causal think-limited afap time scatter recording
for p in $programs; do
	command=$(command_of "$p")
	[ -n "$command" ] || continue
	rm -rf trace trace.runs
	file_system record
	# shellcheck disable=SC2086
	if ! (cd record/target && "$VALIDATE" capture causality -o ../../trace --root . --before 'rm -rf ./*' -- $command >../../told 2>&1); then
		printf '%-14s %s\n' "$p" "$(tail -n 1 told)"
		continue
	fi
	grep '^warning' told | sed "s/^/$p: /" >&2 || :
	: >times
	i=0
	while [ "$i" -lt "$runs" ]; do
		echo "$(program "$command") $(replayed causal) $(replayed think-limited) $(replayed afap)" >>times
		i=$((i + 1))
	done
	[ -z "${TIMES:-}" ] || sed "s/^/$p /" times >>"$TIMES"
	"$VALIDATE" info --json trace | jq -r '.. | .causality? // empty | "\(.tracing_ns) \(.application_ns)"' | head -n 1 >cost
	awk -v p="$p" 'FILENAME == "cost" { cost = $1 / $2; next }
		{ program[++n] = $1; time += $1
		for (k = 2; k <= 4; k++) { e = 100 * ($1 - $k) / $1; sum[k] += e; e = e < 0 ? -e : e; worst[k] = e > worst[k] ? e : worst[k] } }
		END { for (i in program) { d = 100 * (n * program[i] / time - 1); d = d < 0 ? -d : d; most = d > most ? d : most }
			printf "%-14s", p; for (k = 2; k <= 4; k++) printf " %+7.1f, %5.1f %%", sum[k] / n, worst[k]
			printf " %6.0f ms %7.1f %% %9.0fx\n", time / n / 1e6, most, cost }' cost times
done
