# SPDX-License-Identifier: GPL-3.0-or-later
# validate history: campaigns over months, some of them shifted, in every form; refusals of a
# history, and damaged files.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to make campaigns"
command -v sqlite3 >/dev/null || skip "sqlite3 is not there to look into the file"

# x/r is 1 with a small wave; reads level=1 is 5 % larger from campaign 26 on, when the kernel
# changes; level=2 grows by 1 % per campaign from 24 on
campaign() { # NUMBER
	jq -c --argjson i "$1" '
		(["00", "01", "02", "03", "04", "05", "06", "07", "08", "09"] + [range(10; 60) | tostring]) as $two
		| .campaign = "00000000000000" + $two[$i] | .date = "2026-\($two[1 + ($i / 28 | floor)])-\($two[1 + $i % 28])T12:00:00Z"
		| (if $i >= 26 then .environment["kernel.release"] = "6.2.0" else . end)
		| (((($i * 7919) % 97) - 48) / 10000) as $wave
		| .cases |= [to_entries[] | .key as $k | .value
			| (1 + $wave + (if $k == 0 and $i >= 26 then 0.05 elif $k == 1 and $i >= 24 then 0.01 * ($i - 23) else 0 end)) as $f
			| .replicates |= map(.[1] = .[2] * $f)]' "$SRCDIR/tests/data/compare/old.json" >"c$1.json"
}
i=1
while [ $i -le 36 ]; do
	campaign $i
	expect_status 0 "$VALIDATE" history add db "c$i.json" --label "build $i"
	i=$((i + 1))
done
expect_line out 'added to db as number 36: 3 cases'
expect_status 0 "$VALIDATE" history show db
expect_line out '36 campaigns, 3 cases: 2 with events'
grep -q 'reads level=1, event: shift of +4.9[0-9]* % from 2026-01-27T12:00:00Z (no. 26), ongoing' out || fail "the shift: $(grep shift out)"
expect_line out 'reads level=2, event: drift of'
expect_line out 'kernel.release:'
[ "$(wc -L <out)" -le 100 ] || fail 'longer than a line of a terminal'

expect_status 0 "$VALIDATE" history show db --format json
follows_schema history out
all_members history
jq -e '.charts[0] | .n_entries == 36 and .n_baseline == 20 and ([.entries[] | select(.in_baseline) | .number] == [range(1; 21)])
	and (.signals | map(select(.chart == "CUSUM")) | length == 1 and (.[0] | .kind == "shift" and .onset == 26 and .ongoing and (.change - 0.05 | fabs) < 0.002
		)) and (.events | length == 1 and (.[0] | .kind == "shift" and .onset == 26 and .ongoing and (.change - 0.05 | fabs) < 0.003
		and .nearest_change.number == 26 and .nearest_change.facts == [{fact: "kernel.release", old: "6.1.0-18-amd64", new: "6.2.0"}]))' \
	out >/dev/null || fail "not the shift that was put in: $(jq -c '.charts[0].signals' out | head -c 600)"
jq -e '(.charts[2] | .signals + .events | length) == 0 and (.charts[1].events | length == 1 and (.[0] | .kind == "drift" and .onset >= 23 and .onset <= 25))' out >/dev/null || fail 'the drift, or what is in control'
# centre and limits from the entries themselves
jq -e '.charts[0] | ([.entries[:20][].mean_ln] | add / 20) as $c | ([range(1; 20) as $i | .entries[$i].mean_ln - .entries[$i - 1].mean_ln | fabs]
	| add / 19 * (3.141592653589793 | sqrt) / 2) as $s | (.center_ln - $c | fabs) < 1e-12 and (.sigma_ln - $s | fabs) < 1e-12
	and (.upper_ln - $c - 3 * $s | fabs) < 1e-12' out >/dev/null || fail 'not the limits of the first twenty'
cp out all.json
expect_status 0 "$VALIDATE" history show db --format csv
[ "$(grep -c '^reads level=1,event,[0-9]*,2026-' out)" -eq 36 ] || fail 'not each entry in CSV'
expect_status 0 "$VALIDATE" history show db -o report --scenario 'reads level=1' --replayer event
expect_line out '36 campaigns, 1 case: 1 with events'
for file in index.html history.json summary.txt tables/events.csv tables/signals.csv tables/changes.csv plots/history-1.gp plots/history-1.dat; do
	[ -s "report/$file" ] || fail "no report/$file"
done
if command -v gnuplot >/dev/null; then
	[ -s report/plots/history-1.svg ] || fail 'no plot'
fi
path=$PATH
PATH=/proc/nonexistent
status=0
"$VALIDATE" history show db -o bare --scenario 'reads level=1' --replayer event >out 2>err || status=$?
PATH=$path
[ $status -eq 0 ] || fail "status $status without gnuplot: $(cat err)"
expect_line bare/index.html '1 figure is missing here (gnuplot was not found'
expect_status 0 "$VALIDATE" history show db --from 26 --baseline 8
expect_line out '11 campaigns'

# limits stay as soon as their entries are complete: later entries do not move them
campaign 37
cp db later
expect_status 0 "$VALIDATE" history add later c37.json
expect_status 0 "$VALIDATE" history show later --format json
[ "$(jq -c '[.charts[] | .center_ln, .sigma_ln]' out)" = "$(jq -c '[.charts[] | .center_ln, .sigma_ln]' all.json)" ] || fail 'limits moved'

# the same campaign twice; a clock set back; few entries; an unknown name; names that contain markup
sqlite3 db .dump >before
expect_status 3 "$VALIDATE" history add db c7.json
expect_line err 'of c7.json, as number 7 (2026-01-08T12:00:00Z, build 7)'
sqlite3 db .dump | cmp -s - before || fail 'a refused campaign left something'
jq '.date = "2025-01-01T00:00:00Z"' c37.json >back.json
expect_status 0 "$VALIDATE" history add db back.json --label '<script>alert(1)</script>'
expect_line out 'Warning: the date of this campaign, 2025-01-01T00:00:00Z, is earlier than 2026-02-09T12:00:00Z, the date of number 36'
expect_status 0 "$VALIDATE" history show db --format html
! grep -q '<script>' out || fail 'a label became markup'
grep -q 'a clock was set back' out || fail 'the page does not mention the clock'
# late campaigns are inserted at their dates
expect_status 0 "$VALIDATE" history show db --format json
[ "$(jq -c '[.campaigns[].number] | .[:3]' out)" = "[$(sqlite3 db 'SELECT max(id) FROM campaign'),1,2]" ] || fail "not by date: $(jq -c '[.campaigns[].number]' out)"
expect_status 0 "$VALIDATE" history add few c1.json
expect_status 0 "$VALIDATE" history show few
expect_line out 'no limits yet'
expect_status 3 "$VALIDATE" history show db --scenario nothing
expect_line err 'no entry of scenario nothing'
expect_status 3 "$VALIDATE" history show db --from 9999
expect_line err 'no entry from campaign 9999 on'
jq '.host = "it'"'"'s elsewhere" | .campaign = "00000000000000ff"' c1.json >other.json
cp db two
expect_status 0 "$VALIDATE" history add two other.json
expect_status 0 "$VALIDATE" history show two --host "it's elsewhere"
expect_line out '1 campaign, 3 cases'
expect_status 0 "$VALIDATE" history show two --host "$(jq -r .host c1.json)"
expect_line out "$(sqlite3 db 'SELECT count(*) FROM campaign') campaigns, 3 cases: "
expect_status 3 "$VALIDATE" history show two --host nowhere
expect_line err 'of host nowhere'
expect_status 2 "$VALIDATE" history show db --baseline 3
expect_status 2 "$VALIDATE" history show db --format htlm
expect_status 2 "$VALIDATE" history add db
expect_status 2 "$VALIDATE" history show db --label x
expect_status 2 "$VALIDATE" history add db results --from 3

# no process changes or removes anything
for table in entry campaign series environment; do
	! sqlite3 db "DELETE FROM $table" 2>/dev/null || fail "rows of $table can be removed"
done
! sqlite3 db 'UPDATE entry SET bias = 0' 2>/dev/null || fail 'entries can be changed'

# a file whose triggers have the message of builds before December 2026
cp db earlier
sqlite3 earlier "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql,
	'entries of a history cannot be changed or removed', 'a history is only added to')"
sqlite3 earlier .schema | grep -q 'only added to' || fail 'the earlier message is not there'
expect_status 0 "$VALIDATE" history show earlier

# files that are no history, or no longer: reported, and left unchanged
sqlite3 foreign 'CREATE TABLE t(x); INSERT INTO t VALUES(1)'
echo 'this is text, and longer than the sixteen bytes of a header' >text
: >empty
head -c 20000 db >cut
cp db changed && sqlite3 changed 'DROP TRIGGER entry_stays'
cp db newer && sqlite3 newer 'PRAGMA user_version = 2'
for file in foreign text cut changed newer; do
	sum=$(cksum <$file)
	expect_status 3 "$VALIDATE" history show $file
	expect_line err "$file"
	expect_status 3 "$VALIDATE" history add $file c37.json
	expect_line err "$file"
	[ "$(cksum <$file)" = "$sum" ] || fail "$file was written to"
done
expect_line err 'the file has version 2 of its format'
for file in empty none .; do
	expect_status 3 "$VALIDATE" history show $file
done
[ ! -e none ] || fail 'show made a file'

# no space: nothing of the campaign stays
cp few full
sum=$(cksum <full)
# SIGXFSZ ignored, and no file may grow beyond its present size
status=0
(trap '' XFSZ; ulimit -f 1; exec "$VALIDATE" history add full c2.json >out 2>err) || status=$?
[ $status -eq 3 ] || fail "status $status with no space"
expect_status 0 "$VALIDATE" history show full
expect_line out '1 campaign'

# a writer that was killed half way: its output is removed
sqlite3 full 'PRAGMA cache_size = 2; BEGIN; WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 200)
	INSERT INTO environment(facts) SELECT hex(randomblob(1000)) || i FROM n' '.system cp full half; cp full-journal half-journal' >/dev/null
[ -s half-journal ] || fail 'no journal: nothing is tried here'
! cmp -s full half || fail 'nothing was written yet: nothing is tried here'
expect_status 0 "$VALIDATE" history show half
expect_line out '1 campaign,'
[ "$(sqlite3 half 'SELECT count(*) FROM environment')" -eq 1 ] || fail 'half of a transaction stayed'

# two writers at once: both campaigns are added
"$VALIDATE" history add few c3.json >out.3 2>err.3 &
first=$!
"$VALIDATE" history add few c4.json >out.4 2>err.4 &
second=$!
wait $first || fail "the first of two writers: $(cat err.3)"
wait $second || fail "the second of two writers: $(cat err.4)"
[ "$(sqlite3 few 'SELECT count(*) FROM entry')" -eq 9 ] || fail 'not all entries of two writers'

# no such directory
expect_status 3 "$VALIDATE" history add /proc/nonexistent/db c1.json
