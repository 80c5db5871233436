# SPDX-License-Identifier: GPL-3.0-or-later
# long: 13 s
# A tiny campaign from start to end: its files, its cleanup, and its report, which is also made a
# second time.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

verdict_run() { # a campaign with any verdict
	expect_verdict "$VALIDATE" run "$@"
}

tiny tiny.conf 'title = A tiny campaign'
mkdir before target
echo mine >target/mine


# --dry-run changes no file
everything() {
	find . -path ./before -prune -o -print | sort
}
everything >before/list
expect_status 0 "$VALIDATE" run tiny.conf --dry-run
expect_line out 'A tiny campaign'
expect_line out 'runs:    28'
expect_line out 'No file or device was changed.'
rm out err
everything >before/list2
cmp -s before/list before/list2 || fail "a dry run made files: $(diff before/list before/list2)"

# the campaign, with its files in a directory of the test
sed 's/^cache = cold/&\ndir = target/' tiny.conf >given.conf
verdict_run given.conf -o results
for file in protocol.conf resolved.conf environment.json plan.json journal report/index.html report/report.json; do
	[ -s "results/$file" ] || fail "results/$file is missing"
done
cmp -s given.conf results/protocol.conf || fail "protocol.conf is not the protocol as given"
complete results $N_TINY
clean results
[ "$(cat target/mine)" = mine ] && [ "$(ls target)" = mine ] || fail "the target directory is not as it was: $(ls target)"
tail -n 1 out | grep -q 'results/report/index.html$' || fail "the last line does not name the report: $(tail -n 1 out)"
grep -q '"event":"end"' results/journal || fail "the journal has no end"
grep -qi 'trusted\|inconclusive' err && fail "verdict words among the progress"

# the resolved protocol is a valid protocol
expect_status 0 "$VALIDATE" run results/resolved.conf --dry-run
expect_line out 'runs:    28'

# the report made again has the same bytes
if "$VALIDATE" help | grep -q '^  report '; then
	cp -r results/report first
	expect_verdict "$VALIDATE" report results
	diff -r first results/report >diffs || fail "the report made again differs: $(head -n 5 diffs)"
	cp -r results moved
	rm -r moved/report
	"$VALIDATE" report moved >/dev/null 2>&1 || :
	diff -r first moved/report >diffs || fail "the report of a moved directory differs: $(head -n 5 diffs)"
fi

# a finished campaign that is resumed makes no run; a new campaign in its directory is refused
cp results/journal journal-before
verdict_run -o results --resume
cmp -s journal-before results/journal || fail "resuming a finished campaign changed its journal"
expect_status 3 "$VALIDATE" run given.conf -o results
expect_line err 'is not empty'
cmp -s journal-before results/journal || fail "a refused campaign changed the journal"

# another protocol cannot continue it
sed 's/bank = 2/bank = 3/' given.conf >other.conf
expect_status 3 "$VALIDATE" run other.conf -o results --resume
expect_line err 'is not the protocol of the campaign in'
expect_status 3 "$VALIDATE" run -o nowhere --resume given.conf
expect_status 2 "$VALIDATE" run --resume given.conf
expect_line err '--resume needs -o DIR'

# the default name of the directory, and the forms that can be printed
mkdir elsewhere
(cd elsewhere && verdict_run ../tiny.conf --quiet --format json && cp out ../out && cp err ../err)
[ -d elsewhere/results-tiny-2* ] || fail "no results-tiny-DATE: $(ls elsewhere)"
head -c 1 out | grep -q '{' || fail "--format json printed: $(head -n 1 out)"
expect_status 2 "$VALIDATE" run tiny.conf -o x --format htlm
[ ! -e x ] || fail "a wrong form began a campaign"
expect_status 6 "$VALIDATE" run tiny.conf -o x --device vda
expect_line err 'no target of the protocol uses this device'
[ ! -e x ] || fail "--device began a campaign"

# traces are kept as requested, and can be read
tiny keep.conf 'keep = all' 'replicates = 2' 2>/dev/null
sed -i '0,/replicates = 3/{/replicates = 3/d}' keep.conf
verdict_run keep.conf -o kept
[ "$(ls kept/traces | wc -l)" -eq "$(journal_runs kept | wc -l)" ] || fail "not every trace was kept"
expect_status 0 "$VALIDATE" info kept/traces/000000.trace
clean kept
