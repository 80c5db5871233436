# SPDX-License-Identifier: GPL-3.0-or-later
# long: 20 s
# Results that were changed after the campaign: each change is named, and there is no verdict.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

tiny tiny.conf
sed -i 's/^level = .*/level = 1/' tiny.conf # 14 runs
expect_verdict "$VALIDATE" run tiny.conf -o results -q
expect_status $status "$VALIDATE" report results
! grep -q 'sealed\|changed after' out || fail "untouched results: $(cat out)"
expect_status 0 "$VALIDATE" baseline save results -o whole.json
rm -r results/report # so that copies take less time

# refused COPY WORDS: the report is shown without a verdict, and every command that compares refuses
# the results
refused() {
	expect_status 3 "$VALIDATE" report "$1"
	expect_line err "$2"
	expect_line err 'No verdict is given'
	expect_line out 'so they have no verdict'
	expect_status 3 "$VALIDATE" baseline save "$1" -o changed.json
	expect_line err "$2"
	[ ! -e changed.json ] || fail "a baseline of $1"
}

copy() {
	rm -rf changed
	cp -r results changed
}

ok=$(journal_runs results | awk '$2 == "ok" && $1 > 5 { print $1; exit }')
file=runs/$(printf %06d "$ok").json

# another mean, of another length and of equal length
copy
sed -i 's/"mean":\([0-9]\)/"mean":9\1/' changed/$file
refused changed "$file was changed after the campaign wrote it"
copy
sed -i 's/"mean":[0-9]/"mean":9/' changed/$file
cmp -s results/$file changed/$file && sed -i 's/"mean":9/"mean":8/' changed/$file
[ "$(wc -c <results/$file)" -eq "$(wc -c <changed/$file)" ] || fail 'the test changed the length'
refused changed "$file was changed after the campaign wrote it"
for form in certificate json; do
	expect_status 3 "$VALIDATE" report changed --format $form
	! grep -q '"verdict": *"trusted"\|Trusted:' out ||
		fail "$form trusts: $(grep -i trusted out | head -n 3)"
done
expect_status 3 "$VALIDATE" compare whole.json changed
expect_line err "$file was changed"
copy
rm changed/$file
refused changed "$file was removed after the campaign wrote it"

# a run in another block
copy
sed -i 's/"runs":\[\(\[[^]]*\]\),\(\[[^]]*\]\)/"runs":[\2,\1/' changed/plan.json
cmp -s results/plan.json changed/plan.json && fail 'the test did not change the plan'
refused changed 'plan.json was changed after the campaign wrote it'
expect_status 3 "$VALIDATE" run -o changed --resume -q
expect_line err 'plan.json was changed'

# other limits
copy
echo '[accept]' >>changed/protocol.conf
refused changed 'protocol.conf was changed after the campaign wrote it'
copy
sed -i 's/"version": 1,/"version":  1,/' changed/environment.json
cmp -s results/environment.json changed/environment.json &&
	fail 'the test did not change the environment'
refused changed 'environment.json was changed after the campaign wrote it'

# the journal: a line removed, duplicated, damaged
n=$(grep -n '"event":"run"' results/journal | sed -n '11s/:.*//p')
copy
sed -i "${n}d" changed/journal
refused changed "line $n of the journal does not have the checksum of the line before it"
copy
sed -i "${n}p" changed/journal
refused changed "line $((n + 1)) of the journal does not have the checksum of the line before it"
copy
sed -i "${n}s/\"preparation_s\":[0-9]/\"preparation_s\":7/" changed/journal
refused changed "line $n of the journal is damaged"
# the run of a damaged line is made again, and then the results are complete
expect_verdict "$VALIDATE" run -o changed --resume -q
expect_status $status "$VALIDATE" report changed
! grep -q 'changed after' out || fail "healed: $(cat out)"

copy
sed -i -e "${n}s/state/stXte/" -e "$((n + 1))s/event/evXnt/" changed/journal
refused changed "2 lines of the journal are damaged, beginning with line $n"
# the damaged line may be the line with the digest of environment.json, which is unchanged
copy
sed -i 's/"event":"environment"/"event":"enviXonment"/' changed/journal
refused changed 'lines of the journal are damaged, beginning with line'
! grep 'environment.json' err || fail 'environment.json is blamed'

# a journal that was cut is not taken for a change of environment.json; the campaign can continue
copy
n=$(wc -l <results/journal)
for lines in 10 $((n / 2)); do
	head -n $lines results/journal >changed/journal
	head -n $((lines + 1)) results/journal | tail -n 1 | head -c 30 >>changed/journal
	expect_status 3 "$VALIDATE" report changed
	expect_line err "the journal was cut after line $lines: "
	expect_line err 'runs have a summary, but no line in the journal ("validate run --resume" repeats these runs)'
	! grep 'environment.json' err || fail 'environment.json is blamed'
done
head -n $((n - 2)) results/journal >changed/journal
refused changed "the journal was cut after line $((n - 2)), or environment.json was changed after"
head -n $((n / 2)) results/journal >changed/journal
expect_verdict "$VALIDATE" run -o changed --resume -q
expect_status $status "$VALIDATE" report changed

verdict=$status
# every file that is cut, overwritten, missing or a directory is named, with the remedy. The two files
# that are parsed first are damaged in every way
for name in journal plan.json protocol.conf resolved.conf environment.json; do
	case $name in
	journal | plan.json) ways='empty half random zeros missing directory' ;;
	protocol.conf) ways='half missing' ;;
	resolved.conf) ways='random directory' ;;
	environment.json) ways='zeros missing' ;;
	esac
	for how in $ways; do
		copy
		size=$(wc -c <results/$name)
		case $how in
		empty) : >changed/$name ;;
		half) head -c $((size / 2)) results/$name >changed/$name ;;
		random) head -c "$size" /dev/urandom >changed/$name ;;
		zeros) head -c "$size" /dev/zero >changed/$name ;;
		missing) rm changed/$name ;;
		directory) rm changed/$name && mkdir changed/$name ;;
		esac
		for command in 'report changed' 'run -o changed --resume -q'; do
			case $name-$how-$command in
			journal-half-run* | *-random-run* | *-zeros-run* | *-empty-run*) continue ;;
			esac
			expect_status 3 "$VALIDATE" $command
			! grep 'continue with\|nothing to analyse' err || fail "$name $how: $(cat err)"
			case $name-$how in
			journal-half) expect_line err 'the journal was cut after line' ;;
			journal-*) grep -q 'changed/journal.*: restore' err || fail "$name $how: $(cat err)" ;;
			*-missing) expect_line err "$name was removed after the campaign wrote it" ;;
			*) expect_line err "$name was changed after the campaign wrote it" ;;
			esac
		done
	done
done

# a line of `summaries` that does not belong to the campaign is not used
copy
: >changed/summaries
expect_status $verdict "$VALIDATE" report changed

# without the line with the digests of the files: earlier changes cannot be detected, later changes
# can
copy
sed -i '1s/start/stXrt/' changed/journal
refused changed 'line 1 of the journal is damaged'
expect_verdict "$VALIDATE" run -o changed --resume -q
expect_status $status "$VALIDATE" report changed
expect_line out 'The results are not sealed'
echo >>changed/plan.json
refused changed 'plan.json was changed after the campaign wrote it'

# results of an earlier version have no digests: the report states it, and judges them
mkdir old
tar -xzf "$SRCDIR/tests/data/frauds/all-alike.tar.gz" -C old
old=$(dirname "$(find old -name journal)")
expect_status 1 "$VALIDATE" report "$old"
expect_line out 'The results are not sealed'

# a file of 1 TiB is not read to its end
copy
truncate -s 1T changed/resolved.conf 2>/dev/null &&
	expect_status 3 timeout 60 "$VALIDATE" report changed &&
	expect_line err 'resolved.conf was changed after the campaign wrote it'

# nothing is read through a link, because it may lead outside of the directory
for name in protocol.conf environment.json plan.json journal summaries runs; do
	copy
	rm -rf outside
	mv changed/$name outside
	ln -s ../outside changed/$name
	expect_status 3 "$VALIDATE" report changed
	expect_line err "changed/$name is a symbolic link"
	expect_status 2 "$VALIDATE" run -o changed --resume -q
	expect_line err "changed/$name is a symbolic link"
done
copy
rm -rf outside
mv changed/$file outside
ln -s ../../outside changed/$file
refused changed "$file was changed after the campaign wrote it"
