# SPDX-License-Identifier: GPL-3.0-or-later
# validate slice: each filter against what awk finds in the CSV; merging; scaling; names hidden.
. "$SRCDIR/tests/e2e/lib.sh"
data=$SRCDIR/tests/data/formats

expect_status 0 "$VALIDATE" import -q "$data/strace-ns.strace" -o app.trace
"$VALIDATE" export -q --to csv app.trace -o app.csv
compare() { # FILE: what awk expected
	"$VALIDATE" export -q --to csv part.trace -o part.csv
	cmp "$1" part.csv || { diff "$1" part.csv | head >&2; fail "the slice is another"; }
}
first=$(awk -F, 'NR == 2 { print $3 }' app.csv)

expect_status 0 "$VALIDATE" slice app.trace -o part.trace
compare app.csv
expect_status 0 "$VALIDATE" slice --begin 1ms --end 2ms app.trace -o part.trace
awk -F, -v t="$first" 'NR == 1 || ($3 - t >= 1e6 && $3 - t < 2e6)' app.csv >want
[ "$(wc -l <want)" -gt 3 ] || fail "nothing to compare"
compare want
tid=$(awk -F, 'NR > 1 && $2 != $1 { print $2; exit }' app.csv)
expect_status 0 "$VALIDATE" slice --thread "$tid" app.trace -o part.trace
awk -F, -v t="$tid" 'NR == 1 || $2 == t' app.csv >want
compare want
expect_status 0 "$VALIDATE" slice --operation write,fsync --skip 1 -n 3 app.trace -o part.trace
awk -F, 'NR == 1 || ($5 ~ /^p?writev?$|^fsync$/ && ++n > 1 && n <= 4)' app.csv >want
compare want
expect_status 0 "$VALIDATE" slice --object '*/run/a,*/run/b' app.trace -o part.trace
grep -E '^pid|path=tmp/formats/run/[ab];' app.csv >want
compare want

expect_status 0 "$VALIDATE" slice --scale 2 --from-zero app.trace -o part.trace
"$VALIDATE" export -q --to csv part.trace -o - | cut -d, -f3,4 >have
awk -F, -v t="$first" -v OFS=, 'NR == 1 { print $3, $4 } NR > 1 { b = 2 * ($3 - t); print b, b + $4 - $3 }' app.csv >want
cmp want have || fail "scaled times differ"

# merging what was split gives the whole, but for its numbers
expect_status 0 "$VALIDATE" slice --end 1500us app.trace -o a.trace
expect_status 0 "$VALIDATE" slice --begin 1500us app.trace -o b.trace
expect_status 0 "$VALIDATE" slice b.trace a.trace -o part.trace
compare app.csv

# names: the same key gives the same, directories stay, nothing of them is left
printf '0123456789abcdef' >key
expect_status 0 "$VALIDATE" slice --anonymise --key key app.trace -o part.trace
expect_status 0 "$VALIDATE" slice --anonymise --key key app.trace -o again.trace
"$VALIDATE" export -q --to csv part.trace -o part.csv
"$VALIDATE" export -q --to csv again.trace -o again.csv
cmp part.csv again.csv || fail "the same key, other names"
part=$(printf run | openssl dgst -sha256 -hmac 0123456789abcdef 2>/dev/null | sed 's/.* //' | cut -c1-20) || part=
[ -z "$part" ] || expect_line part.csv "/$part/"
grep -aq formats part.trace && fail "a name is left"
names() { # FILE: how many there are
	sed -n 's/.*path=\([^;]*\)[;"].*/\1/p' "$1" | sort -u | wc -l
}
[ "$(names app.csv)" -eq "$(names part.csv)" ] || fail "another number of names"
printf short >key
expect_status 3 "$VALIDATE" slice --anonymise --key key app.trace -o x.trace
expect_line err '16 bytes'

expect_status 2 "$VALIDATE" slice app.trace
expect_status 2 "$VALIDATE" slice --operation raed app.trace -o x.trace
expect_line err 'did you mean "read"?'
expect_status 2 "$VALIDATE" slice --thread x app.trace -o x.trace
expect_status 2 "$VALIDATE" slice --key key app.trace -o x.trace
