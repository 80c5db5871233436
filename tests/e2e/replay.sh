# SPDX-License-Identifier: GPL-3.0-or-later
# validate replay from the command line: orders and timings, the summary, wrong usage, refusals, stopping, CSV traces.
. "$SRCDIR/tests/e2e/lib.sh"

mkdir target
run() { # status, then arguments
	want=$1
	shift
	expect_status "$want" "$VALIDATE" replay "$@"
}

"$VALIDATE" microbench sr --level 2 --requests 300 --file-size 256K --dir target -o sr.trace >/dev/null
"$VALIDATE" microbench rw --level 2 --requests 300 --file-size 256K --pause 100us --dir target -o rw.trace >/dev/null

# each order and timing; the replay trace is a trace with as many records, and can be replayed itself
for order in temporal temporal-serial fs thread none; do
	run 0 --order $order --dir target -o out.trace sr.trace
	expect_line out '2 traced threads'
	[ $order = none ] || expect_line out 'mismatches      0'
	n=$(sed -n 's/^requests *\([0-9]*\) of \([0-9]*\);.*/\1 \2/p' out)
	[ "${n% *}" = "${n#* }" ] && [ "${n% *}" -ge 600 ] || fail "$order: $n requests"
	"$VALIDATE" info out.trace >info.txt || fail "info cannot read what $order wrote"
	run 0 --order $order --dir target out.trace
	for timing in timestamp think; do
		[ $order.$timing != none.think ] || continue
		run 0 --order $order --timing $timing --dir target -o out.trace rw.trace
		expect_line out 'issue error     p50 '
		expect_line out 'mismatches      0'
	done
done
ls target >after
printf 'rw.0\nrw.1\nsr.0\nsr.1\n' | cmp -s - after || fail "the replays left: $(cat after)"

# requests whose worker has no CPU when they are due: the process is stopped while it spins for a request's time.
# Repeated if the stop met no wait
awk 'BEGIN { print "pid,tid,begin,end,function,args,rvalue"
	for (i = 0; i < 100; i++)
		printf "1,1,%d,%d,pread,\"path=sr.0;offset=%d;length=512\",512\n", i * 10000000, i * 10000000 + 1000, i * 512 }' >slow.csv
held=
for try in 1 2 3 4 5 6 7 8; do
	"$VALIDATE" replay --timing timestamp --wait spin --dir target -o out.trace slow.csv >out 2>err &
	pid=$!
	sleep 0.5
	kill -STOP $pid
	sleep 0.05
	kill -CONT $pid
	wait $pid || fail "$(cat err)"
	held=$(sed -n 's/^no CPU  *\([0-9]*\) requests whose worker had no CPU .*; issue error of the others: p99 .*/\1/p' out)
	[ "${held:-0}" -lt 2 ] || break
done
[ "${held:-0}" -ge 2 ] && [ "$held" -lt 100 ] || fail "${held:-0} requests without CPU in 50 ms, one every 10 ms: $(cat out)"
"$VALIDATE" info --json out.trace >json
for fact in n_held_up held_up_ns held_up_max_ns others_issue_error_p99_ns; do
	grep -q "\"$fact\"" json || fail "the metadata have no $fact"
done

# --prepare creates missing files; without it the message says that they are missing
mkdir fresh
run 3 --dir fresh sr.trace
expect_line err '--prepare'
run 0 --prepare --dir fresh sr.trace
[ "$(ls fresh)" = "$(printf 'sr.0\nsr.1')" ] || fail "prepared: $(ls fresh)"

# the tables: each row in the manual
run 0 --list-engines
expect_line out 'event '
expect_line out 'coordinator '
expect_line out 'compiled '
sed '/^exec /,$d; s/ .*//' out >engines # from exec on they are replayers of other projects: adapters.sh
grep -q '^block ' out || fail 'engine block is not listed'
while read -r engine; do
	[ "$engine" = block ] && continue # on devices: replay-block.sh
	[ "$engine" = parallel ] && continue # under MPI: replay-parallel.sh
	grep -q "^## The \`$engine\` engine" "$SRCDIR/doc/replay-engines.md" || fail "engine $engine is not in doc/replay-engines.md"
	for order in temporal temporal-serial fs thread none; do
		run 0 --engine "$engine" --order $order --prepare --dir target -o "$engine.trace" sr.trace
	done
done <engines
run 0 --list-mutants
sed 's/[ :].*//' out >mutants
[ "$(wc -l <mutants)" -ge 10 ] || fail "only $(wc -l <mutants) mutants"
while read -r mutant; do
	grep -q "^| \`$mutant\` |" "$SRCDIR/doc/replay-engines.md" || fail "mutant $mutant is not in doc/replay-engines.md"
	case $mutant in drift | coarse) timing=timestamp ;; *) timing=fullspeed ;; esac
	run 0 --mutant "$mutant" --timing $timing --dir target rw.trace
done <mutants
run 0 --mutant lost:10% --dir target rw.trace
expect_line out '540 of 600'
run 0 --mutant size:10% --dir target rw.trace
expect_line out 'mismatches      60; the first: request '

# wrong usage: status 2, one line, no file written
wrong() { # what it says, then arguments
	says=$1
	shift
	run 2 "$@"
	expect_line err "$says"
	[ "$(wc -l <err)" -eq 1 ] || fail "more than one line: $*"
	[ ! -e wrong.trace ] || fail "wrong usage wrote a trace: $*"
}
wrong 'the argument TRACE is missing' --dir target -o wrong.trace
wrong '--dir DIR is missing' -o wrong.trace sr.trace
wrong 'did you mean "event"' --engine evnet --dir target -o wrong.trace sr.trace
wrong 'engine coordinator has no mutants' --engine coordinator --mutant delay --dir target -o wrong.trace sr.trace
wrong 'engine compiled has no mutants' --engine compiled --mutant delay --dir target -o wrong.trace sr.trace
wrong 'did you mean "delay"' --mutant dealy:20us --dir target -o wrong.trace sr.trace
wrong 'mutant delay' --mutant delay:20 --dir target -o wrong.trace sr.trace
wrong 'temporal' --order tmporal --dir target -o wrong.trace sr.trace
wrong 'think' --order none --timing think --dir target -o wrong.trace sr.trace
wrong 'speed' --speed 0 --dir target -o wrong.trace sr.trace
# options without effect
wrong 'fs-rules has no effect: only order fs' --fs-rules=-data --dir target -o wrong.trace sr.trace
wrong 'speed has no effect: only timing =' --speed 2 --dir target -o wrong.trace sr.trace
wrong 'wait has no effect: only timing =' --engine coordinator --wait spin --dir target -o wrong.trace sr.trace
wrong 'pre-spin has no effect: only timing =' --no-pre-spin --dir target -o wrong.trace sr.trace
wrong 'pre-spin has no effect: only --wait hybrid' --timing think --wait spin --no-pre-spin --dir target -o wrong.trace sr.trace
wrong 'keep-source: engine event has no such option (engines with it: compiled)' --keep-source source --dir target -o wrong.trace sr.trace
wrong 'program-cache: engine coordinator has no such option' --engine coordinator --program-cache cache --dir target -o wrong.trace sr.trace
wrong 'compile-only: engine event has no such option' --compile-only --dir target sr.trace
wrong 'output has no effect' --engine compiled --compile-only --dir target -o wrong.trace sr.trace
wrong 'prepare has no effect: --compile-only' --engine compiled --compile-only --prepare --dir target sr.trace
wrong 'program-cache has no effect: --keep-source' --engine compiled --keep-source source --program-cache cache --dir target -o wrong.trace sr.trace
wrong 'output has no effect' --prepare-only --dir target -o wrong.trace sr.trace
wrong 'cache has no effect' --prepare-only --cache cold --dir target sr.trace
[ ! -e source ] && [ ! -e cache ] || fail 'wrong usage made a directory'
run 0 --mutant stall:1ms/10ms --wait spin --dir target sr.trace # a stall ends at a due time
run 0 --cc gcc --unroll --dir target sr.trace # a protocol sets these keys for several engines
wrong 'it needs timing' --mutant coarse:1ms --dir target -o wrong.trace sr.trace

# failures: status 3, one line, no output left
failed() {
	says=$1
	shift
	run 3 "$@"
	expect_line err "$says"
	[ "$(wc -l <err)" -eq 1 ] || fail "more than one line: $*"
	[ ! -e wrong.trace ] || fail "a failed replay left a trace: $*"
}
failed 'no-such.trace' --dir target -o wrong.trace no-such.trace
failed 'no-such-dir' --dir no-such-dir -o wrong.trace sr.trace
failed 'overwrite the input' --dir target -o sr.trace sr.trace
echo 'not a trace' >junk
failed 'junk' --dir target -o wrong.trace junk
cmp -s sr.trace out.trace && fail "the input was overwritten"

failed 'not a regular file' --dir target -o /dev/null rw.trace
[ -c /dev/null ] || fail '/dev/null is gone'

# a mismatch is reported, and stops the replay only if requested
truncate -s 100K target/rw.0
"$VALIDATE" microbench rr --requests 300 --file-size 256K --dir target -o rr.trace >/dev/null
truncate -s 64K target/rr.0
run 0 --dir target -o out.trace rr.trace
expect_line out 'instead of 4096'
run 3 --stop-on-mismatch --dir target -o stopped.trace rr.trace
expect_line err 'stopped at the first mismatch'
expect_line out 'mismatches      1;'
[ -e stopped.trace ] || fail 'a stopped replay wrote no trace'

# names of files are printed as text, without control sequences
printf 'pid,tid,begin,end,function,args,rvalue\n7,8,0,9,unlink,"path=/ü%%9B1m%%1B%%C2%%9Bz%%C3",-1\n' >escapes.csv
mkdir escapes && : >"escapes/$(printf 'ü\2331m\033\302\233z\303')"
run 0 --dir escapes escapes.csv
expect_line out 'request 0: unlink of /ü\2331m\033\302\233z\303 returned 0'

# a FIFO in place of a file is refused
mkdir pipes && mkfifo pipes/rr.0
run 6 --dir pipes rr.trace

# a CSV trace: no descriptors, no files, only what its records show
cat >foreign.csv <<-'END'
	pid,tid,begin,end,function,args,rvalue
	7,8,0,1000,open,"path=/data/new;flags=0x42;mode=0644",3
	7,8,2000,3000,write,"fd=3;length=5000",5000
	7,9,2500,3500,pread,"path=/data/old;fd=4;offset=1000;length=500",24
	7,9,4000,4500,pread,"path=/data/old;offset=0;length=100",100
	7,9,5000,5500,open,"path=/data/none;flags=0",-1
	7,8,6000,6500,fsync,"fd=3",0
	7,8,7000,7500,close,"fd=3",0
	END
mkdir empty
run 3 --dir empty foreign.csv
for order in temporal fs; do
	rm -rf empty && mkdir empty
	run 0 --order $order --timing timestamp --prepare --dir empty -o out.trace foreign.csv
	expect_line out 'requests        7 of 7, 1 failed as in the trace'
	expect_line out 'mismatches      0'
	[ "$(wc -c <empty/data/new)" -eq 5000 ] || fail "the trace's own file"
	[ "$(wc -c <empty/data/old)" -eq 1024 ] || fail "the file from before"
done
"$VALIDATE" info out.trace --csv again.csv
run 0 --dir empty again.csv
