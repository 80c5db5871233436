# SPDX-License-Identifier: GPL-3.0-or-later
# long: 20 s
# Bad protocols start nothing. The protocol that init writes and the supplied protocols are valid.
# doctor runs.
. "$SRCDIR/tests/e2e/lib.sh"

bad() { # text, expected message
	printf '%b' "$1" >bad.conf
	expect_status 2 "$VALIDATE" run bad.conf -o results
	expect_line err "validate: bad.conf$2"
	[ "$(wc -l <err)" -eq 1 ] || fail "the message has more than one line: $(cat err)"
	[ ! -e results ] || fail "a bad protocol began a campaign: $1"
}
bad '' ': section [protocol] is missing'
bad '[protocol]\nreplicats = 3\n' ':2: unknown key "replicats" (did you mean "replicates"?)'
bad '[protocol]\n[workload w]\ntype = random-read\nleval = 1\n' ':4: unknown key "leval" in [workload w] (did you mean "level"?)'
bad '[protocol]\n[workload w]\ntype = random-read\npause = 10\n[replayer r]\n' ':4: pause: "10" has no unit'
bad '[protocol]\n[workload w]\ntype = random-read\ndirect = yes\nblock-size = 1000\n[replayer r]\n' ':2: [workload w]: block-size 1000'
bad '[protocol]\n[workload w]\ntype = random-read\n[replayer r]\nengine = evnt\n' ':5: engine: "evnt" is not a replay engine (did you mean "event"?)'
bad '[protocol]\ntitle = \0377\n' ':2: byte 0xff is not UTF-8 text'
bad '[protocol]\nreplicates = 1\n' ':2: replicates: "1" is too small: at least 2'
head -c 100000 /dev/zero | tr '\0' 'x' >bad.conf
expect_status 2 "$VALIDATE" run bad.conf -o results
expect_line err 'validate: bad.conf:1: the line is 100000 bytes long'
head -c 100000 /dev/urandom >bad.conf
expect_status 2 "$VALIDATE" run bad.conf -o results
expect_status 2 "$VALIDATE" run no-such.conf
expect_line err 'no-such.conf'
expect_status 2 "$VALIDATE" run .
expect_status 2 "$VALIDATE" run
expect_line err 'validate init'
[ ! -e results ] || fail "a bad protocol began a campaign"

# impossible settings are reported before the measurement
good='[workload w]\ntype = random-read\nfile-size = 1M\nrequests = 10\n[replayer r]\n'
printf "[protocol]\nreplicates = 2\nallow-undecidable = yes\n[target t]\ndir = no/such/dir\n$good" >p.conf
expect_status 3 "$VALIDATE" run p.conf -o r1 -q
expect_line err 'cannot use the target directory'
printf "[protocol]\nreplicates = 2\nallow-undecidable = yes\n[target t]\ndir = p.conf\n$good" >p.conf
expect_status 3 "$VALIDATE" run p.conf -o r2 -q
expect_line err 'is not a directory'
printf "[protocol]\nreplicates = 2\nallow-undecidable = yes\nscratch = no/such/dir\n$good" >p.conf
expect_status 3 "$VALIDATE" run p.conf -o r3 -q
expect_line err 'cannot create a scratch directory'
printf "[protocol]\nreplicates = 2\nallow-undecidable = yes\ncpus = 1023\n$good" >p.conf
expect_status 3 "$VALIDATE" run p.conf -o r4 -q
expect_line err 'cannot set its CPUs'
printf "[protocol]\nreplicates = 2\nallow-undecidable = yes\n[target t]\nqueue = no_such_setting=1\n$good" >p.conf
expect_status 3 "$VALIDATE" run p.conf -o r5 -q
expect_line err 'no_such_setting'
for r in r1 r2 r3 r4 r5; do
	[ ! -e $r ] || fail "left behind: $(find $r)"
done

# init: never overwrites, and its output can be run
expect_status 0 "$VALIDATE" init
expect_line out 'protocol.conf written'
cp protocol.conf first
expect_status 3 "$VALIDATE" init
expect_line err 'is not overwritten'
cmp -s first protocol.conf || fail "init overwrote a protocol"
"$VALIDATE" init - >printed
cmp -s first printed || fail "init - prints something else"
expect_status 0 "$VALIDATE" run protocol.conf --dry-run
# what stops the campaign at its start also stops the dry run
mkdir used && touch used/file
expect_status 3 "$VALIDATE" run protocol.conf --dry-run -o used
expect_line err 'the results directory used is not empty'
expect_status 3 "$VALIDATE" run protocol.conf --dry-run -o used/file/results
sed 's/^\[target \(.*\)\]/&\ndir = missing/' protocol.conf >missing.conf
grep -q '^dir = missing' missing.conf || printf '[target there]\ndir = missing\n' >>missing.conf
expect_status 3 "$VALIDATE" run missing.conf --dry-run
expect_line err 'cannot use the target directory missing'
# a target is relative to the parent of the results directory
mkdir -p sub/missing
expect_status 0 "$VALIDATE" run missing.conf --dry-run -o sub/results/
expect_status 3 "$VALIDATE" run missing.conf --dry-run -o sub/other/results
expect_status 3 "$VALIDATE" init no/such/dir/p.conf
expect_status 0 "$VALIDATE" init --full full.conf
[ "$(wc -l <full.conf)" -gt 100 ] && [ "$(wc -l <protocol.conf)" -lt 60 ] || fail "init: $(wc -l *.conf)"
grep -v '^;' full.conf | cat -s >full.keys
grep -v '^;' protocol.conf | cat -s >short.keys
grep . full.keys | grep -v '^\[compare\]' >full.lines
grep . short.keys | cmp -s - full.lines || fail "init --full has other keys: $(diff full.keys short.keys)"
expect_status 0 "$VALIDATE" run full.conf --dry-run
expect_status 0 "$VALIDATE" run protocol.conf --dry-run --replicates 31
expect_line out '31'
expect_status 2 "$VALIDATE" run protocol.conf --dry-run --replicates x
expect_line err '--replicates: '
expect_status 2 "$VALIDATE" run -o small --resume --replicates 5
sed 's/^replicates = 20/replicates = 2\nallow-undecidable = yes/; s/^bank = .*/bank = 1\nmin-duration = 5ms/; s/^requests = 500/requests = 20/; s/^file-size = 16M/file-size = 1M/' \
	protocol.conf >small.conf
status=0
"$VALIDATE" run small.conf -o small --replicates 3 -q >out 2>err || status=$?
[ $status -ne 2 ] && [ $status -ne 3 ] || fail "init's protocol: status $status: $(cat err)"
[ "$(sed 's/^replicates = 3$/replicates = 2/' small/protocol.conf)" = "$(cat small.conf)" ] || fail 'the copy of the protocol'
grep -q '^replicates = 3' small/resolved.conf || fail '--replicates is not in resolved.conf'

# the ready protocols
for conf in "$SRCDIR"/protocols/*.conf; do
	if [ "${conf##*/}" = standard.conf ]; then # it needs a certificate; e2e/campaign-standard.sh makes one
		expect_status 3 "$VALIDATE" run "$conf" --dry-run
		expect_line err 'validate standard certify -o standard.json'
		continue
	fi
	expect_status 0 "$VALIDATE" run "$conf" --dry-run
	expect_line out 'No file or device was changed.'
	case ${conf##*/} in
	quick.conf) expect_line out '8 scenarios, 2 replayers, 12..64 pairs of each scenario' ;;
	microbenchmark.conf) expect_line out '48 scenarios' ;;
	fileserver.conf)
		expect_line out '1 scenario, 5 replayers, 10 replicates'
		expect_line out '103 MiB'
		;;
	esac
	# a volume that changes, or a reason in doc/protocol.md why it does not
	if grep -q '^volume = ' "$conf"; then
		case ${conf##*/} in
		block-bundling.conf | block-scaled.conf | case-fio.conf | parallel*.conf) ! grep 'responsiveness is judged' out || fail "$conf changes its storage" ;;
		*)
			expect_line out 'in half of the blocks its service times are 1.5 times as long: responsiveness is judged'
			expect_line out 'its service times stay the same: responsiveness is not judged'
			;;
		esac
	fi
	grep -q '^type = parallel' "$conf" || ! grep 'recording parallel applications' out || fail "$conf has none"
done
for conf in quick microbenchmark fileserver; do
	[ -f "$SRCDIR/protocols/$conf.conf" ] || fail "there is no $conf.conf"
done

# what a design can decide, before the start
small() { printf '[protocol]\nreplicates = %b\n[workload w]\ntype = random-read\n[replayer r]\n[accept]\nbias = %s\n' "$1" "$2"; }
small 20 10% >p.conf
expect_status 0 "$VALIDATE" run p.conf --dry-run
expect_line out 'standard deviation of 10 % from pair to pair'
grep -q '^  bias  *±  *10 %  *9[0-9] %$' out || fail "the chance at 20 pairs: $(cat out)"
expect_status 0 "$VALIDATE" run p.conf --dry-run --scatter 1%
grep -q '^  bias  *±  *10 %  *>99 %$' out || fail "the chance with little scatter: $(cat out)"
expect_status 2 "$VALIDATE" run p.conf --dry-run --scatter 60%
grep -q 'with a scatter of 60 % and 20 replicates, validate almost never accepts bias (<1 %; a probability of 80 % needs about [0-9]* replicates or a limit of [0-9]* %), typical response' err || fail "$(cat err)"
sed 's/^replicates.*/&\nbank = 1/' p.conf >one.conf
expect_status 0 "$VALIDATE" run one.conf --dry-run
expect_line out 'note: bank = 1: all pairs replay one recording, so no case can be trusted'
small 20 10% | sed 's/^replicates.*/&\nbank = 2/' >two.conf
expect_status 0 "$VALIDATE" run two.conf --dry-run
grep -q '^      [0-9]* replicates are needed with bank = 2, and 2[0-9] with bank = 2[0-9]$' out || fail "more recordings: $(cat out)"
expect_status 0 "$VALIDATE" run p.conf --dry-run
! grep 'bank = ' out || fail 'a bank without need'
expect_status 0 "$VALIDATE" run "$SRCDIR/protocols/field.conf" --dry-run
expect_line out 'field.conf: with a scatter of 10 % and 10 replicates, validate almost never accepts bias (<1 %; a probability of 80 % needs about'
expect_status 0 "$VALIDATE" run "$SRCDIR/protocols/parallel.conf" --replicates 5 --dry-run
expect_line out '5 replicates, a faultless replayer is accepted with a probability under 10 %: bias'
# in no supplied protocol a component is never accepted, with the scatter of a quiet machine
expect_status 0 "$VALIDATE" run "$SRCDIR/protocols/microbenchmark-short.conf" --dry-run --scatter 3%
! grep '^note' out || fail 'microbenchmark-short.conf: a note'
sed 's/^replicates = 16/replicates = 5/' "$SRCDIR/protocols/microbenchmark-short.conf" >few.conf
cp "$SRCDIR/protocols/microbenchmark.csv" .
expect_status 2 "$VALIDATE" run few.conf --dry-run
expect_status 2 "$VALIDATE" run few.conf -o few
expect_line err 'few.conf: with 5 replicates, precision is almost never accepted: use replicates = '
[ ! -e few ] || fail 'it began what can never be accepted'
expect_status 2 "$VALIDATE" run p.conf --dry-run --scatter much
expect_line err '--scatter much: neither a results directory nor a ratio'
expect_status 2 "$VALIDATE" run p.conf --scatter 1%
expect_status 3 "$VALIDATE" run p.conf --dry-run --scatter small
expect_line err 'small has no case of this protocol with two or more pairs'
small 3 10% >p.conf
expect_status 2 "$VALIDATE" run p.conf --dry-run --scatter 1%
expect_status 2 "$VALIDATE" run p.conf -o refused
grep -q '3 replicates cannot lead to a decision: .* use replicates = 6 or more' err || fail "$(cat err)"
[ ! -e refused ] || fail 'it began what cannot decide anything'
sed -i 's/^replicates.*/&\nallow-undecidable = yes/' p.conf
expect_status 0 "$VALIDATE" run p.conf --dry-run
small '8..60\nbudget = 1s' 10% >p.conf
for how in --dry-run '-o refused'; do # the campaign is refused as the dry run is, before it begins
	# shellcheck disable=SC2086
	expect_status 2 "$VALIDATE" run p.conf $how
	expect_line err 'the budget suffices for about 0 pairs of each scenario, but the first decision needs 8 pairs, which take about'
	expect_line err 'set a larger budget, or allow-undecidable = yes'
done
[ ! -e refused ] || fail 'it began with a budget that cannot suffice'
expect_status 0 "$VALIDATE" run p.conf --dry-run --budget 1min
small '8..60\nbudget = 1min' 10% >long.conf
expect_status 2 "$VALIDATE" run long.conf --budget 1s -o refused
expect_status 2 "$VALIDATE" claim 'mean within 10%' long.conf --budget 1s -o refused
expect_line err 'set a larger budget'
[ ! -e refused ] || fail 'a claim began with a budget that cannot suffice'
mkdir begun && cp p.conf begun/protocol.conf
expect_status 0 "$VALIDATE" run --resume -o begun --dry-run # it continues a campaign that has runs
small '8..60\nbudget = 1s\nallow-undecidable = yes' 10% >nevertheless.conf
expect_status 0 "$VALIDATE" run nevertheless.conf --dry-run
expect_status 2 "$VALIDATE" run p.conf --hosts a,b --scatter 10%
expect_line err '--scatter needs --dry-run'
mkdir used && touch used/file
expect_status 3 "$VALIDATE" run p.conf --hosts a,b --launcher 'true {host}' -o used
expect_line err 'the results directory used is not empty'
small '8..60\nbudget = 1min' 10% >p.conf
expect_status 0 "$VALIDATE" run p.conf --dry-run
grep -q 'at most 60 s (budget): about [0-9]* pairs of each scenario' out || fail "$(cat out)"

# doctor; status 3: this machine lacks something, as one of the checks shows
status=0
"$VALIDATE" doctor >out 2>err || status=$?
[ $status -eq 0 ] || [ $status -eq 3 ] || fail "doctor: status $status"
for check in clock load 'memory cgroup' 'cache dropping' tracepoints volumes 'scratch directory' openat2 gnuplot; do
	expect_line out "$check"
done
for fact in 'command line' 'mitigations' 'vm.dirty_ratio' 'file system' 'sha256'; do
	expect_line out "$fact"
done
odd=$(printf 'b\377d')
mkdir "$odd"
"$VALIDATE" doctor --json "$odd" >out 2>err || [ $? -eq 3 ]
expect_line out '"target": "b?d"'
"$VALIDATE" doctor --redact >out 2>err || [ $? -eq 3 ]
! grep -qF "$(pwd -P)" out || fail 'a path is not hidden'
grep -q '^  host  *redacted$' out || fail 'the host is not hidden'
status=0
"$VALIDATE" doctor --json >out 2>err || status=$?
expect_line out '"checks":'
# root without capabilities, as in a container, may do no more than other users
if [ "$(id -u)" -eq 0 ] && setpriv --bounding-set -all --inh-caps -all true 2>/dev/null; then
	(ulimit -l 64 && setpriv --bounding-set -all --inh-caps -all "$VALIDATE" doctor) >out 2>err || [ $? -eq 3 ]
	expect_line out 'fifo and rr cannot be used'
	expect_line out '64 KiB may be locked'
	grep -q '^WARN  volumes' out || fail 'volumes without a capability'
fi
expect_status 3 "$VALIDATE" doctor no/such/dir
expect_line out 'FAIL'
