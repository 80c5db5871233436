# SPDX-License-Identifier: GPL-3.0-or-later
# Cost of capturing one cached 4 KiB pread, with 1 and 2 threads: without capture, capture app,
# capture vfs (tracefs), strace, and bpftrace that writes the same fields (if available and
# permitted). They run in turn, so changes of the machine affect all. Times are ns for each call,
# medians over the turns. The ratio is the added time of a call divided by the time of two readings
# of the clock.
#
# For capture app, the cost without the collector is also printed: calls through the library
# compared with direct calls, in alternating blocks on one thread. The other value includes the
# collector, which takes CPU time from the program if all CPUs are busy. capture app must lose no
# call.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
${CC:-cc} -O2 -std=c11 -I"$SRCDIR" -o loop "$SRCDIR/tests/programs/pread-loop.c" -pthread -ldl
dd if=/dev/urandom of=file bs=1M count=1 2>/dev/null
turns=${TURNS:-9} n=${N:-200000} few=${FEW:-20000}
in_blocks=60300 # calls of pread-loop through the library when it compares block against block

quantile() { # FILE COLUMN PART
	cut -d ' ' -f "$2" "$1" | sort -n | awk -v q="$3" '{ v[NR] = $1 } END { print v[int((NR - 1) * q + 1.5)] }'
}

run_app() {
	"$VALIDATE" capture app -o trace -- ./loop file "$n" "$threads" 9>>app >told
	lost=$((lost + $(sed -n 's/^warning *\([0-9]*\) requests are lost.*/\1/p' told | grep . || echo 0)))
	got=$("$VALIDATE" info trace | awk '$1 == "pread" { gsub(",", "", $2); print $2 }')
	[ "$got" -eq $((threads * (n + n / 10 + in_blocks))) ] || { echo "only $got calls are in the trace"; exit 1; }
}

run_bpftrace() {
	bpftrace -o trace -c "./loop file $few $threads" -e '
		tracepoint:syscalls:sys_enter_pread64 /comm == "loop"/ { @b[tid] = nsecs; @fd[tid] = args->fd;
			@n[tid] = args->count; @o[tid] = args->pos; }
		tracepoint:syscalls:sys_exit_pread64 /@b[tid]/ { printf("%d %d %lu %lu %d %lu %lu %ld\n", pid, tid,
			@b[tid], nsecs, @fd[tid], @n[tid], @o[tid], args->ret); delete(@b[tid]); }' 9>>bpftrace >/dev/null 2>&1 || true
}

row() { # NAME FILE
	[ -s "$2" ] || { printf '  %-26s not here\n' "$1"; return; }
	awk -v how="$1" -v t="$(quantile "$2" 1 0.5)" -v plain="$plain" -v reads="$reads" -v low="$(quantile "$2" 1 0.25)" \
		-v high="$(quantile "$2" 1 0.75)" 'BEGIN { printf "  %-26s %9.1f ns (%.1f to %.1f): adds %.1f ns, %.2f times two readings\n",
			how, t, low, high, t - plain, (t - plain) / reads }'
}

for threads in 1 2; do
	rm -f none app tracefs strace bpftrace
	lost=0
	for turn in $(seq "$turns"); do
		./loop file "$n" "$threads" 9>>none
		run_app
		[ $((turn % 3)) -eq 1 ] || continue
		"$VALIDATE" capture vfs -o trace -- ./loop file "$few" "$threads" 9>>tracefs >/dev/null 2>&1 || true
		! command -v strace >/dev/null || strace -f -ttt -T -o trace ./loop file $((few / 20)) "$threads" 9>>strace
		! command -v bpftrace >/dev/null || run_bpftrace
	done
	plain=$(quantile none 1 0.5)
	reads=$(quantile none 2 0.5)
	printf '%d thread%s (quarter to three quarters of the turns in brackets)\n' "$threads" "$([ "$threads" -eq 1 ] || echo s)"
	printf '  %-26s %9.1f ns\n' 'two readings of the clock' "$reads"
	printf '  %-26s %9.1f ns (%.1f to %.1f)\n' 'nobody looks' "$plain" "$(quantile none 1 0.25)" "$(quantile none 1 0.75)"
	row 'capture app' app
	row 'capture vfs (tracefs)' tracefs
	row 'strace -f -ttt -T' strace
	row bpftrace bpftrace
	# the differences within each turn are less disturbed than the difference of the medians
	paste -d ' ' none app | awk '{ print ($4 - $1) / $2, $6 / $2, $3 }' >each
	printf '  capture app, turn by turn: the whole %.2f (%.2f to %.2f), its path alone %.2f (%.2f to %.2f; without the library %.2f ns); aim: 1.5 at most\n' \
		"$(quantile each 1 0.5)" "$(quantile each 1 0.25)" "$(quantile each 1 0.75)" \
		"$(quantile each 2 0.5)" "$(quantile each 2 0.25)" "$(quantile each 2 0.75)" "$(quantile each 3 0.5)"
	echo "  lost calls: $lost"
done
