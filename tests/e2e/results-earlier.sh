# SPDX-License-Identifier: GPL-3.0-or-later
# A results directory of version 0.1.0 stays readable; a directory of an unknown version is refused by name.
# tests/data/results/campaign-0.1.0.tar.gz: protocol of one scenario and 8 replicates, made by version 0.1.0.
. "$SRCDIR/tests/e2e/lib.sh"

earlier() { # makes DIR campaign-0.1.0 anew
	rm -rf campaign-0.1.0
	gzip -dc "$SRCDIR/tests/data/results/campaign-0.1.0.tar.gz" | tar xf -
}
earlier
expect_status 4 "$VALIDATE" report campaign-0.1.0
expect_line out 'Trusted in 0 of 1 case'
# the estimates that version 0.1.0 printed of these runs
grep -q '^random-read  -19 % .* 0\.9 .* -19 % ' out || fail "other estimates: $(cat out)"
# what the earlier version did not record is named
expect_words out 'The results are not sealed: an earlier version of validate wrote part of them'
tr -s '\n ' ' ' <out | grep -qF 'Not assessed or not applicable: typical response, shape, tail, bias by operation, bias by half,' ||
	fail "the components without data are not named: $(cat out)"

# versions that this program does not know
for file in environment.json plan.json; do
	earlier
	sed -i '1,3s/"version": *1\([,}]\)/"version":99\1/' campaign-0.1.0/$file
	expect_status 3 "$VALIDATE" report campaign-0.1.0
	expect_line err "$file"
	expect_line err 99
done
