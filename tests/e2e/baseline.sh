# SPDX-License-Identifier: GPL-3.0-or-later
# validate baseline: the stored data of a campaign, equal bytes after reading and writing, and
# damaged baselines.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"
command -v jq >/dev/null || skip "jq is not there to read JSON"

tiny tiny.conf
status=0
"$VALIDATE" run tiny.conf -o results --quiet >run.out 2>err || status=$?
any_verdict

# from the directory and from the stored file: equal bytes, which match the schema
expect_status 0 "$VALIDATE" baseline save results -o baseline.json
[ ! -s out ] || fail "printed although written to a file"
expect_status 0 "$VALIDATE" baseline save results
cmp -s out baseline.json || fail "standard output differs from the file"
expect_status 0 "$VALIDATE" baseline save results -o -
cmp -s out baseline.json || fail "-o - is not standard output"
expect_status 0 "$VALIDATE" baseline save baseline.json
cmp -s out baseline.json || fail "a baseline of a baseline differs: $(diff out baseline.json | head -n 3)"
follows_schema baseline baseline.json

# any change is detected; blanks and the order of members are no changes
jq -S --tab . baseline.json >sorted.json
expect_status 0 "$VALIDATE" baseline show sorted.json
[ ! -s err ] || fail "the same content in another form: $(cat err)"
for change in '.cases[0].replicates[0][1] *= 1.001' '.limits["response-time"] = 0.5' '.host = "x"' '.more = 1' 'del(.cases[1])' \
	'.sha256 = "0" * 64' '.sha256 |= .[1:]'; do
	jq "$change" baseline.json >changed.json
	for how in 'baseline show changed.json' 'baseline save changed.json -o none.json' 'compare baseline.json changed.json' \
		'compare changed.json baseline.json' 'pool baseline.json changed.json' 'history add none.db changed.json'; do
		# shellcheck disable=SC2086 # words
		expect_status 3 "$VALIDATE" $how
		expect_line err sha256
		expect_line err changed.json
	done
	[ ! -e none.json ] && [ ! -e none.db ] || fail "a changed baseline was taken: $change"
done
# without the digest it is as an earlier version wrote it: read with a warning, and saving it again
# adds no digest
jq 'del(.sha256)' baseline.json >plain.json
expect_status 0 "$VALIDATE" baseline save plain.json -o again.json
expect_line err 'warning: plain.json has no digest'
jq -e '.sha256 == null' again.json >/dev/null || fail 'a baseline without a digest was sealed'
# members that few campaigns have
jq '.span = 2 | .cases[0].incomplete = true' plain.json >rare.json
expect_status 0 "$VALIDATE" baseline save rare.json -o rare-written.json
follows_schema baseline rare-written.json

# its numbers are those of the runs
[ "$(jq '.cases | length' baseline.json)" -eq 4 ] || fail "not 4 cases"
[ "$(jq -c '[.cases[].replicates[][0]] | unique' baseline.json)" = '[1,2,3]' ] || fail "not blocks 1 to 3"
expect_status 0 sh -c "jq -e --slurpfile b baseline.json '
	[.runs[] | select(.block > 0 and .scenario == \"reads level=1\" and .replayer == \"event\") | .mean_ns] as \$means
	| \$b[0].columns | index(\"x_mean_ns\") as \$at
	| [\$b[0].cases[] | select(.scenario == \"reads level=1\" and .replayer == \"event\") | .replicates[][\$at]] as \$kept
	| (\$kept | length) == 3 and ([\$kept, (\$means | sort)] | transpose | length) == 3 and
	  ([(\$kept | sort), (\$means | sort)] | transpose | all((.[0] / .[1] - 1) | fabs < 1e-8))' results/report/report.json"
[ "$(jq '[.scenarios[].requests[]] | length' baseline.json)" -eq 4 ] || fail "not a hash for each recording"
jq -e '.scenarios[0].requests[0] != .scenarios[0].requests[1] and (.scenarios[0].requests | index(null)) == null' baseline.json \
	>/dev/null || fail "recordings with different seeds have equal hashes, or none"

# in a comparison a baseline is equivalent to its directory, on either side
jq '.campaign = "0000000000000000" | .cases |= map(.replicates |= map(.[1] *= 1.01))' plain.json >other.json
compared() { # OLD NEW FILE: the comparison without the names of its sides
	status=0
	"$VALIDATE" compare "$1" "$2" --format json >out 2>err || status=$?
	[ "$(jq '.cases | length' out)" -eq 4 ] || fail "$1, $2: $(cat err)"
	{ jq 'del(.old.source, .new.source)' out; echo "$status"; } >"$3"
}
compared results other.json of-directory
compared baseline.json other.json of-file
cmp -s of-directory of-file || fail "a directory and its baseline compare differently: $(diff of-directory of-file | head -n 3)"
compared other.json results of-directory
compared other.json baseline.json of-file
cmp -s of-directory of-file || fail "as the new side, too: $(diff of-directory of-file | head -n 3)"

# for people; one replayer only
expect_status 0 "$VALIDATE" baseline show baseline.json
expect_line out "reads level=2, event: 3 replicates, bias"
jq 'del(.sha256) | .cases[0].verdict = "not trusted" | .cases[0].reason = "tail 9 times the limit"' baseline.json >verdict.json
expect_status 0 "$VALIDATE" baseline show verdict.json
tr -s ' \n' ' ' <out | grep -q "not trusted. Reason: tail 9 times the limit" || fail "no reason: $(grep -A 3 '^Cases' out)"
expect_line out "kernel.release: "
! grep -q "program.path" out || fail "a path of this machine is taken for a fact of the environment"
expect_status 0 "$VALIDATE" baseline save results --replayer event -o one.json
[ "$(jq -r '[.cases[].replayer] | unique | join(" ")' one.json)" = event ] || fail "not only event"
expect_status 3 "$VALIDATE" baseline save results --replayer evnt
expect_line err 'unknown replayer "evnt": the campaign has "event", "again"'

# for publication: no host name, no path of this machine, and an equal comparison; a second --redact
# hides nothing more
jq '.host = "secret-host" | .environment += {"targets.here.source": "/home/secret/disk.img", "targets.here.device.serial": "secret-serial",
	"kernel.command_line": "root=UUID=0a1b2c3d-0000-1111-2222-333344445555 quiet", "device.path": "/dev/sda"}
	| .cases[0].settings = "engine=exec command=[\"/home/secret/replayer\", \"-v\"]"
	| .scenarios[0].conditions += ["trace = /home/secret/app.trace"]
	| (.scenarios[].name, .cases[].scenario) |= sub("level=(?<n>.)"; "trace=/home/secret/\(.n).trace")
	| .cases[].replayer |= sub("^again$"; "again command=/home/secret/again")
	| .limits.old = "event" | .limits.new = "again command=/home/secret/again"' plain.json >private.json
expect_status 0 "$VALIDATE" baseline save private.json --redact -o public.json
grep -e secret -e 0a1b2c3d -e "$PWD" public.json && fail "not hidden" || :
jq -e '.host == "redacted" and .environment["kernel.command_line"] == "root=UUID=redacted quiet" and .environment["device.path"] == "/dev/sda"
	and (.cases[0].settings | startswith("engine=exec command=[\"redacted\""))' public.json >/dev/null || fail "$(jq -c '[.host, .environment]' public.json)"
jq -e '[.scenarios[].name] == ["reads trace=redacted", "reads trace=redacted (2)"] and ([.cases[] | .scenario + ", " + .replayer] | unique | length) == 4' \
	public.json >/dev/null || fail "the names: $(jq -c '[.scenarios[].name, .cases[].replayer]' public.json)"
jq -e '.limits.old == "event" and .limits.new == "again command=redacted"' public.json >/dev/null || fail "what is compared: $(jq -c .limits public.json)"
"$VALIDATE" compare public.json >out 2>err || [ $? -ne 3 ] || fail "what is compared has other names: $(cat err)"
follows_schema baseline public.json
all_members baseline
expect_status 0 "$VALIDATE" baseline save public.json --redact
cmp -s out public.json || fail "a second --redact changes it"
expect_status 0 "$VALIDATE" compare private.json public.json
expect_words out "the old and the new results are the same runs"
# it also compares with another campaign under the same conditions, although hidden conditions
# cannot be compared; visible conditions are compared
jq '.campaign = "0000000000000000" | .limits.environment = "all"' public.json >committed.json
jq '.limits.environment = "all"' private.json >now.json
for sides in 'committed.json now.json' 'now.json committed.json'; do
	# shellcheck disable=SC2086 # two words
	expect_status 4 "$VALIDATE" compare $sides
	! grep -E 'protocol: |settings of ' out || fail "a hidden value counts as a difference: $sides"
done
jq '.campaign = "0000000000000000" | .scenarios[0].conditions |= map(sub("secret"; "other"))' private.json >other.json
expect_status 5 "$VALIDATE" compare other.json now.json
jq '.scenarios[0].conditions |= map(sub("^trace = .*"; "trace = app.trace"))' now.json >other.json
expect_status 5 "$VALIDATE" compare committed.json other.json
# Two replayers whose hidden names are numbered: if one side was redacted, the intended replayer is
# compared, by either of its names
jq '(.cases[] | select(.replayer == "event") | .replayer) = "mine command=/home/secret/a"
	| (.cases[] | select(.replayer == "again command=/home/secret/again") | .replayer) = "mine command=/home/secret/b"' private.json >two.json
[ "$(jq '[.cases[] | select(.replayer == "mine command=/home/secret/b")] | length' two.json)" -eq 2 ] || fail "no two replayers of two cases: $(jq -c '[.cases[].replayer]' two.json)"
jq '.campaign = "0000000000000000"' two.json >later.json
expect_status 0 "$VALIDATE" baseline save later.json --redact -o hidden.json
expect_status 0 "$VALIDATE" baseline save later.json --redact --replayer "mine command=/home/secret/b" -o one.json
[ "$(jq -r '[.cases[].replayer] | unique | join(", ")' one.json)" = "mine command=redacted (2)" ] || fail "the one that is kept: $(jq -c '[.cases[].replayer]' one.json)"
for side in 'two.json:mine command=/home/secret/b' 'two.json:mine command=redacted (2)'; do
	"$VALIDATE" compare "$side" hidden.json --format json >out 2>err || [ $? -eq 4 ] || fail "$side: $(cat err)"
	jq -e '(.cases | length) == 2 and all(.cases[]; .old_replayer == "mine command=redacted (2)" and .new_replayer == .old_replayer)' out >/dev/null ||
		fail "$side: $(jq -c '[.cases[] | [.old_replayer, .new_replayer]]' out)"
	"$VALIDATE" compare hidden.json "$side" --format json >out 2>err || [ $? -eq 4 ] || fail "new is $side: $(cat err)"
	jq -e '(.cases | length) == 2 and all(.cases[]; .new_replayer == "mine command=redacted (2)")' out >/dev/null || fail "new is $side: $(jq -c .cases[] out)"
done
for name in 'mine command=/home/secret/b' 'mine command=redacted (2)'; do
	for laboratories in 'two.json hidden.json' 'hidden.json two.json'; do
		# shellcheck disable=SC2086 # two words
		expect_status 0 "$VALIDATE" pool $laboratories --replayer "$name" --format json
		jq -e '(.cases | length) == 2 and all(.cases[]; .replayer == "mine command=redacted (2)")' out >/dev/null || fail "pooled by $name: $(jq -c .cases out)"
	done
done

# usage
expect_status 2 "$VALIDATE" baseline
expect_status 2 "$VALIDATE" baseline keep results
expect_status 2 "$VALIDATE" baseline show baseline.json -o x
expect_status 3 "$VALIDATE" baseline show nowhere.json
expect_line err nowhere.json
[ ! -w /dev/full ] || { "$VALIDATE" baseline save results >/dev/full 2>err && fail "a full disk is no failure"; expect_line err "No space left"; }

# damaged baselines: refused with their names, no crash
refused() { # FILTER MESSAGE
	jq "$1" plain.json >bad.json
	expect_status 3 "$VALIDATE" baseline show bad.json
	expect_line err bad.json
	expect_line err "$2"
}
refused '.format_version = 2' 'the file has version 2 of its format, but this version of validate reads version 1'
refused '.format = "other"' 'not a baseline'
refused '.columns[1] = "x_mean_us"' 'column 1 is "x_mean_us", but must be "x_mean_ns"'
refused '.cases[0].replicates[1][3] = "x"' 'replicate 1: "x_median_ns" is not a number'
refused '.cases[0].replicates[1][3] = -1' 'replicate 1: "x_median_ns"'
refused '.cases[0].replicates[1][0] = 1' 'block 1 follows block 1'
refused '.cases[0].replicates[1] = [2]' 'replicate 1: expected an array: the number of the block, then '
refused '.cases[1].scenario = "none"' '"scenarios" has no scenario "none"'
refused '.cases += [.cases[0]]' 'occurs twice'
refused '.scenarios += [.scenarios[0]]' 'two scenarios are called'
refused '.limits["response-time"] = -1' '"response-time"'
refused 'del(.limits.p99)' '"p99"'
refused '.level_reject = 2' 'level'
refused '.protocol_hash = "x"' '"protocol_hash"'
for what in NaN Infinity 1e999; do
	sed "s/\"level_reject\": [0-9.e-]*/\"level_reject\": $what/" plain.json >bad.json
	expect_status 3 "$VALIDATE" baseline show bad.json
done
size=$(wc -c <baseline.json)
for cut in 0 1 100 $((size / 2)) $((size - 3)); do
	head -c "$cut" baseline.json >bad.json
	expect_status 3 "$VALIDATE" baseline show bad.json
	expect_line err bad.json
done
