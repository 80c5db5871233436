# SPDX-License-Identifier: GPL-3.0-or-later
# long: 15 s
# The certificate: statements that only people can make, facts about the machine, the digests, a
# signature, and the XML of a digital calibration certificate.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

tiny tiny.conf 'issuer = Storage group' 'place = Room 7'
sed -i 's/^level = .*/level = 1/' tiny.conf
expect_verdict "$VALIDATE" run tiny.conf -o results -q
verdict=$status
certificate=results/report/certificate.txt

# without a certified standard it is a statement and no certificate, and names no standard
expect_line $certificate 'Validation statement: event'
! grep -q '^Certificate' $certificate || fail 'a certificate without a certified standard'
expect_line $certificate 'issuer: Storage group; place of the measurement: Room 7; date of issue: not stated'
expect_line $certificate 'certified standard: none'
expect_line $certificate ' of at most 5 %'
expect_line $certificate 'page 2 of 2'
number="$(sha256sum <results/journal | cut -c1-12)-2"
[ "$(grep -c "No. $number" $certificate)" -eq 2 ] || fail "number $number is not at head and end"
[ "$(tail -n 1 $certificate)" = "End of No. $number" ] || fail "no end mark: $(tail -n 1 $certificate)"
expect_line $certificate 'Program, mean'
grep -q '^reads\( level=1\)\{0,1\}, \(inconclusive\|not trusted\): ' $certificate ||
	grep -q '^Trusted: 1 of 1' $certificate || fail 'no reason for a scenario that is not trusted'

# what the command line states
expect_status "$verdict" "$VALIDATE" report results --issued 2026-01-31 --issuer 'A & B' --place C
expect_line $certificate 'issuer: A & B; place of the measurement: C; date of issue: 2026-01-31'
for date in 2026-02-30 31.01.2026 2026-1-3 today; do
	expect_status 2 "$VALIDATE" report results --issued $date
	expect_line err 'is not a date'
done
expect_status "$verdict" "$VALIDATE" report results

# based on a certified standard
cp -r results standard
sed -i 's/^issuer = .*/standard = time base 12, certificate 3456 of 2026/' standard/protocol.conf
unseal standard
expect_status "$verdict" "$VALIDATE" report standard --certificate
expect_line out 'Certificate of method validation: event'
expect_line out 'certified standard: time base 12'
expect_line out 'not sealed'

# the chain has the observer, and the correction for its bias
chain() { # DIR
	tr -s ' \n' ' ' <"$1/report/certificate.txt"
}
chain results | grep -q 'of program and replays measured by stamps of program and replayer, not corrected for the bias of capture' || fail "$(chain results)"
cp -r results corrected
for run in corrected/runs/*.json; do
	jq -c '.summary.correction_u_ns = 1500' "$run" >run.json
	mv run.json "$run"
done
unseal corrected
expect_verdict "$VALIDATE" report corrected
chain corrected | grep -q 'corrected for the bias of capture (standard uncertainty 1.5 us)' || fail "$(chain corrected)"

# stolen time is a deviation
cp -r results stolen
sed -i 's/"stolen":[0-9.e-]*/"stolen":0.35/' stolen/journal
unseal stolen
expect_status "$verdict" "$VALIDATE" report stolen --certificate
expect_line out 'the hypervisor took 35 %'

# --verify: a complete certificate; another certificate; changed results; results without digests
expect_status 0 "$VALIDATE" report results --verify
expect_line out "journal SHA-256 $(sha256sum <results/journal | cut -c1-64)"
expect_status 3 "$VALIDATE" report results --verify --issued 2026-01-31
cp -r results changed
sed -i 's/trusted, 0 not/trusted, 9 not/' changed/report/certificate.txt
expect_status 3 "$VALIDATE" report changed --verify
expect_line err 'changed/report/certificate.txt differs'
rm -r changed
cp -r results changed
find changed -type f -exec sha256sum {} + >before
sed -i 's/"mean":\([0-9]\)/"mean":1\1/' changed/runs/000012.json
expect_status 3 "$VALIDATE" report changed --verify
expect_line err 'runs/000012.json was changed'
cp results/runs/000012.json changed/runs/000012.json
expect_status 0 "$VALIDATE" report changed --verify
sha256sum -c --quiet before || fail '--verify changed a file'
expect_status "$verdict" "$VALIDATE" report stolen
expect_status 4 "$VALIDATE" report stolen --verify
expect_line err 'not sealed'

# a detached signature, as doc/certificate.md describes it
if command -v ssh-keygen >/dev/null; then
	ssh-keygen -q -t ed25519 -N '' -C lab@example.org -f key
	ssh-keygen -Y sign -f key -n validate-certificate $certificate 2>/dev/null || fail 'not signed'
	echo "lab@example.org $(cut -d' ' -f1,2 key.pub)" >signers
	check() {
		ssh-keygen -Y verify -f signers -I lab@example.org -n validate-certificate \
			-s $certificate.sig <"$1" >out 2>&1
	}
	check $certificate || fail "the signature: $(cat out)"
	sed 's/inconclusive/trusted/; s/Room 7/Room 8/' $certificate >forged
	! check forged || fail 'a forged certificate has a good signature'
	rm $certificate.sig
fi

# XML: well-formed, and valid if DCC_SCHEMA names dcc.xsd of PTB
expect_status "$verdict" "$VALIDATE" report results --format dcc --issued 2026-01-31 --issuer 'A <&> B'
if command -v xmllint >/dev/null; then
	consumer_accepts dcc out
	value() {
		xmllint --xpath "string($1)" out
	}
	[ "$(value 'count(//*[local-name()="item"])')" = 2 ] || fail 'not an item for each replayer'
	[ "$(value 'count(//*[local-name()="result"])')" = 2 ] || fail 'not a result for each case'
	value '//*[local-name()="calibrationLaboratory"]//*[local-name()="name"]' | grep -qF 'A <&> B' ||
		fail 'not its issuer'
	seconds=$(value '(//*[local-name()="result"]//*[local-name()="value"])[1]')
	awk -v s="$seconds" 'BEGIN { exit !(s > 1e-7 && s < 1) }' || fail "a mean of $seconds s"
	# few blocks: a quantile of Student's t, not the 1.96 of a normal distribution
	bias='(//*[local-name()="coverageInterval"])[1]'
	awk -v lo="$(value "$bias/*[local-name()='intervalMin']")" \
		-v hi="$(value "$bias/*[local-name()='intervalMax']")" \
		-v u="$(value "$bias/*[local-name()='standardUnc']")" \
		'BEGIN { k = (hi - lo) / 2 / u; print k; exit !(k > 2.1 && k < 13) }' >k ||
		fail "the interval is $(cat k) standard uncertainties wide"
fi

# a directory that cannot be written: every printed form works, and -o serves the others
expect_status "$verdict" "$VALIDATE" report results
expect_status "$verdict" "$VALIDATE" report results -o elsewhere
diff -r results/report elsewhere/report >log || fail "-o writes other bytes: $(head -n 3 log)"
expect_line out 'elsewhere/report/index.html'
if [ "$(id -u)" -ne 0 ]; then
	chmod a-w results
	reports() { "$VALIDATE" report results "$@"; }
elif unshare -m sh -c 'mount --bind results results && mount -o remount,ro,bind results' 2>/dev/null; then
	reports() {
		unshare -m sh -c 'mount --bind results results && mount -o remount,ro,bind results && exec "$@"' \
			sh "$VALIDATE" report results "$@"
	}
else
	skip 'neither an ordinary user nor able to mount: no read-only directory'
fi
for form in $("$VALIDATE" report --list | cut -d' ' -f1); do
	expect_status "$verdict" reports --format "$form"
	expect_line err 'only printed'
	case $form in
	html) cmp -s results/report/index.html out ;;
	json) cmp -s results/report/report.json out ;;
	certificate) cmp -s results/report/certificate.txt out ;;
	csv | dcc | junit)
		mv out printed
		expect_status "$verdict" "$VALIDATE" report results --format "$form"
		cmp -s printed out
		;;
	esac || fail "read-only: $form is another text"
done
expect_status 0 reports --verify
rm -r elsewhere
expect_status "$verdict" reports -o elsewhere
diff -r results/report elsewhere/report >log || fail "read-only: $(head -n 3 log)"
