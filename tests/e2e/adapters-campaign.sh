# SPDX-License-Identifier: GPL-3.0-or-later
# Replayers of a protocol that hang, crash and do nothing: each run's reason is in the journal, and the campaign goes on to the others.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer

mkdir files
cat >bad.conf <<EOC
[protocol]
seed = 5
replicates = 3
allow-undecidable = yes
scratch = $PWD
keep = failed
min-duration = 0

[target here]
dir = $PWD/files
cache = as-is

[workload reads]
type = random-read
requests = 50
file-size = 64K

[replayer event]
engine = event

[replayer crash]
engine = exec
export = csv
command = ["sh", "-c", "echo its last words; kill -SEGV \$\$"]
times = preload

[replayer hang]
engine = exec
command = ["sh", "-c", "trap '' TERM; sleep 100 & wait", "$PWD/hangs"]
times = self:csv(begin=1, end=2, unit=us)
time-limit = 100ms

[replayer pretends]
engine = exec
export = csv
command = ["awk", "-F,", "NR > 1 { print NR * 10, NR * 10 + 5 }", "OFS=,", "{trace}"]
times = self:csv(begin=1, end=2, unit=us)

[replayer nothing]
engine = exec
command = true
times = self:csv(begin=1, end=2, unit=us)
EOC
status=0
"$VALIDATE" run bad.conf -o results >out 2>err || status=$?
[ "$status" -ne 2 ] && [ "$status" -ne 3 ] || fail "status $status: $(cat err)"
journal=$(find results -name 'journal*' -type f | head -n 1)
grep -q 'was ended by signal 11' "$journal" || fail "no crash in the journal: $(cat "$journal")"
grep -q 'did not end within 0.1 s' "$journal" || fail "no time-out in the journal"
# one whose requests' results nobody knows is not found to be faithful
jq -e '[.cells[] | select(.replayer == "pretends") | .n_results_untold == 150 and
	(.components[] | select(.component == "fidelity") | .decision == "inconclusive")] == [true]' results/report/report.json >/dev/null ||
	fail "$(jq -c '[.cells[] | [.replayer, .n_results_untold, (.components[] | select(.component == "fidelity"))]]' results/report/report.json)"
grep -q 'none was seen' "$journal" || fail "nothing of the one that did nothing in the journal"
# who made the runs is in the environment: name, file and its hash
awk=$(readlink -f "$(command -v awk)")
jq -e --arg sha "$(sha256sum <"$awk" | cut -c1-64)" '[.replayers[] | select(.name == "pretends")] | length == 1 and .[0].sha256 == $sha and .[0].engine == "exec"' \
	results/environment.json >/dev/null || fail "not the program that was started: $(jq -c .replayers results/environment.json)"
"$VALIDATE" report results --certificate >certificate.txt || :
grep -q "$(sha256sum <"$awk" | cut -c1-64 | cut -c1-60)" certificate.txt || fail 'its hash is not in the certificate'
grep -q 'its last words' results/traces/*.printed || fail "what a failed replayer printed is not kept: $(ls results/traces)"
for p in /proc/[0-9]*; do
	! grep -qs "$PWD/hangs" "$p/cmdline" || fail "the one that hangs runs on: $p"
done
