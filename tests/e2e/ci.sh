# SPDX-License-Identifier: GPL-3.0-or-later
# The CI files of doc/ci: their steps run unchanged, on stored campaigns instead of new ones. A
# delay in the new version fails, no delay passes, an inconclusive comparison passes with a warning,
# and a failed campaign fails.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"

# campaigns of two replayers, from stored ones
both() { # OUT NEW
	jq --slurpfile n "$SRCDIR/tests/data/compare/$2.json" '.limits.old = "old" | .limits.new = "new" | .limits["precision-ratio"] = 4
		| .cases = (.cases | map(.replayer = "old")) + ($n[0].cases | map(.replayer = "new"))' \
		"$SRCDIR/tests/data/compare/old.json" >"$1"
}
both passes.json same
both delayed.json worse
jq '.cases |= map(.replicates |= .[0:3])' passes.json >few.json

# `validate` in PATH: `run` copies the stored campaign and returns a campaign's status; other
# commands run the program
mkdir bin
cat >bin/validate <<END
#!/bin/sh
if [ "\$1" = run ]; then
	[ -f "\$2" ] || { echo "no protocol \$2" >&2; exit 2; }
	while [ "\$1" != -o ]; do shift; done
	[ -z "\$STORED" ] || cp "\$STORED" "\$2"
	exit "\$RUN_STATUS"
fi
exec "$VALIDATE" "\$@"
END
chmod +x bin/validate
PATH=$PWD/bin:$PATH
mkdir protocols
cp "$SRCDIR/protocols/ci.conf" protocols/

# steps FILE: the scripts of its steps, one file each, as the service would make them, and the marked
# values of `env` in `adapted`
steps() {
	rm -f step-*
	awk '/^ *run: / { match($0, /^ */); indent = RLENGTH + 2; n++; on = /\|$/
			if (!on) { gsub(/^ *run: \047?|\047$/, ""); print > ("step-" n) }
			next }
		on { match($0, /^ */); if (RLENGTH < indent && $0 != "") { on = 0; next } print substr($0, indent + 1) > ("step-" n) }' "$1"
	sed -n 's/^ *\(PROTOCOL\|OLD\|NEW\): \(.*\) # adapt$/\1=\2/p' "$1" >adapted
}
# The checkouts, and a gh that keeps the comment.
for side in base head; do
	mkdir $side
	printf 'replayer:\n\tln -s /bin/true $@\n' >$side/Makefile
done
ln -s "$SRCDIR" validate
cp protocols/ci.conf head/
cat >bin/gh <<'END'
#!/bin/sh
echo "$*" >comment.args
cat >comment.md
exit "${GH_STATUS:-0}"
END
chmod +x bin/gh
workflow() { # STATUS: of the first step that fails, as the service would end
	rm -rf validate-results summary.md comment.* step-*.out
	cp "$SRCDIR/protocols/ci.conf" head/
	status=0
	for step in step-1 step-2 step-3; do
		env GITHUB_STEP_SUMMARY="$PWD/summary.md" GITHUB_OUTPUT="$PWD/output" VALIDATE=validate $(cat adapted) bash -e "$step" >"$step.out" 2>&1 || { status=$?; break; }
	done
	[ ! -f validate-results/run.compare.md ] ||
		env PULL_REQUEST=7 GITHUB_REPOSITORY=o/r bash -e step-4 >step-4.out 2>&1 || fail "the comment failed: $(cat step-4.out)"
	[ "$status" -eq "$1" ] || { cat step-*.out >&2; fail "the workflow ended with $status at $step instead of $1"; }
}
steps "$SRCDIR/doc/ci/github-actions.yml"
[ "$(ls step-[0-9] | wc -l)" -eq 4 ] && [ "$(wc -l <adapted)" -eq 3 ] || fail "the workflow has not 4 steps and 3 values: $(cat adapted)"
if command -v actionlint >/dev/null; then
	actionlint "$SRCDIR/doc/ci/github-actions.yml" >lint 2>&1 || fail "actionlint: $(cat lint)"
fi
if command -v action-validator >/dev/null; then
	action-validator "$SRCDIR/action.yml" >lint 2>&1 || fail "action-validator: $(cat lint)"
fi
! grep -nE "^ *[a-z-]+: [^'\"].*: " "$SRCDIR/action.yml" || fail 'a text of action.yml with ": " needs quotes in YAML'

STORED=$PWD/passes.json RUN_STATUS=4
export STORED RUN_STATUS
workflow 0
[ -x base/replayer ] && [ -x validate-results/bin/replayer-old ] || fail "the versions were not built and named"
expect_line summary.md '✅'
expect_line comment.md '✅'
expect_line comment.args 'pr comment 7 --repo o/r --body-file -'
expect_line step-3.out '::notice title='
STORED=$PWD/delayed.json RUN_STATUS=1
workflow 1
expect_line comment.md '| ❌ worse | reads level=2 | new | response time |'
expect_line step-3.out '::error title=response time%3A worse::reads level=2, new: '
[ "$(grep -c '^::' step-3.out)" -le 10 ] || fail "more than ten annotations"
expect_line validate-results/run.compare.html 'worse'
# no permission to comment, as of a fork, does not fail
GH_STATUS=1 workflow 1
expect_line step-4.out '::notice::no comment'
STORED=$PWD/few.json
workflow 0
expect_line step-3.out '::warning::inconclusive'
RUN_STATUS=3 STORED=
workflow 3
[ ! -f comment.md ] || fail "a comment without a comparison"

# the plain one
plain() { # STATUS [NAME=VALUE...]
	rm -rf results*
	wanted=$1
	shift
	expect_status "$wanted" env VALIDATE=validate "$@" sh "$SRCDIR/doc/ci/compare.sh"
}
RUN_STATUS=1 STORED=$PWD/delayed.json
plain 1
expect_line out "worse: response time of reads level=2, replayers old and new: +"
for file in md xml html json; do
	[ -s "results.compare.$file" ] || fail "no results.compare.$file"
done
plain 0 "STORED=$PWD/passes.json"
plain 0 "STORED=$PWD/few.json"
plain 4 "STORED=$PWD/few.json" STRICT=1
plain 1 "STORED=$PWD/few.json" INCONCLUSIVE=fail
plain 0 "STORED=$PWD/few.json" INCONCLUSIVE=skip
# no version can replay a scenario: this is no pass, whatever is chosen
jq '.cases |= map(if .scenario == "reads level=1" then .replicates = [] | .n_failed = 30 else . end)' \
	passes.json >broken.json
for choice in pass skip fail error; do
	plain 4 "STORED=$PWD/broken.json" INCONCLUSIVE=$choice
	grep -q '<error type="inconclusive"' results.compare.xml || fail "JUnit has no error with $choice"
done
plain 0 "STORED=$PWD/few.json" INCONCLUSIVE=pass
grep -q 'failures="0" errors="0"' results.compare.xml || fail 'an inconclusive component is not a pass in JUnit'
n_skipped=$(grep -c '<skipped' results.compare.xml)
! grep -q '<testsuites.*skipped=' results.compare.xml || fail 'not as in the schema of JUnit'
plain 0 "STORED=$PWD/few.json" INCONCLUSIVE=skip
[ "$(grep -c '<skipped' results.compare.xml)" -gt "$n_skipped" ] || fail 'nothing more is skipped in JUnit'
plain 1 "STORED=$PWD/few.json" INCONCLUSIVE=fail
grep -q '<failure type="inconclusive"' results.compare.xml || fail 'no failure in JUnit'
plain 3 STORED= RUN_STATUS=3
expect_status 2 env VALIDATE=validate sh "$SRCDIR/doc/ci/compare.sh" nowhere.conf

# the steps of the action run as they are printed: it compares as compare.sh does, names the verdict,
# and replaces the budget in a copy
steps "$SRCDIR/action.yml"
[ "$(ls step-[0-9] | wc -l)" -eq 2 ] || fail 'action.yml has not 2 steps of its own'
[ "$(grep -c '^ *shell: bash$' "$SRCDIR/action.yml")" -eq 2 ] || fail 'a step of action.yml without a shell'
export GITHUB_ACTION_PATH="$SRCDIR"
# validate is in PATH, so nothing is installed
expect_status 0 env VALIDATE=validate bash -e step-1
[ ! -s out ] || fail "step Install: $(cat out)"
action() { # STATUS VERDICT [NAME=VALUE...]
	rm -rf validate-results summary.md output
	wanted=$1 verdict=$2
	shift 2
	expect_status "$wanted" env VALIDATE=validate PROTOCOL=protocols/ci.conf "$@" \
		GITHUB_OUTPUT="$PWD/output" GITHUB_STEP_SUMMARY="$PWD/summary.md" \
		bash -e step-2
	expect_line output "verdict=$verdict"
}
cp "$SRCDIR/protocols/ci.conf" protocols/
RUN_STATUS=1 STORED=$PWD/delayed.json
action 1 worse
expect_line summary.md '| ❌ worse | reads level=2 | new | response time |'
expect_line out '::error title=response time%3A worse::reads level=2, new: '
action 0 same "STORED=$PWD/passes.json"
action 0 inconclusive "STORED=$PWD/few.json"
expect_line out '::warning::inconclusive'
action 4 inconclusive "STORED=$PWD/few.json" INCONCLUSIVE=fail
action 4 inconclusive "STORED=$PWD/broken.json"
action 3 failed STORED= RUN_STATUS=3
mv bin/validate bin/stored
cat >bin/validate <<'END'
#!/bin/sh
if [ "$1" = run ]; then
	grep '^budget' "$2" >budget
	for side in old new; do command -v replayer-$side; done >replayers
fi
exec stored "$@"
END
chmod +x bin/validate
cp "$SRCDIR/protocols/ci.conf" protocols/
action 0 same "STORED=$PWD/passes.json" BUDGET=90s OLD=true NEW=/bin/false
[ "$(cat budget)" = 'budget = 90s' ] || fail "the budget is not replaced: $(cat budget)"
[ "$(wc -l <replayers)" -eq 2 ] || fail "not two replayers in PATH: $(cat replayers)"
mv bin/stored bin/validate
for input in $(sed -n '/^inputs:/,/^outputs:/s/^  \([a-z]*\):$/\1/p' "$SRCDIR/action.yml"); do
	grep -q "inputs\.$input " "$SRCDIR/action.yml" || fail "action.yml does not use its input $input"
done

# the protocol itself: 16 scenarios, both versions named, some looks
expect_status 0 "$VALIDATE" run protocols/ci.conf -o there --dry-run --scatter 5%
expect_line out 'Smallest change that the comparison of old and new finds with a probability of 80 %'
grep -q '^  typical response  *±   3.4 % .* [45][.0-9]* %$' out || fail "not a change of 5 %: $(grep '±   3.4' out)"
expect_status 0 "$VALIDATE" run protocols/ci.conf -o there --dry-run
[ "$(grep -c 'level=[12] block-size=\|block-size=.* level=[12]' out)" -ge 16 ] || fail "not 16 scenarios: $(cat out)"
