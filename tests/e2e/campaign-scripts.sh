# SPDX-License-Identifier: GPL-3.0-or-later
# A campaign of workloads that make and remove files: every run begins with the same state, no run
# fails, and nothing is left over.
. "$SRCDIR/tests/e2e/lib.sh"

mkdir target
cat >scripts.conf <<'END'
[protocol]
replicates = 2
allow-undecidable = yes
bank = 1
min-duration = 2ms
settle = 0
keep = all
[target here]
dir = target
cache = warm
[workload fileserver]
level = 2
files = 100
file-size = 8K
append-size = 1K
anon-memory = 1M
requests = 10
[workload postmark]
files = 100
requests = 30
[workload compile]
files = 10
headers = 80
includes = 4
requests = 4
pause = 1ms
[replayer same]
engine = program
END
sed "s|^dir = .*|dir = $PWD/target|" scripts.conf >protocol.conf
"$VALIDATE" run protocol.conf -o results >out 2>err || status=$?
case ${status:-0} in
0 | 1 | 4) ;; # whatever two replicates can say
*)
	cat err >&2
	fail "status $status"
	;;
esac
[ -z "$(ls target)" ] || fail "left in the target: $(find target)"
# three recordings, and in each of three blocks (the first is not used) the program and its replayer for three workloads
[ "$(grep -c '"event":"run".*"state":"ok"' results/journal)" -eq 21 ] || fail "runs failed: $(grep '"event":"run"' results/journal)"
for workload in fileserver postmark compile; do
	expect_line out "$workload"
done

# every call returned the expected result: the whole state was restored between runs
n=$(find results -name '*.trace' | wc -l)
[ "$n" -ge 12 ] || fail "only $n traces were kept"
for trace in $(find results -name '*.trace'); do
	"$VALIDATE" info "$trace" --csv - | awk -F , -v name="$trace" 'NR > 1 && $(NF - 3) != "" && !/stat.*ENOENT/ { bad = 1; print name ": " $0 }
		END { exit bad }' || fail 'a call returned a wrong result'
done
