# SPDX-License-Identifier: GPL-3.0-or-later
# long: 45 s
# A failure of a run is its outcome, with a reason. A failure of the journal ends the campaign,
# which can be resumed.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

any_status() { # a campaign that completes, with any verdict
	expect_verdict "$VALIDATE" run "$@" -q
}
protocol() { # lines of [protocol], of [replayer]
	cat <<-END
		[protocol]
		replicates = 2
		allow-undecidable = yes
		bank = 1
		min-duration = 0
		settle = 1ms
		$1
		[workload reads]
		type = random-read
		file-size = 1M
		requests = 30
		pause = 5ms
		[replayer candidate]
		$2
	END
}
N=7

# a replayer that takes too long
protocol 'timeout = 3s' 'mutant = delay:400ms' >timeout.conf
any_status timeout.conf -o timeout
complete timeout $N
[ "$(grep -c 'killed after the time-out of 3 s' timeout/journal)" -eq 3 ] || fail "not every replay timed out"
grep '"state":"failed"' timeout/journal | grep -vq 'time-out' && fail "something else failed: $(cat timeout/journal)"
clean timeout
"$VALIDATE" report timeout --format junit >out || :
expect_line out 'too few values. In 2 of 2 pairs a run failed'
"$VALIDATE" report timeout >out || :
expect_line out 'candidate: inconclusive; 2 of 2 replays failed, the first: block 1'
expect_line out 'Most runs of the inconclusive case failed.'
protocol 'timeout = 3s
on-failure = stop' 'mutant = delay:400ms' >stop.conf
expect_status 3 "$VALIDATE" run stop.conf -o stop -q
expect_line err 'the protocol has on-failure = stop'
[ "$(grep -c '"state":"failed"' stop/journal)" -eq 1 ] || fail "it did not stop at the first failed run"
clean stop

# a replayer that another process kills
protocol '' 'order = temporal
timing = timestamp' >crash.conf
"$VALIDATE" run crash.conf -o crash -q >out 2>err &
pid=$!
n_killed=0
for i in $(seq 500); do
	kill -0 $pid 2>/dev/null || break
	for child in $(pgrep -P $pid); do
		{ tr "\\0" " " <"/proc/$child/cmdline"; } 2>/dev/null | grep -q '^[^ ]* replay ' || continue
		kill -ILL "$child" 2>/dev/null && n_killed=$((n_killed + 1))
		break 2
	done
	sleep 0.02
done
status=0
wait $pid || status=$?
[ $n_killed -eq 1 ] || fail "no replay was met: $(cat err)"
any_verdict "after a replayer died"
complete crash $N
[ "$(grep -c '"state":"failed"' crash/journal)" -eq 1 ] || fail "a replayer that died: $(grep -c failed crash/journal) failed runs"
grep -q '"reason":"\(ended by signal\|exit status\)' crash/journal || fail "no reason: $(grep failed crash/journal)"
clean crash

# files removed under it
mkdir target
sed 's/^\[workload/[target t]\ndir = target\n&/' crash.conf >removed.conf
# runs that are longer than the time between two removals
sed 's/^pause = 5ms/pause = 30ms/' removed.conf >slow.conf
"$VALIDATE" run slow.conf -o removed -q >out 2>err &
pid=$!
# the recordings are removed once more, between two runs: they are made again before the next run, and
# no run is lost
wait_for has_runs removed 1 || fail "no run: $(cat err)"
until grep -q 'was removed or replaced' removed/journal || ! kill -0 $pid 2>/dev/null; do
	rm -rf target/validate-*/read-0 2>/dev/null || : # files may be made in it meanwhile
	sleep 0.3
done
status=0
wait $pid || status=$?
any_verdict "after the files were removed"
complete removed $N
grep -q 'was removed or replaced while it was in use' removed/journal || fail "the removal is no run's reason"
# how many runs a removal affects depends on the machine, but it affects none after the last removal
journal_runs removed | sed -n '/failed/,$p' | grep -q ok || fail "it did not go on after the removal: $(journal_runs removed)"
clean removed
[ -z "$(ls target)" ] || fail "left behind: $(ls target)"

# the recordings are removed during the campaign: they are made again, with their directory, when
# the next run needs them
mkdir scratch
sed 's/^bank = 1/&\nscratch = scratch/' removed.conf >swept.conf
"$VALIDATE" run swept.conf -o swept -q >out 2>err &
pid=$!
wait_for has_runs swept 2 || fail "no run: $(cat err)"
rm -rf scratch/validate-*
wait_for has_runs swept 5 || fail "no run: $(cat err)"
rm -f scratch/validate-*/bank-*
status=0
wait $pid || status=$?
any_verdict "after the scratch directory was removed"
complete swept $N
[ "$(journal_runs swept | grep -c failed)" -le 2 ] || fail "it did not go on: $(grep failed swept/journal)"
[ "$(grep -c '"event":"scratch".*"why":"removed"' swept/journal)" -eq 1 ] || fail "the removal is not in the journal"
[ "$(grep -c '"event":"bank".*"state":"recorded again"' swept/journal)" -ge 1 ] || fail "nothing was recorded again"
clean swept
[ -z "$(ls scratch)" ] || fail "left behind: $(ls scratch)"

# files of other users in the directory stay
"$VALIDATE" run removed.conf -o guests -q >out 2>err &
pid=$!
wait_for has_runs guests 1 || fail "no run: $(cat err)"
for dir in target/validate-*; do
	echo guest >"$dir/guest"
done
wait $pid || :
[ "$(cat target/validate-*/guest)" = guest ] || fail "a file that was not ours was removed"
grep -q '"event":"left behind"' guests/journal || fail "the journal does not name the remaining files"
rm -rf target/validate-*

# a link in the place of the directory is not followed
mkdir outside
"$VALIDATE" run removed.conf -o linked -q >out 2>err &
pid=$!
wait_for has_runs linked 1 || fail "no run: $(cat err)"
for dir in target/validate-*; do
	mv "$dir/read-0" moved
	ln -s "$PWD/outside" "$dir/read-0"
done
wait $pid || :
[ -z "$(ls outside)" ] || fail "files were made outside the target: $(ls outside)"
rm -rf target/validate-* moved

# no space for the files: refused before anything is written
sed 's/file-size = 1M/file-size = 15T/' crash.conf >huge.conf
expect_status 3 "$VALIDATE" run huge.conf -o huge -q
expect_line err 'no space for the workloads'
[ ! -e huge ] || fail "left behind: $(find huge)"

# a campaign that fails before its first run removes what it made, and only that
mkdir empty
for dir in new new/a/b/ empty ./empty/; do
	expect_status 3 "$VALIDATE" run huge.conf -o $dir -q
	! grep 'resume' err || fail "nothing can be resumed"
	[ ! -e new ] && [ -z "$(ls -A empty)" ] || fail "left behind for $dir: $(find new empty)"
done
mkdir -p new/mine
for script in 'exit 1' "touch $PWD/new/fails/scripts/mine; exit 1"; do
	mkdir -p scripts
	echo "$script" >scripts/fails.sh
	protocol '' '' | sed -e 's/^type = .*/type = program\nscript = scripts\/fails.sh/' \
		-e '/^file-size\|^requests\|^pause/d' >fails.conf
	expect_status 3 "$VALIDATE" run fails.conf -o new/fails -q
	case $script in
	exit*) [ "$(find new)" = "$(printf 'new\nnew/mine')" ] || fail "left behind: $(find new)" ;;
	*) [ "$(find new/fails ! -type d)" = new/fails/scripts/mine ] || fail "$(find new)" ;;
	esac
done

# full disks: small file systems in memory
[ "$(id -u)" -eq 0 ] || exit 0
mkdir disk
mount -t tmpfs -o size=4m none disk 2>/dev/null || exit 0
trap 'umount -l disk' EXIT

# the disk of the results directory: the campaign ends and states why; with space it continues
tiny full.conf
sed -i 's/^level = .*/level = 1/' full.conf
N_FULL=$((N_TINY / 2))
sed 's|^cache = cold|&\ndir = ../target|' full.conf >elsewhere.conf
dd if=/dev/zero of=disk/filler bs=1k count=3950 2>/dev/null || :
expect_status 3 "$VALIDATE" run elsewhere.conf -o disk/results -q
expect_line err 'No space left on device'
rm -f disk/filler
if [ -f disk/results/journal ]; then
	any_status -o disk/results --resume
else
	rm -rf disk/results
	any_status elsewhere.conf -o disk/results
fi
complete disk/results $N_FULL
clean disk/results
rm -rf disk/results

# in the middle of a campaign: a writer fills the disk while the campaign runs
"$VALIDATE" run elsewhere.conf -o disk/results -q >out 2>err &
pid=$!
wait_for has_runs disk/results 3 || fail "no run: $(cat err)"
dd if=/dev/zero of=disk/filler bs=1k 2>/dev/null || :
status=0
wait $pid || status=$?
[ $status -eq 3 ] || fail "status $status with a full disk"
expect_line err 'No space left on device'
expect_line err 'continue with: validate run -o disk/results --resume'
clean disk/results
journal_runs disk/results >before
rm disk/filler
any_status -o disk/results --resume
journal_runs disk/results | head -n "$(wc -l <before)" | cmp -s - before || fail "finished runs were lost"
complete disk/results $N_FULL
rm -rf disk/results

# the disk of the scratch directory: the campaign ends, and continues when there is space again
sed 's/^replicates.*/&\nscratch = disk/; s/^dir = .*/dir = target/' elsewhere.conf >scratch.conf
"$VALIDATE" run scratch.conf -o scratched -q >out 2>err &
pid=$!
# repeatedly, because a removed trace makes room for the next
wait_for has_runs scratched 6 || fail "no run: $(cat err)"
while kill -0 $pid 2>/dev/null; do
	dd if=/dev/zero of=disk/filler bs=1k oflag=append conv=notrunc 2>/dev/null || :
done
status=0
wait $pid || status=$?
[ $status -eq 3 ] || fail "status $status with a full scratch disk: $(cat err)"
expect_line err 'No space left on device'
rm disk/filler
any_status -o scratched --resume
complete scratched $N_FULL
! grep '"state":"failed"' scratched/journal || fail "a run failed because the scratch disk was full"
clean scratched
