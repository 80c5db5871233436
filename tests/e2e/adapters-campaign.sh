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
grep -q 'none of its .* requests was observed' "$journal" || fail "the journal does not have the replayer that did nothing"
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
