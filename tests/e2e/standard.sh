# SPDX-License-Identifier: GPL-3.0-or-later
# long: 90 s
# waits: for volumes with a service time
# validate standard: certificates of volumes. The numbers depend on the machine, so only their form
# and the handling of failures are tested here.
. "$SRCDIR/tests/e2e/lib.sh"

# what needs no privilege
expect_status 2 "$VALIDATE" standard
expect_status 2 "$VALIDATE" standard certfy
expect_line err 'the actions are certify and check'
expect_status 2 "$VALIDATE" standard check
expect_status 2 "$VALIDATE" standard certify c.json
expect_line err '-o FILE'
expect_status 2 "$VALIDATE" standard certify --rounds 2
expect_status 2 "$VALIDATE" standard check c.json --quick
expect_line err 'are options of certify'
expect_status 3 "$VALIDATE" standard check c.json
expect_line err 'c.json: No such file'
echo '{"format": "something"}' >c.json
expect_status 3 "$VALIDATE" standard check c.json
expect_line err 'c.json: the file is not a certificate'
echo 'no JSON' >c.json
expect_status 3 "$VALIDATE" standard check c.json

[ -c /dev/fuse ] || skip "no /dev/fuse"
root=$PWD/root
trap '"$VALIDATE" volume remove --root "$root" --all >/dev/null 2>&1 || :' EXIT
status=0
"$VALIDATE" volume create --root "$root" first --size 1M --lead 0 >out 2>err || status=$?
[ "$status" -eq 0 ] || skip "no volumes: $(cat err)"
"$VALIDATE" volume remove --root "$root" first >/dev/null

nothing_left() {
	[ -z "$(ls "$root")" ] || fail "left in the root ($1): $(ls "$root")"
	grep -q "$root" /proc/self/mounts && fail "a mount stayed ($1)" || :
	grep -sq "^$root" /sys/block/loop*/loop/backing_file && fail "a loop device stayed ($1)" || :
}

status=0
"$VALIDATE" standard certify --root "$root" --quick --rounds 3 --over 12s --points -q -o c.json >out 2>err || status=$?
[ "$status" -le 1 ] || fail "status $status: $(cat err)"
nothing_left certify
jq -e '(.points | length) == 8 and ([.points[].visits] | min) >= 3 and
	.duration_s > 12 and .visits_checked <= 48 and .visits_covered <= .visits_checked and .widening >= 1 and
	([.points[] | .visits + .visits_left_out] | min >= 3 and max <= 6) and
	([.points[] | .bias, .expanded_uncertainty, .excess_p99_ns, .loops_left_out | type] | unique) == ["number"] and
	([.points[] | select(.valid) | select((.bias | fabs) + .expanded_uncertainty > 0.020001)] | length) == 0 and
	([.points[] | select(.valid | not) | .reason | type] | unique - ["string"]) == [] and
	(.awake | type) == "boolean" and .own_cpu == ('"$(nproc)"' > 2) and
	.machine.kernel == "'"$(uname -r)"'"' c.json >/dev/null || fail "$(cat c.json)"
valid=$(jq '[.points[] | select(.valid)] | length' c.json)
[ "$status" -eq 0 ] && [ "$valid" -gt 0 ] || [ "$status" -eq 1 ] && [ "$valid" -eq 0 ] || fail "status $status with $valid valid points"
expect_line out 'points are valid'
[ "$(jq .visits_checked c.json)" = 0 ] || expect_line out "$(jq '"\(.visits_covered) of \(.visits_checked)"' -r c.json) visits ("

# of another machine, kernel or version: refused by name
for fact in machine 'CPU model' kernel 'version of validate'; do
	jq --arg f "$fact" '.machine[$f] = "another"' c.json >other.json
	expect_status 5 "$VALIDATE" standard check --root "$root" other.json
	expect_line err "its $fact is \"another\""
done

# points with values that are impossible: the check differs from the certificate, and reports it
jq '.points |= map(.valid = true | .reason = null | .bias = 0.5 | .expanded_uncertainty = 0.001) |
	.points |= map(select(.model == "constant" and .depth == 1))' c.json >wrong.json
expect_status 1 "$VALIDATE" standard check --root "$root" -q wrong.json
if grep -q '^disturbed new visits' out; then # this machine is busy
	expect_line out 'the check is invalid: the machine is busy'
else
	expect_line out 'does not agree with its certificate'
	grep -q '^0 of [1-3] undisturbed new visits (0.0 %) are within the certified U' out || fail "$(cat out)"
fi
nothing_left check
jq '.points |= map(.valid = false | .reason = "made up")' c.json >none.json
expect_status 1 "$VALIDATE" standard check --root "$root" none.json
expect_line err 'has no valid point'

# the wall clock is stepped meanwhile
if [ -z "${SANITIZE:-}" ] && ${CC:-cc} -shared -fPIC -o stepped.so "$SRCDIR/tests/programs/stepped-clock.c" 2>cc.err; then
	status=0
	LD_PRELOAD=$PWD/stepped.so "$VALIDATE" standard certify --root "$root" --quick -q -o stepped.json >out 2>err || status=$?
	[ "$status" -eq 3 ] || fail "status $status after a step of the clock: $(cat out err)"
	expect_line err 'the wall clock was stepped by 1 s'
	[ ! -e stepped.json ] || fail 'a certificate after a step of the clock'
	nothing_left 'step of the clock'
fi

# Waits until the volume is complete. Returns 1 if the certification has ended.
server_wait() {
	while kill -0 $process 2>/dev/null; do
		server=$(cat "$root/standard/lock" 2>/dev/null || :)
		[ -z "$server" ] || [ ! -e "$root/standard/volume.json" ] || return 0
		sleep 0.02
	done
	return 1
}

# The server is killed, stopped or ended: readers get an error, the command ends, and nothing stays. A
# signal that comes while the volume is being removed anyway has no effect, so it is repeated.
for signal in KILL STOP TERM; do
	"$VALIDATE" standard certify --root "$root" -q >broken.out 2>broken.err &
	process=$!
	while server_wait; do
		kill -$signal "$server" 2>/dev/null || :
		sleep 0.3
	done
	status=0
	wait $process || status=$?
	[ "$status" -eq 3 ] || fail "status $status after SIG$signal for the server: $(cat broken.out broken.err)"
	nothing_left "SIG$signal for the server"
done

# interrupted: the volume is removed first
"$VALIDATE" standard certify --root "$root" -q >interrupted.out 2>interrupted.err &
process=$!
server_wait || fail "no server"
kill -TERM $process
status=0
wait $process || status=$?
[ "$status" -eq 3 ] || fail "status $status after SIGTERM"
grep -q interrupted interrupted.err || fail "$(cat interrupted.err)"
nothing_left interrupted

# an interrupted check prints the visits made so far
"$VALIDATE" standard check --root "$root" --points --rounds 1000 -q wrong.json >interrupted.out 2>interrupted.err &
process=$!
server_wait || fail "no server"
first=$server
while [ "$server" = "$first" ]; do
	server_wait || fail "the check ended: $(cat interrupted.err)"
done
kill -TERM $process
status=0
wait $process || status=$?
[ "$status" -eq 3 ] || fail "status $status after SIGTERM for a check"
made=$(sed -n 's/.*interrupted after \([0-9]*\) of 2000 visits.*/\1/p' interrupted.err)
[ "${made:-0}" -gt 0 ] || fail "$(cat interrupted.err)"
grep -q '^disturbed new visits' interrupted.out || grep -q "^0 of $made undisturbed new visits" interrupted.out || fail "$(cat interrupted.out)"
! grep -q 'agree with its certificate' interrupted.out || fail 'a verdict of an interrupted check'
nothing_left 'interrupted check'

# the certification itself is killed: the next certification removes its volume
"$VALIDATE" standard certify --root "$root" -q >/dev/null 2>&1 &
process=$!
server_wait || fail "no server"
kill -KILL $process
wait $process 2>/dev/null || :
[ -d "$root/standard" ] || fail "no volume was left over"
expect_status 1 "$VALIDATE" standard check --root "$root" --points -q wrong.json
# at each valid point, not only at the shortest service time
grep -q '^disturbed new visits' out || expect_line out '0 of 6 undisturbed new visits'
nothing_left 'killed certification'
