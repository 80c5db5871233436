# SPDX-License-Identifier: GPL-3.0-or-later
# What capturing one cached 4 KiB pread costs, with 1 and 2 threads: nobody looks, capture app, capture vfs (tracefs), strace,
# bpftrace (where they are, and may be used). In turns, so that a machine that changes its speed does so for all. Times in ns a call, medians; the ratio is what
# capture adds to a call against two readings of the clock (aim: 1.5 at most), and no call may be lost.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
${CC:-cc} -O2 -std=c11 -I"$SRCDIR" -o loop "$SRCDIR/tests/programs/pread-loop.c" -pthread
dd if=/dev/urandom of=file bs=1M count=1 2>/dev/null
turns=${TURNS:-11} n=${N:-200000}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
column() { cut -d ' ' -f "$2" "$1" | median; }

for threads in 1 2; do
	rm -f none captured tracefs strace bpftrace
	lost=0
	for i in $(seq "$turns"); do
		./loop file "$n" "$threads" 9>>none
		"$VALIDATE" capture app -o trace -- ./loop file "$n" "$threads" 9>>captured >told
		lost=$((lost + $(sed -n 's/^warning *\([0-9]*\) requests are lost.*/\1/p' told | grep . || echo 0)))
		got=$("$VALIDATE" info trace | awk '$1 == "pread" { gsub(",", "", $2); print $2 }')
		[ "$got" -eq $((threads * (n + n / 10))) ] || { echo "only $got calls are in the trace"; exit 1; }
	done
	for i in 1 2 3; do "$VALIDATE" capture vfs -o trace -- ./loop file 20000 "$threads" 9>>tracefs >/dev/null 2>&1 || true; done
	if command -v strace >/dev/null; then
		for i in 1 2 3; do strace -f -ttt -T -o trace ./loop file 5000 "$threads" 9>>strace; done
	fi
	if command -v bpftrace >/dev/null; then
		for i in 1 2 3; do
			bpftrace -o trace -c "./loop file 20000 $threads" -e '
				tracepoint:syscalls:sys_enter_pread64 /comm == "loop"/ { @b[tid] = nsecs; @fd[tid] = args->fd;
					@n[tid] = args->count; @o[tid] = args->pos; }
				tracepoint:syscalls:sys_exit_pread64 /@b[tid]/ { printf("%d %d %lu %lu %d %lu %lu %ld\n", pid, tid,
					@b[tid], nsecs, @fd[tid], @n[tid], @o[tid], args->ret); delete(@b[tid]); }' \
				9>>bpftrace >/dev/null 2>&1 || true
		done
	fi
	plain=$(column none 1)
	reads=$(column none 2)
	printf '%d thread%s\n' "$threads" "$([ "$threads" -eq 1 ] || echo s)"
	printf '  %-34s %9.1f ns\n' 'two readings of the clock' "$reads" 'pread, nobody looks' "$plain"
	for how in captured tracefs strace bpftrace; do
		[ -s $how ] || { printf '  %-34s not here\n' "$how"; continue; }
		awk -v how="$how" -v t="$(column $how 1)" -v plain="$plain" -v reads="$reads" 'BEGIN {
			printf "  %-34s %9.1f ns: adds %.1f ns, %.2f times two readings of the clock\n", how, t, t - plain, (t - plain) / reads }'
	done
	# the difference within each turn: less disturbed than that of the medians
	paste -d ' ' none captured | awk '{ print ($3 - $1) / $2 }' | sort -n | awk '{ v[NR] = $1 }
		END { printf "  captured, turn by turn: median %.2f, quarter to three quarters %.2f to %.2f (aim: 1.5 at most)\n",
			v[int((NR + 1) / 2)], v[int((NR + 3) / 4)], v[int((3 * NR + 1) / 4)] }'
	echo "  lost calls: $lost"
done
