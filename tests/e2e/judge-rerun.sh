# SPDX-License-Identifier: GPL-3.0-or-later
# long: 16 s
# waits: for the due times of requests
# validate judge --rerun: the captured command runs again in a copy of its files and is the
# reference. Traces that cannot run again are refused.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"
preload_before_sanitizer

mkdir 'w o' 'w o/sub'
echo 'hello world' >'w o/a'
head -c 100000 /dev/urandom >'w o/sub/big'
work="$PWD/w o"
trace=$PWD/app.trace
# relative names, the directory's own path, quotes, a variable, an exit status other than 0
(cd 'w o' && "$VALIDATE" capture app --snapshot -o "$trace" -- sh -c "n='1'; cat a >b; cp '$work/sub/big' \"\$1/c\"; grep -c hello b || exit 9; exit 3" name "$work" sub) >out 2>err || :
[ -f 'w o/c' ] || fail "the program did not run: $(cat err)"
find 'w o' -type f -exec cksum {} + | sort >before

# nothing runs without --rerun
expect_status 0 "$VALIDATE" judge --dry-run --with event app.trace
expect_line out 'reference = trace'
expect_line out '--rerun runs the captured command again instead'
expect_status 0 "$VALIDATE" judge --dry-run --rerun --with event app.trace
expect_line out 'reference = rerun'
expect_line out 'Runs this command again in a fresh copy of '
expect_line out "$work"
! grep -q '^\[accept\]\|^control = ' out || fail 'limits of a single reference'

expect_verdict "$VALIDATE" judge -q --rerun --replicates 8 --with event --dir . -o results app.trace
! grep '"state":"failed"' results/journal || fail 'a run failed'
# the scope of the verdict is stated in every form
expect_verdict "$VALIDATE" report results
tr -s '\n ' ' ' <out | grep -qF 'Not visible in the recordings: accesses to mapped memory, and calls inside the C library and its loader.' ||
	fail "the terminal does not state what the recordings lack: $(cat out)"
grep -q '<b>Not visible in the recordings:</b> accesses to mapped memory, and calls inside the C library and its loader' results/report/index.html ||
	fail 'the page does not state what the recordings lack'
grep -q 'not visible in the recordings: accesses to mapped memory, and calls inside the C library and its loader' results/report/certificate.html ||
	fail 'the certificate does not state what the recordings lack'
jq -e '.not_visible == ["accesses to mapped memory, and calls inside the C library and its loader"]' results/report/report.json >/dev/null ||
	fail "report.json: $(jq -c .not_visible results/report/report.json)"
find 'w o' -type f -exec cksum {} + | sort | cmp - before ||
	fail 'the files of the captured program were changed'
jq -s -e 'map(select(.role == "program" and .block > 0)) | length == 8 and all(.summary.n_bytes > 100000)' results/runs/*.json >/dev/null ||
	fail "the program was not run again in each block: $(jq -s -c 'map([.role, .block, .summary.n_bytes])' results/runs/*.json)"
jq -e '.cells[0].component // .cells[0].components | map(select(.component == "bias" and .decision != "not assessed")) | length == 1' \
	results/report/report.json >/dev/null || fail 'the bias was not judged'
[ -z "$(ls -d validate-* 2>/dev/null)" ] || fail "left behind: $(ls -d validate-*)"
# the results have everything that the protocol needs, except the trace
expect_status 0 "$VALIDATE" run results/protocol.conf --dry-run

# too few replicates are refused, with the option
expect_status 2 "$VALIDATE" judge -q --rerun --replicates 5 --with event -o few app.trace
expect_line err '--replicates 5 is too small for a verdict: at least 6'
expect_status 2 "$VALIDATE" judge -q --replicates 3 --with event -o few app.trace
expect_line err '--replicates 3 is too small for a verdict: at least 5'
[ ! -e few ] || fail 'it began what can never be accepted'

# which words of the command name the directory, and which only look like it; the name of the program
# is not changed
(cd 'w o' && "$VALIDATE" capture app -o "$PWD/../words.trace" -- sh -c "cat a" "--dir=$work/x" "$work.bak" "x$work" "it's $work:$work/" '' '%s') >out 2>err
expect_status 0 "$VALIDATE" judge --dry-run --rerun --with event words.trace
printf '%s\n' " 'sh' '-c' 'cat a' '--dir='\"\$home\"'/x' '$work.bak' 'x$work' 'it'\\''s '\"\$home\"':'\"\$home\"'/' '' '%s'" >want
grep -F "'sh' '-c' 'cat a'" out | cmp - want ||
	fail "$(grep -F "'sh' '-c' 'cat a'" out) and not $(cat want)"

# files of another time, and a command that ends with another status than in the trace
mkdir files
expect_status 3 "$VALIDATE" judge -q --rerun --files files --replicates 8 --with event -o otherwise app.trace
expect_line err 'the command ended with status 9'
cp -r 'w o/sub' 'w o/a' files
expect_verdict "$VALIDATE" judge -q --rerun --files files --replicates 8 --with event -o other app.trace

# refused, with a reason
expect_status 2 "$VALIDATE" judge --files files app.trace
expect_line err '--files needs --rerun'
expect_status 2 "$VALIDATE" judge --rerun --files no-such app.trace
expect_line err '--files no-such: there is no such directory'
printf 'pid,tid,begin,end,function,args,rvalue\n1,1,1000,2000,stat,path=f,0\n' >foreign.csv
expect_status 2 "$VALIDATE" judge --rerun foreign.csv
expect_line err 'lacks the command and its arguments'
expect_status 0 "$VALIDATE" slice -n 5 app.trace -o part.trace
expect_status 2 "$VALIDATE" judge --rerun part.trace
expect_line err 'lacks the command and its arguments'
(cd / && "$VALIDATE" capture app --snapshot -o "$trace" -- cat /etc/passwd) >out 2>err
expect_status 2 "$VALIDATE" judge --rerun app.trace
expect_line err 'a copy of the whole file system would be needed'

# a hostile trace: its command does not send escape sequences to the terminal, and its directory
# does not leave the target
printf 'x' >a
"$VALIDATE" capture app -o "$trace" -- cat a "$(printf 'q\033[2Jr')" >out 2>err || :
expect_status 0 "$VALIDATE" judge --dry-run --rerun app.trace
grep -q "$(printf '\033')" out && fail 'an escape sequence of the trace reached the terminal' || :
expect_line out 'cat a '
