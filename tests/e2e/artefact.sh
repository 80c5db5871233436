# SPDX-License-Identifier: GPL-3.0-or-later
# long: 20 s
# The reference campaigns of doc/reference are small, complete and sealed, and contain no name of a
# machine. The texts of doc/samples have the wording of this program. `make paper-tables` prints
# every table and figure of doc/artefact.md from the campaigns: each published value as the paper
# prints it, beside a measured value.
. "$SRCDIR/tests/e2e/lib.sh"
reference=$SRCDIR/doc/reference

(cd "$reference" && sha256sum --quiet -c SHA256SUMS) || fail 'an archive has another digest'
[ "$(wc -l <"$reference/SHA256SUMS")" -eq "$(ls "$reference"/*.gz | wc -l)" ] || fail 'an archive without a digest'
for archive in "$reference"/*.tar.gz; do
	name=$(basename "$archive" .tar.gz)
	[ "$(wc -c <"$archive")" -lt 5000000 ] || fail "$name is too large"
	tar -xzf "$archive" --no-same-owner
	case $name in
	quick) # it decides nearly every case
		expect_verdict "$VALIDATE" report "$name" --format markdown
		expect_line out '11 of 16 cases trusted, 4 not trusted, 1 inconclusive'
		;;
	*)
		expect_verdict "$VALIDATE" report "$name"
		expect_line out 'Scenario, replayer'
		;;
	esac
	[ -s "$name/report/index.html" ] || fail "no page of $name"
	expect_status 0 "$VALIDATE" report "$name" --verify
	! grep -lE '["= ]/(root|home|work|build|tmp)/' "$name/environment.json" "$name/journal" \
		"$name"/*.conf || fail "$name names a machine"
	grep -q '"reference"' "$name/environment.json" || fail "$name has another host"
done
# the wording of the samples; numbers may differ in a last digit on another CPU
wording() {
	tr -s ' \n' '  ' <"$1" | sed 's/[0-9][0-9.]*/N/g'
}
for name in quick fio parallel; do
	COLUMNS=80 expect_verdict "$VALIDATE" report "$name" --redact -o "$name-shown"
	[ "$(wording out)" = "$(wording "$SRCDIR/doc/samples/$name.txt")" ] ||
		fail "doc/samples/$name.txt is not what the program prints: run doc/samples/make $name"
	[ "$(LC_ALL=C.UTF-8 wc -L <"$name-shown/report/certificate.txt")" -le 100 ] ||
		fail "the certificate of $name is wider than 100 columns"
done
# the glossary in the page has every term and every source of the document
sed '1,/id="glossary"/d' quick-shown/report/index.html >glossary
[ "$(grep -c '^<dt>.*</dt><dd>.*\[.*\]</span></dd>$' glossary)" -eq "$(sed '1,/^|---/d' "$SRCDIR/doc/glossary.md" | grep -c '^|')" ] || fail 'the glossary lacks terms'
[ "$(grep -c '^<li>.*</li>$' glossary)" -eq "$(grep -c '^- ' "$SRCDIR/doc/glossary.md")" ] || fail 'the glossary lacks sources'
gzip -d <"$reference/compare.json.gz" >compare.json
! grep -E '["= ]/(root|home|work|build|tmp)/' compare.json || fail 'compare.json names a machine'
COLUMNS=80 expect_status 1 "$VALIDATE" compare compare.json
[ "$(wording out)" = "$(wording "$SRCDIR/doc/samples/compare.txt")" ] ||
	fail 'doc/samples/compare.txt is not what the program prints: run doc/samples/make compare'

# a change is found
cp -r fileserver changed
sed -i 's/"state":"ok"/"state":"OK"/' changed/journal
expect_status 3 "$VALIDATE" report changed --verify

expect_status 0 "$reference/tables" "$VALIDATE" paper
for table in II III IV V VI VII; do
	grep -q "^Table $table " out || fail "no table $table"
done
for figure in 3 4 5; do
	grep -q "^Figure $figure " out || fail "no figure $figure"
done
grep -q '^Findings ' out || fail 'no findings'
# as printed in the paper: F of the event-based replayer, the bias, U with pauses, and the file server
row() { # TABLE, WORDS of the row in their order
	sed -n "/^Table $1 /,/^$/p" out | grep -E "$2" >row || fail "no row \"$2\" in table $1: $(sed -n "/^Table $1 /,/^$/p" out | head)"
	# the measured value is a number
	grep -Eq '[0-9]( [µmn]?s| %)?( \[.*\])?$' row || fail "no measured value: $(cat row)"
}
row II 'sequential-read( level=1)? +original +F +0.3000 '
row III 'sequential-read( level=1)? +original .* 0.9000 % '
row IV 'sequential-read( level=1)? +original .* 108.1 % '
row V 'random-write( level=1)? +compiled +2 u_c +1.400 % '
row VI 'random-read +timed +2 u_c +4.900 % '
row VII 'event balloon=off +bias .read. +-59.10 % +-'
[ -s paper/report-microbenchmark/report/index.html ] || fail 'no page with the figures'
# some tables; own campaigns; an archive that was changed
TABLES='II VII' expect_status 0 "$reference/tables" "$VALIDATE" own fileserver
[ "$(grep '^Table\|^Figure' out | cut -d ' ' -f 1-2)" = 'Table VII' ] || fail "not what was asked for: $(grep '^Table\|^Figure' out)"
cp -r "$reference" copy
printf x >>copy/fileserver.tar.gz
expect_status 1 copy/tables "$VALIDATE" paper
