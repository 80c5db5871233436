# SPDX-License-Identifier: GPL-3.0-or-later
# alone: slices of some milliseconds must hold requests of each process
# Program and replayers in slices: a replayer of another project, paused by signals; a failure of
# one replayer; scenarios that cannot be paused, with the reason. When the campaign is killed, no
# stopped process remains.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"
preload_before_sanitizer
${CC:-cc} -O1 -o session-replayer "$SRCDIR/tests/programs/session-replayer.c"

# conf PAIRING MIN_DURATION REPLAYER...: on standard output
conf() {
	cat <<-END
		[protocol]
		seed = 5
		replicates = 3
		allow-undecidable = yes
		bank = 2
		scratch = $PWD
		min-duration = $2
		settle = 1ms
		pairing = $1
		[target here]
		cache = warm
		[workload reads]
		type = random-read
		file-size = 1M
		block-size = 64K
		requests = 50
	END
	shift 2
	for replayer; do
		echo "[replayer $replayer]"
		case $replayer in
		event) echo 'order = temporal' ;;
		*) printf '%s\n' 'engine = exec' 'export = csv' 'full-speed = yes' ;;
		esac
		case $replayer in
		foreign | limited) echo "command = $PWD/session-replayer {trace} {target}" ;;
		breaks) echo "command = $PWD/session-replayer {trace} {target} fail" ;;
		own-times) printf '%s\n' 'command = ["awk", "NR > 1 { print NR, NR + 1 }", "{trace}"]' 'times = self:csv(begin=1, end=2, sep=blank)' ;;
		esac
	done
}
# slices NAME: numbers of slices of its successful runs, ascending
slices() {
	jq -s "[.[] | select(.role == \"$2\") | .summary.n_slices] | sort" "$1"/runs/*.json | jq -c .
}
campaign() { # FILE DIR
	expect_verdict "$VALIDATE" run "$1" -o "$2" -q
}
processes_left() {
	pgrep -f "$PWD/" >left
}

# a replayer of another project takes part: each of its runs has several slices, and all of its
# requests are found
conf slices 40ms event foreign >foreign.conf
campaign foreign.conf foreign
jq -e '.pairing == [{"scenario": "reads", "by": "slices", "why": "protocol"}]' foreign/environment.json >/dev/null ||
	fail "$(jq -c .pairing foreign/environment.json)"
! grep -q '"state":"failed"' foreign/journal || fail "$(grep '"state":"failed"' foreign/journal | head -n 1)"
for role in program event foreign; do
	slices foreign $role | jq -e 'length >= 3 and .[0] >= 2' >/dev/null || fail "slices of $role: $(slices foreign $role)"
done
jq 'select(.role == "foreign") | .summary | .n_lost == 0 and .n_extra == 0 and .response.n + .n_left_out == .n_input' foreign/runs/*.json >one
grep -q true one && ! grep -q false one || fail "requests of the foreign replayer: $(jq -c 'select(.role == "foreign") | .summary | [.n_input, .n_lost, .n_extra, .n_left_out, .response.n]' foreign/runs/*.json)"
clean foreign
! processes_left || fail 'a process is left'

# a replayer that fails in its slices: its pairs are lost and counted, the other pairs are complete
conf slices 40ms event breaks >breaks.conf
campaign breaks.conf breaks
[ "$(grep -c 'ended with exit status 7' breaks/journal)" -ge 3 ] || fail "$(grep -c '"state":"failed"' breaks/journal) failed runs"
for role in program event; do
	slices breaks $role | jq -e 'length >= 3 and .[0] >= 2' >/dev/null || fail "beside one that fails, slices of $role: $(slices breaks $role)"
done
jq -e '[.cells[] | {r: .replayer, n: .n_failed_replayer}] | map(select(.r == "breaks"))[0].n >= 3 and map(select(.r == "event"))[0].n == 0' \
	breaks/report/report.json >/dev/null || fail "$(jq -c '[.cells[] | [.replayer, .n_failed_replayer]]' breaks/report/report.json)"
[ "$(grep -c '"event":"group"' breaks/journal)" -ge 4 ] || fail 'groups are missing'

# a replayer whose times cannot be assigned to slices: separate runs, with the reason; an error if
# slices are required
conf auto 5ms event own-times >own.conf
campaign own.conf own
jq -e '.pairing[0] | .by == "runs" and .replayer == "own-times" and (.why | test("preloaded library"))' own/environment.json >/dev/null ||
	fail "$(jq -c .pairing own/environment.json)"
! grep -q '"slices":' own/journal || fail 'slices where there are none'
"$VALIDATE" report own >text || :
tr -s '\n ' ' ' <text | grep -q 'because slices are not possible with replayer own-times: its times are not those of the preloaded library' ||
	fail "the report gives no reason for separate runs: $(cat text)"
conf slices 5ms event own-times >own-slices.conf
expect_status 2 "$VALIDATE" run own-slices.conf -o refused
expect_line err 'pairing = slices is impossible for [workload reads] with [replayer own-times]'

# killed while a process that is no child of the campaign is stopped: the process is killed
# nevertheless
conf slices 500ms event foreign >killed.conf
"$VALIDATE" run killed.conf -o killed -q >out 2>err &
pid=$!
is_stopped() {
	ps -eo stat,args | grep -q "^T.*$PWD/[s]ession-replayer"
}
wait_for is_stopped || fail "the replayer was never stopped: $(cat err)"
kill -9 $pid
wait $pid 2>/dev/null || :
nothing_left() { ! processes_left; }
wait_for nothing_left || fail "left behind: $(pgrep -af "$PWD/")"
