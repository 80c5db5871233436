# SPDX-License-Identifier: GPL-3.0-or-later
# Parallel applications: each runs under mpirun. Its trace has all ranks' requests in an order that
# the dependencies allow, and the same requests for the same seed. A failed rank, a terminated job,
# and missing MPI.
. "$SRCDIR/tests/e2e/lib.sh"
command -v mpirun >/dev/null || skip 'mpirun is not installed'
[ -x "$BUILD/validate-mpi-workload" ] || skip 'built without OpenMPI: there is no validate-mpi-workload'
case ${SANITIZE:-} in
?*) skip 'the sanitizers see MPI, which is not ours' ;;
esac
if [ "$(id -u)" -eq 0 ]; then root=--allow-run-as-root; else root=; fi
mpirun $root --oversubscribe -n 2 true >out 2>&1 || {
	cat out >&2
	skip 'mpirun starts nothing here'
}

mkdir target
run() { # status, then arguments
	want=$1
	shift
	expect_status "$want" "$VALIDATE" microbench "$@"
}
requests() { # of a trace: rank after rank, without times and descriptors
	"$VALIDATE" export --to csv "$1" -o - | tail -n +2 | sort -s -t , -k 1,1n |
		awk -F , '{ if (!($1 in rank)) rank[$1] = n++; $1 = $2 = $3 = $4 = ""; print rank[$1], $0 }' |
		sed -E 's/fd=[0-9]+/fd=/; s/ [0-9]+ +[0-9]+ *$//' | sed -E 's/(open .*) [0-9]+$/\1/'
}

# each workload runs, and leaves only prepared files
for name in checkpoint:2 pseudosync:3 checkpoint-compute:2 fitness:4 earthquake:3 shared-polling:2; do
	level=${name##*:} name=${name%%:*}
	case $name in
	earthquake | checkpoint-compute) more='--compute 10us' ;;
	*) more= ;;
	esac
	run 0 "$name" --level "$level" --requests 30 $more --dir target -o "$name.trace" --remove
	expect_line out ", $level ranks: "
	"$VALIDATE" info "$name.trace" >info.txt
	expect_line info.txt "$level threads in $level processes"
	[ -z "$(ls target)" ] || fail "$name left $(ls target)"
done
# by the other name and from prepared files, the same requests
run 0 quake --level 3 --dir target --prepare-only
run 0 quake --level 3 --requests 30 --compute 10us --dir target -o again.trace --no-prepare
requests earthquake.trace | cut -d ' ' -f 2- | sort >first.txt
requests again.trace | cut -d ' ' -f 2- | sort >second.txt
[ -s first.txt ] && cmp first.txt second.txt || fail 'the same options made other requests'

# in turn: no rank reads before the previous rank has read all
"$VALIDATE" export --to csv fitness.trace -o - | awk -F , '
	$5 == "pread" { split($6, a, "offset="); split(a[2], o, ";"); print int((o[1] + 0) / 8388608), $3, $4 }' | sort -n -k 2 |
	awk 'NR > 1 && ($2 < ended || $1 < rank) { print "rank " $1 " read while rank " rank " did"; bad = 1 }
	{ ended = $3; rank = $1 } END { exit bad || NR != 120 || rank != 3 }' || fail 'the parts were not read in turn'
# ranks wait for each other after each write: the k-th write of any rank begins after the (k-1)-th
# write of all has ended
"$VALIDATE" export --to csv pseudosync.trace -o - | awk -F , '
	$5 == "pwrite" { k = n[$1]++; if (!(k in first) || $3 < first[k]) first[k] = $3; if ($4 > last[k]) last[k] = $4 }
	END { for (k = 1; k < 30; k++) if (first[k] < last[k - 1]) bad = 1; exit bad || !(29 in last) }' || fail 'no barrier between writes'

# started by hand, as an outside observer does
rm -r target/*
run 0 pseudo --level 3 --dir target --prepare-only
(cd target && mpirun $root --oversubscribe -n 3 "$BUILD/validate-mpi-workload" pseudo --dir . --requests 5) || fail 'not by hand'
[ "$(ls target)" = checkpoint ] || fail "by hand it left $(ls target)"
run 0 checkpoint --level 2 --requests 5 --dir target -o by-launcher --launcher "mpirun $root --oversubscribe -n {n}"

# the command that starts the ranks, printed for a shell; and the scripts of protocols, which run it
run 0 checkpoint --level 2 --requests 7 --dir 'a dir' --launcher 'mpirun "x y"' --print-command
expect_line out "mpirun 'x y' -n 2 "
expect_line out "validate-mpi-workload checkpoint '--dir=a dir' --requests 7"
run 2 random-read --dir target --print-command
run 2 mpi-io --dir target -o wrong
expect_line err 'capture causality'
run 2 mpi-io --pause 1ms --dir target --print-command
expect_line err 'omit the option'
VALIDATE=$VALIDATE RANKS=2
export VALIDATE RANKS
for name in checkpoint mpi-io; do
	mkdir -p scripts
	for verb in prepare run clean; do
		sh "$SRCDIR/protocols/workloads/$name.sh" $verb scripts 0 >out 2>err || fail "$name.sh $verb: $(cat out err)"
		[ $verb = clean ] || [ -d "scripts/$name/" ] || fail "$name.sh $verb left no $name"
	done
	[ -z "$(ls scripts)" ] || fail "$name.sh clean left $(ls scripts)"
done
for script in "$SRCDIR"/protocols/workloads/*.sh; do
	grep -q "^application()" "$script" || continue
	run 0 --list
	grep -q "^  $(basename "$script" .sh) " out || fail "$script is of no application"
done
unset RANKS

# wrong usage is reported before the start
run 2 checkpoint --dir target -o wrong --file-size 100
expect_line err 'whole blocks'
run 2 checkpoint --dir target -o wrong --pin
run 2 checkpoint -o wrong
run 3 checkpoint --dir target -o wrong --launcher 'no-such-launcher -n {n}'
expect_line err 'launcher: cannot find the program no-such-launcher'
expect_status 3 env PATH=/proc/nonexistent "$VALIDATE" microbench checkpoint --dir target -o wrong
expect_line err 'mpirun is not installed'
[ ! -e wrong ] || fail 'a trace of nothing'

# missing files; a rank whose request fails ends the job, and the message names it
run 3 earthquake --dir target -o wrong --no-prepare
expect_line err 'No such file'
status=0
mpirun $root --oversubscribe -n 2 "$BUILD/validate-mpi-workload" earthquake --dir target >out 2>err || status=$?
[ "$status" -ne 0 ] || fail 'a failed rank ends well'
expect_line err 'earthquake/etree: request 1 (open) failed: No such file or directory'
status=0
mpirun $root --oversubscribe -n 2 "$BUILD/validate-mpi-workload" checkpoint --level 3 --dir target >out 2>err || status=$?
[ "$status" -ne 0 ] || fail 'a wrong number of ranks'
expect_line err 'the launcher started 2 ranks'

# after a signal, the program ends its ranks
"$VALIDATE" microbench earthquake --level 2 --requests 100000 --compute 10ms --dir target -o killed >out 2>err &
pid=$!
ranks() { # of the job
	for launcher in $(pgrep -P $pid mpirun); do
		pgrep -P "$launcher" validate-mpi
	done
}
tries=0
until [ "$(ranks | wc -l)" -eq 2 ]; do
	tries=$((tries + 1))
	[ $tries -lt 600 ] || fail 'the job did not start'
	sleep 0.1
done
ranks=$(ranks)
kill -TERM $pid
status=0
wait $pid || status=$?
[ "$status" -eq 3 ] || fail "status $status after SIGTERM"
expect_line err 'interrupted'
for rank in $ranks; do
	tries=0
	while kill -0 "$rank" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || fail "rank $rank outlived the job"
		sleep 0.1
	done
done
[ ! -e killed ] || fail 'a trace of a terminated job'
