# SPDX-License-Identifier: GPL-3.0-or-later
# long: 18 s
# A disk that is full at any stage of a campaign: when there is space again, the campaign continues,
# and no run has failed for lack of space.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

[ "$(id -u)" = 0 ] || skip 'a small file system is mounted, which root alone may do'
here=$PWD
mkdir small target
mount -t tmpfs -o size=48m,mode=755 small small 2>/dev/null || skip 'no small file system can be mounted here'
trap 'cd "$here" && umount -l small' EXIT

# protocol SCRATCH REQUESTS
protocol() {
	tiny space.conf "scratch = $1"
	sed -i "s|^\[target here\]|&\ndir = $here/target|; s/^requests = .*/requests = $2/; s/^level = .*/level = 1/" space.conf
	sed -i '/^cache-budget/d; s/^cache = .*/cache = as-is/' space.conf
}
# fill KIB: fills the file system so that this much space remains
fill() {
	room=$(($(stat -f -c '%a * %S / 1024' small)))
	[ "$room" -le "$1" ] || head -c $(((room - $1) * 1024)) /dev/zero >small/filler 2>/dev/null || :
}
# finish DIR: resumes the campaign, or starts it if it had not started
finish() {
	rm -f small/filler
	status=0
	if [ -f "$1/journal" ]; then
		"$VALIDATE" run -o "$1" --resume -q >out 2>err || status=$?
	else
		"$VALIDATE" run space.conf -o "$1" -q >out 2>err || status=$?
	fi
	any_verdict "$what: with room again: $(cat err; df -k small; ls -la small)"
	! grep -q '"event":"run".*"state":"failed"' "$1/journal" ||
		fail "$what: a run failed: $(grep '"state":"failed"' "$1/journal" | head -n 1)"
	complete "$1" 14
	! grep -q 'changed after' out || fail "$what: $(cat out)"
	rm -rf "$1"
}
n_full=0
try() { # DIR: a campaign on the full disk
	status=0
	"$VALIDATE" run space.conf -o "$1" -q >out 2>err || status=$?
	cp err full
	case $status in
	0 | 1 | 4) ;;
	3)
		grep -q 'No space left on device\|no space\|MiB free\|are free' err || fail "$what: another reason: $(cat err)"
		n_full=$((n_full + 1))
		;;
	*) fail "$what: status $status: $(cat err)" ;;
	esac
	finish "$1"
}

# the results: plan, journal, summaries, report
mkdir scratch
protocol "$here/scratch" 50
for room in 0 16 64; do
	what="results with $room KiB"
	fill $room
	try small/results
done
# scratch: calibration, recordings, program, replays
protocol "$here/small" 3000
for room in 0 128 512 1024; do
	what="scratch with $room KiB"
	fill $room
	try results
	# with 0 KiB there is no space for the traces of the calibration
	[ "$what" != 'scratch with 0 KiB' ] || expect_line full 'free some space'
done
# the disk becomes full after this number of runs in the journal
for n in 1 8; do
	what="scratch full after $n runs"
	"$VALIDATE" run space.conf -o results -q >out 2>err &
	pid=$!
	until [ -f results/journal ] && [ "$(grep -c '"event":"run"' results/journal)" -ge $n ] || ! kill -0 $pid 2>/dev/null; do
		sleep 0.01
	done
	fill 8
	status=0
	wait $pid || status=$?
	[ $status -ne 3 ] || n_full=$((n_full + 1))
	finish results
done
echo "$n_full campaigns met a full disk"
[ $n_full -ge 5 ] || fail "only $n_full campaigns met a full disk"
