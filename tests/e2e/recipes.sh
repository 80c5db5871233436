# SPDX-License-Identifier: GPL-3.0-or-later
# long: 30 s
# The recipes of README.md: each fenced block of its section "Recipes" runs as it is printed, in a
# directory with small inputs only. A recipe without a case in this script is a failure; so is a
# case without a recipe.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
PATH=$(dirname "$VALIDATE"):$PATH
unset VALIDATE

# recipe-N: the lines of block N of README.md; title-N: the bold words before it
awk '/^## / { on = $0 == "## Recipes" }
	on && /^\*\*/ { title = $0; sub(/^\*\*/, "", title); sub(/[.?]?\*\*.*/, "", title) }
	on && /^```$/ { inside = 0; next }
	on && /^```sh$/ { inside = 1; n++; print title >("title-" n); next }
	inside { print >("recipe-" n) }' "$SRCDIR/README.md"
out=$TMPDIR/out # not in the recipe's directory: a recipe captures what happens there
err=$TMPDIR/err
[ -s recipe-1 ] || fail 'README.md has no recipes'

# recipe NAME: enters an empty directory for the recipe with this title; the caller then creates its
# inputs
recipe() {
	cd "$TMPDIR"
	title=$(grep -lxF "$1" title-*) || fail "README.md has no recipe \"$1\""
	block=$TMPDIR/recipe-${title#title-}
	echo "$1" >>ran
	mkdir "run-${title#title-}"
	cd "run-${title#title-}"
}

# run STATUS...: runs the recipe up to the first command that fails; its status must be listed. "0 1
# 4" are the three verdicts: which verdict a few short replays get depends on the machine.
run() {
	status=0
	sh -e "$block" >"$out" 2>"$err" || status=$?
	for wanted; do
		[ "$status" -ne "$wanted" ] || return 0
	done
	sed 's/^/out: /' "$out" >&2
	sed 's/^/err: /' "$err" >&2
	fail "status $status instead of $*: $(cat "$block")"
}

# judged REPLAYER: the verdict and the report of the recipe, without a failed run
judged() {
	expect_line "$out" 'Verdict on replays of '
	grep -q "^  $1: " "$out" || fail "no verdict on $1: $(cat "$out")"
	set -- results-judge-*
	[ -s "$1/report/index.html" ] || fail "no report in $1"
	! grep '"state":"failed"' "$1/journal" || fail 'a run failed'
}

recorded() { # a trace of 200 cached reads
	mkdir files
	expect_status 0 validate microbench random-read --requests 200 --file-size 1M --dir files \
		-o my.trace
}

skipped=
recipe 'Judge fio on my trace'
if command -v fio >/dev/null; then
	recorded
	run 0 1 4
	judged fio
else
	skipped='fio is not installed; the other recipes passed'
fi

recipe 'Record and replay my program'
seq 2000 >input
cat >program <<'END'
#!/bin/sh
sort input >sorted
cat input sorted >both
END
chmod +x program
run 0 1 4
expect_line "$out" '-> program.trace'
expect_line "$out" 'mismatches      0'
[ "$(stat -c %s replayed/both)" -eq "$(stat -c %s both)" ] || fail 'the replay wrote another file'
judged event

recipe 'Compare two versions in CI'
awk '/^\[workload / { n++ } # one workload of the four, with one level and block size
	/^\[/ { keep = !/^\[workload / || n == 1 }
	/^budget/ { $0 = "budget = 60s" }
	/^replicates/ { $0 = "replicates = 8" }
	/^requests/ { $0 = "requests = 200" }
	/^level/ { $0 = "level = 1" }
	/^block-size/ { $0 = "block-size = 4K" }
	keep || !n' "$SRCDIR/protocols/ci.conf" >ci.conf
run 0 1 4
expect_line "$out" 'new'
grep -Eqw 'same|better|worse|inconclusive' "$out" || fail "no word of a comparison: $(cat "$out")"

recipe 'Read my strace, blktrace, iolog or CSV'
cat >app.strace <<'END'
100 1700000000.000100 openat(AT_FDCWD, "/data/f", O_RDONLY) = 3 <0.000010>
100 1700000000.000200 pread64(3, "x"..., 4096, 8192) = 4096 <0.000050>
100 1700000000.000300 close(3) = 0 <0.000005>
END
cp "$SRCDIR"/tests/data/formats/sda.blktrace.[01] .
cat >sda.txt <<'END'
  8,0    0        1     0.000000000   100  D   R 2048 + 8 [dd]
  8,0    0        2     0.000120000     0  C   R 2048 + 8 [0]
  8,0    0        3     0.000300000   100  D   W 4096 + 16 [dd]
  8,0    0        4     0.000500000     0  C   W 4096 + 16 [0]
END
cat >job.iolog <<'END'
fio version 3 iolog
10 f add
20 f open
30 f read 0 4096
60 f write 4096 8192
90 f close
END
head -n 20 "$SRCDIR/tests/data/formats/snia.csv" >requests.csv
printf '0,R,8192,4096\n250,W,0,512\n' >my.csv
cat >my.map <<'END'
[format]
name = mine
delimiter = comma
columns = 4
[column 1]
field = begin
unit = us
[column 2]
field = operation
values = R:pread, W:pwrite
[column 3]
field = offset
unit = bytes
[column 4]
field = length
unit = bytes
END
run 0
expect_line "$out" 'app.trace: 3 requests'
expect_line "$out" 'Format     strace'
expect_line "$out" 'blktrace.trace: '
expect_line "$out" 'Format     blktrace'
expect_line "$out" 'blkparse.trace: 2 requests over 500 us'
expect_line "$out" 'iolog.trace: 4 requests'
expect_line "$out" 'Format     snia'
expect_line "$out" 'my.trace: 2 requests'
for trace in app blktrace blkparse iolog csv my; do
	expect_status 0 validate info "$trace.trace"
	expect_line out 'Requests '
done

recipe 'What does my trace hold'
recorded
run 0
expect_line "$out" 'Requests   200 over'
grep -q '</html>' my.html || fail 'the page is not whole'

recipe 'Judge numbers that I already have'
printf '100\n102\n98\n101\n99\n100\n103\n97\n100\n100\n' >program.txt
printf '101\n103\n99\n102\n100\n101\n104\n98\n101\n101\n' >replay.txt
run 0
expect_line "$out" 'The mean of the replay is 1 % above'
printf '151\n153\n149\n152\n150\n151\n154\n148\n151\n151\n' >replay.txt
run 1

cd "$TMPDIR"
for title in title-*; do
	grep -qxF "$(cat "$title")" ran || fail "recipe \"$(cat "$title")\" of README.md has no test"
done
[ -z "$skipped" ] || skip "$skipped"
