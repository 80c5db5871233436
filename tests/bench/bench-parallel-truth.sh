# SPDX-License-Identifier: GPL-3.0-or-later
# Compares captured dependencies with the true dependencies: programs of tests/programs, whose waits
# are known, are captured RUNS times. A row has the number of true dependencies, the number that all
# captures together missed, and the number that they found wrongly. A dependency "a:i b:k" says that
# request k of node b did not begin before request i of node a had ended. A capture states it for the
# delayed request, and for the last request before the signal. Needs OpenMPI for the last row.
# Environment: RUNS, PROGRAMS.
set -eu
runs=${RUNS:-10}
work=$(mktemp -d /tmp/truth.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
${CC:-cc} -w -O1 -o parallel "$SRCDIR/tests/programs/parallel.c" -pthread
n=6

each() { # text with an expression of i, from, to
	awk -v from="$2" -v to="$3" "BEGIN { for (i = from; i <= to; i++) print $1 }"
}
barriers() { # nodes, the first write, the request that waits for the requests before it, the last write
	awk -v nodes="$1" -v first="$2" -v waits="$3" -v last="$4" 'BEGIN { for (a = 0; a < nodes; a++) for (b = 0; b < nodes; b++)
		for (i = 0; i < last && a != b; i++) print a ":" i, b ":" (i < first ? waits : i + 1) }'
}
truth_of() { # program
	case $1 in
	pipe | computing | sending) each '"0:" i " 1:" (i ? i - 1 : 0)' 0 $n ;;
	threads) barriers 3 1 2 $n ;;
	queue)
		each '"0:" i " 1:" i' 0 $n
		each '"1:" i " 0:" (i ? i + 2 : 3)' 0 $((n - 2))
		;;
	relay)
		each '"0:" i " 1:" (i ? i : 1)' 0 $n
		each '"1:" i " 0:" (i ? i + 1 : 2)' 0 $((n - 1))
		each '"0:" i " 2:" (i ? 2 * i - 1 : 1)' 0 $n # (node 2 is the parent)
		each '"1:" i " 2:" (i ? 2 * i : 2)' 0 $((n - 1))
		each '"2:" i " 0:" int((i + 1) / 2) + 1' 0 $((2 * n - 2))
		each '"2:" i " 1:" int(i / 2) + 1' 0 $((2 * n - 1))
		;;
	paced) each '"1:" i " 0:" i + 1' 0 $((n - 1)) ;;
	helped)
		each '"0:" i " 1:" i' 0 $((n - 1))
		each '"1:" i " 0:" i + 1' 0 $((n - 1))
		;;
	bystander)
		for k in 0 1; do
			each "\"$k:\" i \" $((1 - k)):\" (i ? i + 1 : 2)" 0 $((n - 1))
			each "\"$k:\" i \" 2:\" (i ? i : 1)" 0 $n
			each "\"2:\" i \" $k:\" i + 2" 0 $((n - 2))
		done
		;;
	naps | independent) ;;
	checkpoint-sync) barriers 3 2 2 $((n + 1)) ;; # a barrier precedes the first write
	esac
}
command_of() { # program
	case $1 in
	checkpoint-sync)
		[ ! -x "$BUILD/validate-mpi-workload" ] ||
			"$VALIDATE" microbench checkpoint-sync --level 3 --requests $n --file-size $((n * 64))K --dir "$work/files" --print-command
		;;
	*) echo "../parallel $1 $n" ;;
	esac
}

printf '%-16s %5s %12s %7s %6s\n' program runs dependencies missed false
for p in ${PROGRAMS:-pipe computing sending threads queue relay paced bystander helped naps independent checkpoint-sync}; do
	truth_of "$p" | sort -u >truth
	: >wrong
	i=0
	while [ $i -lt "$runs" ]; do
		rm -rf trace trace.runs files
		mkdir files
		command=$(command_of "$p")
		[ -n "$command" ] || break
		[ "$p" != checkpoint-sync ] ||
			"$VALIDATE" microbench checkpoint-sync --level 3 --requests $n --file-size $((n * 64))K --dir files --prepare-only >/dev/null
		(cd files && eval "\"\$VALIDATE\" capture causality -o ../trace --root . -- $command" >../told 2>&1) || cat told >&2
		# a dependency with the held request, and with the last request before the signal
		cat trace.runs/run-1-*.edges | awk '{ split($1, s, ":"); print $1, $2; print s[1] ":" s[2] + $4, $2 }' | sort -u >found
		# node 3 is a thread of mpirun without requests, which the trace omits
		[ "$p" != checkpoint-sync ] || sed -i '/^3:/d; / 3:/d' found
		comm -23 truth found | sed "s/^/missed /" >>wrong
		comm -13 truth found | sed "s/^/false /" >>wrong
		i=$((i + 1))
	done
	[ $i -gt 0 ] || continue
	printf '%-16s %5d %12d %7d %6d\n' "$p" "$runs" "$(wc -l <truth)" "$(grep -c ^missed wrong || :)" "$(grep -c ^false wrong || :)"
	sort wrong | uniq -c | head -n 20 >&2
done
