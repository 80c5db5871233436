# SPDX-License-Identifier: GPL-3.0-or-later
# long: 6 s
# waits: for the due times of requests
# Settings of the request queue of the target's device: they are changed during a campaign, and
# restored at its end, after Ctrl-C, and by a resume after a kill.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

[ "$(id -u)" -eq 0 ] || skip "needs root"
command -v mkfs.ext4 >/dev/null && command -v losetup >/dev/null || skip "no mkfs.ext4 or losetup"
truncate -s 64M image
mkfs.ext4 -q image
loop=$(losetup --find --show image 2>/dev/null) || skip "no loop device can be had"
mkdir disk
trap 'umount -l disk 2>/dev/null; losetup -d "$loop"' EXIT
mount "$loop" disk 2>/dev/null || skip "loop devices cannot be mounted"
file=/sys/block/${loop##*/}/queue/nomerges
[ -w "$file" ] || skip "no queue settings in /sys"
echo 0 >"$file"

cat >queue.conf <<'END'
[protocol]
replicates = 2
allow-undecidable = yes
bank = 1
min-duration = 0
[target loop]
dir = disk
queue = nomerges=2
[workload reads]
type = random-read
file-size = 1M
requests = 50
pause = 5ms
[replayer event]
END
now() {
	cat "$file"
}
begin() {
	"$VALIDATE" run queue.conf -o "$@" -q >out 2>err &
	pid=$!
	wait_for has_runs "$1" 1 || fail "no run: $(cat err)"
	[ "$(now)" -eq 2 ] || fail "nomerges is $(now) while the campaign runs"
}

begin whole
status=0
wait $pid || status=$?
[ $status -ne 2 ] && [ $status -ne 3 ] || fail "status $status: $(cat err)"
[ "$(now)" -eq 0 ] || fail "nomerges is $(now) after the campaign"

begin interrupted
kill -TERM $pid
wait $pid || :
[ "$(now)" -eq 0 ] || fail "nomerges is $(now) after SIGTERM"

begin killed
kill -9 $pid
wait $pid 2>/dev/null || :
[ "$(now)" -eq 2 ] || fail "nomerges is $(now) after a kill"
status=0
"$VALIDATE" run -o killed --resume -q >out 2>err || status=$?
[ $status -ne 2 ] && [ $status -ne 3 ] || fail "status $status at the resume: $(cat err)"
[ "$(now)" -eq 0 ] || fail "nomerges is $(now) after the resumed campaign"
clean killed

# a value that the device refuses: an error before the measurement, and no setting is changed
sed 's/^queue.*/queue = nomerges=1,nr_requests=banana/' queue.conf >bad.conf
expect_status 3 "$VALIDATE" run bad.conf -o bad -q
expect_line err 'nr_requests to "banana"'
[ "$(now)" -eq 0 ] || fail "nomerges is $(now) after a refused setting"
[ "$(ls disk)" = lost+found ] || fail "left behind: $(ls disk)"
