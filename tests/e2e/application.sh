# SPDX-License-Identifier: GPL-3.0-or-later
# long: 14 s
# Programs as scenarios: captured while they run, run again in every block, and replayed by every
# engine without a mismatch. A missing program is named and does not affect other scenarios. Nothing
# is left, and the results directory is enough to measure again.
. "$SRCDIR/tests/e2e/lib.sh"

mkdir -p given/programs
cp "$SRCDIR/protocols/workloads/lib.sh" given/programs/
cat >given/programs/copy.sh <<'END'
#!/bin/sh
name=copy needs='cat tar awk'
. "$(dirname "$0")/lib.sh"
prepare() {
	random $((100 * (size + 1))) 5 >numbers
	mkdir to
}
run() {
	cat numbers >to/first
	tar cf to/all.tar numbers
	rm to/first
	mv to/all.tar to/kept.tar
}
main "$@"
END
cat >given/programs/lacking.sh <<'END'
#!/bin/sh
name=lacking needs='a-program-that-nobody-has'
. "$(dirname "$0")/lib.sh"
prepare() { :; }
run() { :; }
main "$@"
END
cat >given/p.conf <<'END'
[protocol]
replicates = 3
allow-undecidable = yes
bank = 2
settle = 1ms
[target here]
cache = cold
[workload copy]
type = program
script = programs/copy.sh
size = 0, 1
[workload lacking]
type = program
script = programs/lacking.sh
[replayer event]
order = temporal, fs
[replayer coordinator]
engine = coordinator
order = fs
[replayer again]
engine = program
END
observed='"own":{"mean_ns":[0-9.e+]*,"observed_share":0\.[0-9]*[1-9]'
if [ -n "${SANITIZE-}" ]; then # a sanitized program does not run with a preloaded library
	sed -i 's/^script = programs.copy.sh/&\nobserve = own/' given/p.conf
	observed=
fi
expect_status 0 "$VALIDATE" run given/p.conf --dry-run
expect_line out '3 scenarios, 4 replayers'
expect_verdict "$VALIDATE" run given/p.conf -o results --quiet

# every replay of the existing program was made, and had the results of the program
grep -q '"event":"run"' results/journal || fail 'no runs'
for id in $(sed -n 's/.*"event":"run","run":\([0-9]*\),"state":"ok".*/\1/p' results/journal); do
	file=$(printf 'results/runs/%06d.json' "$id")
	grep -q '"scenario":"copy' "$file" || fail "$file is of another scenario"
	case $(cat "$file") in
	*'"role":"event'* | *'"role":"coordinator'*)
		grep -q "$observed" "$file" || fail "$file: not observed: $(grep -o '"own".*' "$file")"
		for count in n_lost n_extra n_mismatched; do
			grep -q "\"$count\":0[,}]" "$file" || fail "$file: $count"
		done
		;;
	esac
done
n_ok=$(grep -c '"event":"run".*"state":"ok"' results/journal)
[ "$n_ok" -eq $((2 * 2 + 2 * 4 * 5)) ] || fail "$n_ok runs: $(grep '"state":"failed"' results/journal | grep copy | head -n 2)"

# the missing program is named
expect_line out 'a-program-that-nobody-has is not installed'

# nothing is left over, and the data for a new measurement are complete
[ "$(ls -d results/validate-* 2>/dev/null)" = '' ] || fail "left: $(ls -d results/validate-*)"
cmp -s given/programs/copy.sh results/programs/copy.sh || fail 'no script in the results directory'
cmp -s given/programs/lib.sh results/programs/lib.sh || fail 'no lib.sh in the results directory'
rm -r given
sed -i '/^\[workload lacking\]/,/^script/d; s/^size = 0, 1/size = 0/; s/^replicates = 3/replicates = 2/' results/protocol.conf
cp -r results/programs results/protocol.conf .
expect_verdict "$VALIDATE" run protocol.conf -o again --quiet

# errors are reported before anything starts
refused() { # SED-SCRIPT WANTED
	sed "$1" protocol.conf >bad.conf
	expect_status 2 "$VALIDATE" run bad.conf --dry-run
	expect_line err "$2"
}
refused 's/^script = .*//' 'the key "script" is missing'
refused 's/^script = .*/script = ..\/copy.sh/' 'in the protocol'
refused 's/^script = .*/script = \/bin\/copy.sh/' 'in the protocol'
refused 's/^size = 0/level = 0/' 'level'
refused 's/^type = program/type = program, random-read/' 'script'
refused 's/^cache = cold/cache = cold\ncache-budget = 16M/' 'cache-budget'
sed 's/^script = .*/script = programs\/none.sh/' protocol.conf >none.conf
expect_status 3 "$VALIDATE" run none.conf -o none --quiet
expect_line err programs/none.sh
