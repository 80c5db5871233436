# SPDX-License-Identifier: GPL-3.0-or-later
# Engine exec as in doc/adapters.md: the example replayer under each observer, and the forms of
# command and times. Replayers that hang, crash, fork, print too much, print false times, skip,
# repeat or reorder are named, and none of their processes remains.
. "$SRCDIR/tests/e2e/lib.sh"

# 200 requests of 4 KiB at different offsets, every 50 us
awk 'BEGIN { for (i = 0; i < 200; i++)
	printf "%.0f,hm,0,%s,%d,4096,600\n", 128166372003061629 + i * 500, i % 3 ? "Read" : "Write", (i * 37 % 256) * 4096 }' >in.csv
truncate -s 1M target
mkdir near
${CC:-cc} -O1 -o simple-replayer "$SRCDIR/tests/programs/simple-replayer.c"
${CC:-cc} -O1 -o hostile-replayer "$SRCDIR/tests/programs/hostile-replayer.c"
form='self:csv(begin=1, end=2, op=3, offset=4, length=5, unit=us, unit-offset=512)'

run() { # STATUS OPTION...: on the file
	expected=$1
	shift
	rm -f out.trace out.trace.printed
	expect_status "$expected" "$VALIDATE" replay --engine exec --destructive --device target --export blkreplay -o out.trace "$@" in.csv
	[ -z "$(ls -d out.trace.run-* 2>/dev/null)" ] || fail "the scratch directory stayed: $(ls -d out.trace.run-*)"
}
fact() { # NAME: of the replay's metadata
	"$VALIDATE" info --json out.trace | jq -r ".. | .$1? // empty" | head -n 1
}
hostile() { # STATUS FAULT OPTION...
	expected=$1 fault=$2
	shift 2
	run "$expected" --times "$form" --command "[\"./hostile-replayer\", \"$fault\", \"{trace}\", \"{device}\"]" "$@"
}

# --- the example, with each observer and form -----------------------------------------------------
run 0 --command '["./simple-replayer", "{trace}", "{device}"]' --times "$form"
expect_line out '200 of 200; times: self'
[ "$(fact n_matched)" = 200 ] && [ "$(fact n_extra)" = 0 ] || fail "of 200 requests $(fact n_matched) matched, $(fact n_extra) extra"
[ "$(fact sha256)" = "$(sha256sum simple-replayer | cut -d ' ' -f 1)" ] || fail "another digest: $(fact sha256)"
"$VALIDATE" metrics --json in.csv out.trace >json
jq -e '.matched.n_lost // .n_lost // 0 | . == 0' json >/dev/null || fail "requests are lost: $(cat json)"
run 0 --command './simple-replayer {trace} {device}' --times preload
expect_line out '200 of 200; times: preload'
run 0 --command './simple-replayer {trace} {device}' --times 'self:csv(begin=1,end=2,unit=us)'
expect_line out '200 of 200'
# without results, failures are not visible: a note
expect_line out 'note: times does not name the column "result"'
[ "$(fact n_results_unknown)" = 200 ] || fail "the results of $(fact n_results_unknown) requests are reported as missing"
run 0 --command './simple-replayer {trace} {device}' --times 'self:csv(begin=1,end=2,result=6,unit=us)'
! grep 'no column result' out || fail 'there is a column result'
[ -z "$(fact n_results_unknown)" ] || fail 'the results are in the output'
[ ! -e out.trace.printed ] || fail "it printed nothing but its times"
# an output file named in the command instead of standard output; a variable; a limit of the adapter
run 0 --times "$form" --environment 'WHERE={scratch} EMPTY=' --command '["sh", "-c", "test -d \"$WHERE\" && $4 $1 $2 >$3", "-", "{trace}", "{device}", "{output}", "'"$PWD"'/simple-replayer"]'
expect_line out '200 of 200'

# its working directory: the scratch directory, the target, or another directory
mkdir 'start here'
for in in '{scratch}' "$PWD/start here" 'start here'; do
	run 0 --times "$form" --start-in "$in" --command '["sh", "-c", "pwd >&2; exec $0 $1 $2", "'"$PWD"'/simple-replayer", "{trace}", "{device}"]'
	case $in in
	*here) [ "$(cat out.trace.printed)" = "$(pwd -P)/start here" ] || fail "started in $(cat out.trace.printed)" ;;
	*) grep -q 'out.trace.run-' out.trace.printed || fail "started in $(cat out.trace.printed)" ;;
	esac
done
run 3 --times "$form" --start-in '{target}' --command './simple-replayer {trace} {device}'
expect_line err 'start-in: '
expect_line err 'Not a directory'
run 2 --times "$form" --start-in '{targt}' --command './simple-replayer {trace} {device}'
expect_line err 'start-in: '
expect_line err 'did you mean "target"?'

# --- wrong output -------------------------------------------------------------------------------------------------------------
run 2 --times "$form" --command './simple-replayer {trac}'
expect_line err 'did you mean "trace"?'
run 2 --times 'self:csv(begin=1,edn=2)' --command './simple-replayer'
expect_line err 'did you mean "end"?'
run 2 --times 'self:csv(begin=1)' --command './simple-replayer'
expect_line err 'begin=COLUMN is needed, and either end=COLUMN or took=COLUMN'
run 2 --times selv --command './simple-replayer'
expect_line err 'did you mean "self"?'
run 2 --times self --command './simple-replayer'
run 2 --times preload
expect_line err 'the key "command" is missing'
run 2 --times preload --command './simple-replayer' --order none
expect_line err 'engine exec has no such option'
for option in '--times block' '--command x' '--user nobody' '--time-limit 1s' '--fio-ioengine libaio'; do
	for engine in event compiled; do
		expect_status 2 "$VALIDATE" replay --engine $engine $option --dir . in.csv
		expect_line err "other projects, not for engine $engine"
	done
done
expect_status 2 "$VALIDATE" replay --engine evnt --times block --dir . in.csv
expect_line err 'unknown engine "evnt"'
run 2 --times preload --command '["a", 5]'
expect_line err 'word 2 is not text'
run 2 --times preload --command './simple-replayer' --export oracle
run 3 --times preload --command './no-such-replayer {trace}'
expect_line err 'no-such-replayer'
expect_status 6 "$VALIDATE" replay --engine exec --device target --export blkreplay --command './simple-replayer {trace} {device}' in.csv
expect_line err 'the replay could overwrite its content'
# a command may write although the trace only reads, unless the user excludes it
grep -v Write in.csv >reads.csv
expect_status 6 "$VALIDATE" replay --engine exec --device target --export blkreplay --command './simple-replayer {trace} {device}' reads.csv
expect_line err 'the replay could overwrite its content'
expect_status 0 "$VALIDATE" replay --engine exec --read-only --times none --device target --export blkreplay --command 'true {trace} {device}' reads.csv

# --- hostile replayers ----------------------------------------------------------------------------
hostile 3 nothing
expect_line err 'none of the 200 requests of the trace was observed'
hostile 3 status
expect_line err 'ended with exit status 7: there is no such thing'
expect_line out.trace.printed 'there is no such thing'
hostile 0 none --accept-status 7,134
hostile 3 crash
expect_line err 'was ended by signal 11'
hostile 3 crash-late
expect_line err 'was ended by signal 6'
hostile 3 hang --time-limit 300ms
expect_line err 'did not end within 0.3 s'
hostile 3 nan
expect_line err 'times:1: column 1: "nan" is not a number'
hostile 3 backwards
expect_line err 'before it begins'
hostile 3 garbage
expect_line err 'times:1:'
hostile 3 endless-times
expect_line err 'wrote more than'
hostile 0 flood
expect_line out 'the replayer printed 1073741824 bytes'
[ "$(wc -c <out.trace.printed)" -lt 200000 ] || fail "its printed text is not limited: $(wc -c <out.trace.printed) bytes"
hostile 0 skip
expect_line out '180 of 200'
expect_line out '20 requests given to the replayer'
[ "$(fact n_lost)" = 20 ] || fail "20 are skipped, not $(fact n_lost)"
hostile 0 repeat
expect_line out '10 requests that the input does not have'
hostile 0 reorder
expect_line out '200 of 200'
"$VALIDATE" metrics in.csv out.trace >metrics
grep -q 'reordered, at issue *0 %' metrics && fail "replayed backwards, and not reordered"
# the same hostile replayers, observed by the preloaded library
run 0 --times preload --command './hostile-replayer skip {trace} {device}'
[ "$(fact n_lost)" = 20 ] || fail "20 are skipped, not $(fact n_lost)"
run 0 --times preload --command './hostile-replayer repeat {trace} {device}'
[ "$(fact n_extra)" = 10 ] || fail "10 are made twice, not $(fact n_extra)"
run 3 --times preload --command './hostile-replayer hang {trace} {device}' --time-limit 300ms
expect_line err 'did not end within 0.3 s'

# a daemon is found, named and killed, however it hides
hostile 3 daemon
expect_line err 'killed: '
expect_line err 'hostile-replaye ('
for daemon in $(grep -o '([0-9]*)' err | tr -d '()'); do
	! grep -qs hostile "/proc/$daemon/comm" || fail "the daemon $daemon runs on"
done

# files written beside the target, in a directory that other users cannot write to
chmod 755 .
mv target near/target
expect_status 3 "$VALIDATE" replay --engine exec --destructive --device near/target --export blkreplay -o out.trace --times "$form" \
	--environment "OUTSIDE=$PWD/near/stray" --command "./hostile-replayer outside {trace} {device}" in.csv
expect_line err 'wrote outside of its target'
expect_line err 'created stray'

# the trace's files are created before the start, and a directory that the trace makes is removed,
# unless it has other files
cat >need.csv <<'C'
pid,tid,begin,end,function,args,rvalue,error,seq,intended,dispatch
1,1,1000,2000,open,"path=sub/there;mode=0644;flags=0x0",7,,0,,
1,1,3000,4000,pread,"path=sub/there;fd=7;offset=0;length=4096",4096,,1,,
1,1,5000,6000,mkdir,"path=made;mode=0755",0,,2,,
C
mkdir -p dir/made/old
on_files() { # STATUS OPTION...
	expected=$1
	shift
	expect_status "$expected" "$VALIDATE" replay --engine exec --times preload -o out.trace "$@" \
		--command '["sh", "-c", "dd if=$1/sub/there bs=4096 count=1 of=/dev/null && mkdir $1/made", "-", "{dir}"]' need.csv
}
on_files 3 --dir dir
expect_line err 'failed to open'
on_files 6 --dir dir --prepare
expect_line err 'it contains made/old, which the trace does not use'
[ -d dir/made/old ] && [ ! -e dir/sub ] || fail "changed by a refused replay: $(find dir)"
rmdir dir/made/old
on_files 0 --dir dir --prepare
expect_line out '3 of 3'
# 7 was the traced descriptor: another number is no mismatch, and the record has the traced number
expect_line out 'mismatches      0'
"$VALIDATE" info out.trace --csv out.csv
grep -q ',open,.*,7,' out.csv || fail "not the traced descriptor: $(cat out.csv)"
on_files 2 --dir dir --full-speed --speed 2
expect_line err 'speed has no effect: engine exec ignores the traced times with full-speed'
on_files 2 --device target --prepare
expect_line err 'does not apply to a device'

# reads without a traced offset: they continue at the position of the file, and if a read is
# missing, it is the last
cat >on.csv <<'C'
pid,tid,begin,end,function,args,rvalue,error,seq,intended,dispatch
1,1,1000,2000,read,"path=sub/there;fd=7;length=512",512,,0,,
1,1,3000,4000,read,"path=sub/there;fd=7;length=512",512,,1,,
1,1,5000,6000,lseek,"path=sub/there;fd=7;offset=2048;whence=0",2048,,2,,
1,1,7000,8000,read,"path=sub/there;fd=7;length=512",512,,3,,
C
mkdir -p dir/sub
head -c 4096 /dev/zero >dir/sub/there
expect_status 0 "$VALIDATE" replay --engine exec --times preload -o out.trace --dir dir --command '["dd", "if={dir}/sub/there", "bs=512", "skip=1", "count=1", "of=/dev/null"]' on.csv
"$VALIDATE" info out.trace --csv out.csv
cut -d , -f 3,5 out.csv | grep -q '^[0-9][0-9]*,read$' || fail "nothing was matched: $(cat out.csv)"
[ "$(awk -F , '$5 == "read" && $3 != "" { print $(NF - 2) }' out.csv)" = 1 ] || fail "not the second read: $(cat out.csv)"
