# SPDX-License-Identifier: GPL-3.0-or-later
# Replayers of a protocol that hang, crash or do nothing: the journal has the reason of each run,
# and the campaign continues with the other replayers.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer

. "$SRCDIR/tests/e2e/adapters-lib"

mkdir files
{
	bad_protocol "$PWD/files" "$PWD" 'keep = failed'
	bad_replayer crash '["sh", "-c", "echo its last words; kill -SEGV $$"]' |
		sed 's/^times = .*/times = preload/'
	bad_replayer hang "[\"sh\", \"-c\", \"trap '' TERM; sleep 100 & wait\", \"$PWD/hangs\"]"
	echo 'time-limit = 100ms'
	bad_replayer pretends \
		'["awk", "-F,", "NR > 1 { print NR * 10, NR * 10 + 5 }", "OFS=,", "{trace}"]'
	bad_replayer nothing true
} >bad.conf
bad_run
journal=results/journal
grep -q 'was ended by signal 11' "$journal" || fail "no crash in the journal: $(cat "$journal")"
grep -q 'did not end within 0.1 s' "$journal" || fail "no time-out in the journal"
# a replayer that does not report results is not accepted as faithful
jq -e '[.cells[] | select(.replayer == "pretends") | .n_results_unknown == 150 and
	(.components[] | select(.component == "fidelity") | .decision == "inconclusive")] == [true]' \
	results/report/report.json >/dev/null ||
	fail "$(jq -c '[.cells[] | [.replayer, .n_results_unknown,
		(.components[] | select(.component == "fidelity"))]]' results/report/report.json)"
grep -q 'none of the .* requests of the trace was observed' "$journal" || fail "the journal does not have the replayer that did nothing"

# a replayer that ran but made other requests than the trace, or none, is not trusted; a replayer
# that could not run, or whose requests could not be seen, is inconclusive
printf '#include <unistd.h>\nint main(void) { return 0; }\n' >idle.c
statically=no
${CC:-cc} -static -o idle-static idle.c 2>/dev/null && statically=yes
unlike() { # NAME COMMAND
	bad_replayer "$1" "$2" | sed 's/^times = .*/times = preload/'
}
{
	bad_protocol "$PWD/files" "$PWD" | sed '/^\[replayer event\]/,$d'
	unlike idle true
	unlike small '["dd", "if={dir}/rr.0", "of=/dev/null", "bs=512", "count=50"]'
	unlike kinds '["dd", "if=/dev/zero", "of={dir}/rr.0", "bs=4096", "count=16", "conv=notrunc"]'
	unlike places '["dd", "if={dir}/rr.0", "of=/dev/null", "bs=4096", "count=3"]'
	unlike absent '["no-such-replayer", "{trace}"]'
	unlike status '["sh", "-c", "exit 5"]'
	unlike signal '["sh", "-c", "kill -9 $$"]'
	unlike hangs '["sleep", "100"]'
	echo 'time-limit = 100ms'
	[ $statically = no ] || unlike unseen "$PWD/idle-static"
} >unlike.conf
expect_status 1 "$VALIDATE" run unlike.conf -o unlike -q
for name in idle small kinds places; do
	expect_line out "  $name: not trusted; "
	jq -e --arg name $name '[.cells[] | select(.replayer == $name) | .verdict == "not trusted" and
		.n_lost > 75 and (.components[] | select(.component == "fidelity") |
		.decision == "reject")] == [true]' unlike/report/report.json >/dev/null ||
		fail "$name: $(jq -c --arg name $name '[.cells[] | select(.replayer == $name)]' unlike/report/report.json)"
done
expect_words out 'idle: not trusted; main reason: the number of requests per run that are lost or added, or return a different result, is 50'
expect_words out 'small: not trusted; main reason: the number of requests per run that are lost or added, or return a different result, is 100'
for name in absent status signal hangs $([ $statically = no ] || echo unseen); do
	expect_words out "$name: inconclusive; 3 of 3 replays failed, the first"
done
[ $statically = no ] || expect_words unlike/journal 'is statically linked'
grep -q '"state":"failed".*"lost":50[,}]' unlike/journal || fail 'no run that lost all requests'
# the report reads the same from the results
expect_status 1 "$VALIDATE" report unlike
expect_line out '  idle: not trusted; main reason: '

# the environment has the replayer's name, its file and the digest of the file
awk=$(readlink -f "$(command -v awk)")
jq -e --arg sha "$(sha256sum <"$awk" | cut -c1-64)" '[.replayers[] | select(.name == "pretends")] |
	length == 1 and .[0].sha256 == $sha and .[0].engine == "exec"' \
	results/environment.json >/dev/null ||
	fail "not the program that was started: $(jq -c .replayers results/environment.json)"
"$VALIDATE" report results --certificate >certificate.txt || :
grep -q "$(sha256sum <"$awk" | cut -c1-64 | cut -c1-60)" certificate.txt || fail 'its hash is not in the certificate'
grep -q 'its last words' results/traces/*.printed || fail "the output of a failed replayer is not kept: $(ls results/traces)"
for p in /proc/[0-9]*; do
	! grep -qs "$PWD/hangs" "$p/cmdline" || fail "the one that hangs runs on: $p"
done
