# SPDX-License-Identifier: GPL-3.0-or-later
# long: 12 s
# waits: for the due times of requests
# validate judge: a verdict for one trace; the protocol that it makes is valid; replayers by name;
# refusals.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"

judged() { # DIR ARGUMENT...: any verdict
	dir=$1
	shift
	expect_verdict "$VALIDATE" judge --replicates 5 -o "$dir" "$@"
	grep '"state":"failed"' "$dir/journal" && fail "a run failed" || :
}

mkdir files
expect_status 0 "$VALIDATE" microbench rw --level 2 --requests 300 --file-size 1M --dir files -o reference.trace
rm -rf files

expect_status 2 "$VALIDATE" judge
expect_status 3 "$VALIDATE" judge nothing.trace
expect_status 2 "$VALIDATE" judge --with evnt reference.trace
expect_line err 'did you mean "event"'
expect_status 2 "$VALIDATE" judge --with block reference.trace
expect_line err 'this engine cannot replay a trace of calls on files'
expect_status 2 "$VALIDATE" judge --with event:ordr=fs reference.trace
expect_line err 'did you mean "order"'
expect_status 2 "$VALIDATE" judge --with event:order=fs --with event:order=first reference.trace
expect_line err '--with event-1: order: "first" is not one of'
expect_status 2 "$VALIDATE" judge --device x reference.trace

# paths that would change their meaning, or form other keys, in a protocol
newline='
'
for name in 'quo"te' 'com ;ment' 'com #ment' 'end;' "key${newline}destructive = yes" 'blank '; do
	mkdir "$name"
	cp reference.trace "$name/trace"
	expect_status 2 "$VALIDATE" judge --with event --dry-run --dir "$name" reference.trace
	expect_line err 'a protocol cannot contain the path'
	case $name in 'blank ' | 'end;') ;; *) expect_status 2 "$VALIDATE" judge --with event --dry-run "$name/trace" ;; esac
done
long=$(printf '%0200d' 0)
mkdir "$long"
expect_status 2 "$VALIDATE" judge --with event --dry-run --dir "$long" reference.trace
expect_line err "$long is too long for a protocol, whose lines have at most 198 bytes"
cp reference.trace "$long/trace"
expect_status 2 "$VALIDATE" judge --with event --dry-run "$long/trace"
expect_line err "$long/trace is too long for a protocol, whose lines have at most 198 bytes"
expect_status 2 "$VALIDATE" judge --with "event:program-cache=$long" --dry-run reference.trace
expect_line err '--with event: the option is too long for a protocol'
mkdir 'it,s 1..2 = 50%'
expect_status 0 "$VALIDATE" judge --with event --dry-run --dir 'it,s 1..2 = 50%' reference.trace
expect_line out "dir = $PWD/it,s 1..2 = 50%"

status=0
TMPDIR=$PWD/none "$VALIDATE" judge --with event --dry-run reference.trace >out 2>err || status=$?
[ "$status" -eq 3 ] || fail "status $status without a directory for temporary files"
expect_line err 'for the protocol: No such file or directory'

# a value that contains commas
expect_status 0 "$VALIDATE" judge --dry-run --with 'exec:export=csv,command=["a", "{trace}"],times=self:csv(begin=1,end=2,unit=us)' reference.trace
expect_line out 'command = ["a", "{trace}"]'
expect_line out 'times = self:csv(begin=1,end=2,unit=us)'

# without --with: all engines of this program that can replay it, each with the trace's times
expect_status 0 "$VALIDATE" judge --dry-run reference.trace
expect_line out 'engine = event'
expect_line out 'timing = timestamp'
grep -q 'engine = block' out && fail "a replayer of devices for a trace of calls" || :
# with --with, settings that it does not name have the same values
settings() {
	expect_status 0 "$VALIDATE" judge --dry-run --with "$1" reference.trace
	[ "$(sed -n '/^\[replayer event\]/,/^$/p' out | sed '1,2d; /^$/d; /^control = /d' | sort | tr '\n' ' ')" = "$2" ] || fail "$1: $(sed -n '/^\[replayer/,/^$/p' out)"
}
settings event 'order = fs timing = timestamp '
settings event:order=thread 'order = thread timing = timestamp '
settings 'event:timing=think' 'order = fs timing = think '
settings event:order=none,timing=fullspeed 'order = none timing = fullspeed '
settings 'event:order = none' 'order  =  none timing = timestamp '

# the control replay is an engine of this program with defaults: a requested replayer, or a further
# one
controls() { # NAME ARGUMENT...: the section of this replayer exists
	name=$1
	shift
	expect_status 0 "$VALIDATE" judge --dry-run "$@" reference.trace
	[ "$(awk '/^\[replayer/ { name = $2 } /^control = yes/ { print name }' out)" = "$name]" ] ||
		fail "control: $*"
}
controls event
controls event-1 --with event:mutant=lost --with event:order=fs,timing=timestamp
controls control --with event:order=none
controls control --with event:mutant=lost

# caches as they were: a recording of files that had just been written read nothing from storage;
# without this information the times decide
# (other programs may drop the caches meanwhile)
for _ in 1 2 3 4 5 6 7 8; do
	mkdir files
	expect_status 0 "$VALIDATE" microbench rr --requests 300 --file-size 1M --prepare --dir files -o cached.trace
	rm -rf files
	expect_status 0 "$VALIDATE" judge --dry-run cached.trace
	! grep -q 'cache = warm' out || break
	rm cached.trace
done
expect_line out 'cache = warm'
expect_line out 'bytes came from storage'
expect_status 0 "$VALIDATE" judge --dry-run --cache cold cached.trace
expect_line out 'cache = cold'
{
	echo 'pid,tid,begin,end,function,args,rvalue'
	echo '1,1,1000,2000,open,"path=f;flags=0",3'
	for i in 1 2 3; do echo "1,1,${i}0000000,${i}0200000,pread,\"fd=3;offset=0;length=100\",100"; done
} >slow.csv
expect_status 0 "$VALIDATE" judge --dry-run slow.csv
expect_line out '0 of its 3 reads took less than 10 us'
expect_line out 'Trace: 4 requests in 30.2 ms'
expect_line out 'Campaign: 45 runs, about 14.9 s (each run: duration of the trace, plus 300 ms of other work)'
# no request, one request, and two at the same instant
head -n 1 slow.csv >none.csv
expect_status 3 "$VALIDATE" judge none.csv
expect_line err 'none.csv: no request of the trace has a start time'
for n in 1 2; do
	{
		head -n 1 slow.csv
		for i in $(seq $n); do echo "1,$i,1000,2000,stat,path=f,0"; done
	} >few.csv
	judged few-$n --with event few.csv
	expect_line out "$n request"
	jq -e --argjson n $n '[.cells[].n_requests] == [5 * $n]' few-$n/report/report.json >/dev/null || fail "of $n requests: $(jq -c '[.cells[].n_requests]' few-$n/report/report.json)"
done
expect_line out 'cache = cold'

# the same engine twice: a faultless replayer, and a replayer that loses requests
judged verdict --with event:order=fs --with event:order=fs,mutant=lost reference.trace
expect_line out 'reference = trace'
expect_line out 'mutant = lost'
[ "$(sed -n '/^; Made by/,/^issue-error/p' out)" = "$(cat verdict/protocol.conf)" ] || fail "the protocol that is printed is not the one that was used"
jq -e '.cells | length == 2' verdict/report/report.json >/dev/null || fail "not two cases"
jq -e '.league | length == 2 and (.[] | select(.replayer == "event-1") | .verdict == "not trusted")' verdict/report/report.json >/dev/null || fail "$(jq -c '[.league[] | [.replayer, .verdict]]' verdict/report/report.json)"
jq -s -e 'map(select(.role == "event-1" and .summary.n_lost == 0)) | length == 0' verdict/runs/*.json >/dev/null || fail "lost requests were not counted"
jq -s -e 'map(select(.role == "event" and (.summary.n_lost != 0 or .summary.n_mismatched != 0))) | length == 0' verdict/runs/*.json >/dev/null ||
	fail "losses are reported for a faultless replay"
[ "$status" -eq 1 ] || fail "status $status with a replayer that is not trusted"

# a device is missing, also for an iolog
printf 'fio version 3 iolog\n1 /dev/sdq add\n1 /dev/sdq open\n1000 /dev/sdq write 4096 4096\n60000 /dev/sdq close\n' >device.iolog
expect_status 2 "$VALIDATE" judge --dry-run --with block device.iolog
expect_line err '--device is missing'
# messages name options, not the temporary protocol
truncate -s 64M backing
expect_status 2 "$VALIDATE" judge --dry-run --with block --device backing device.iolog
expect_line err '--destructive is missing'
expect_status 2 "$VALIDATE" judge --dry-run --with event:order=foo reference.trace
expect_line err 'validate: --with event: order: "foo" is not one of'

# the generated protocol can be used, also in its directory
expect_status 0 "$VALIDATE" run verdict/protocol.conf --dry-run
expect_status 1 "$VALIDATE" report verdict

# requests of a device, on a file; its content is safe unless the user permits writes
truncate -s 4M disk.img
dd if=disk.img of=/dev/null bs=4k count=1 iflag=direct 2>dd.err || skip "no direct I/O on this file system"
expect_status 0 "$VALIDATE" microbench block-random --queue-depth 4 --read-share 50% --requests 200 --device disk.img --destructive -o block.trace
expect_status 2 "$VALIDATE" judge block.trace
expect_line err '--device is missing'
# other replayers are timed at a block device: with a file in its place only engines of this program
# are judged
expect_status 0 "$VALIDATE" judge --dry-run --destructive --device disk.img block.trace
expect_line out 'engine = block'
expect_line out "; replayers of other projects are omitted"
expect_line out 'disk.img is not a block device'
! grep -E 'engine = (fio|btreplay|blkreplay|hfplayer)' out || fail 'a replayer without times'
cksum disk.img >before
status=0
"$VALIDATE" judge --with block --device disk.img -q -o unsaid block.trace >out 2>err || status=$?
[ "$(cksum disk.img)" = "$(cat before)" ] || fail "a device that was not to be overwritten was (status $status)"
truncate -s 4M signed.img
printf 'SWAPSPACE2' | dd of=signed.img bs=1 seek=4086 conv=notrunc 2>/dev/null
printf '\001\000\000\000\377\000\000\000' | dd of=signed.img bs=1 seek=1024 conv=notrunc 2>/dev/null
expect_status 6 "$VALIDATE" judge --dry-run --with block --device signed.img --destructive block.trace
expect_line err 'signature (swap)'
judged device --with block --with block:mode=afap --device disk.img --destructive -q block.trace
jq -e '.cells | length == 2' device/report/report.json >/dev/null || fail "not two cases on a device"
jq -s -e 'map(select(.block > 0 and .summary.n_lost != 0)) | length == 0' device/runs/*.json >/dev/null || fail "requests are lost on a device"
