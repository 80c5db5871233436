# SPDX-License-Identifier: GPL-3.0-or-later
# validate slice: each filter against the result of awk on the CSV; merging; scaling; anonymised
# names.
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

# merging the parts gives the whole, except for its numbers
expect_status 2 "$VALIDATE" slice --begin 2ms --end 2ms app.trace -o none.trace
expect_line err '--end must be later'
expect_status 0 "$VALIDATE" slice --end 1500us app.trace -o a.trace
expect_status 0 "$VALIDATE" slice --begin 1500us app.trace -o b.trace
expect_status 0 "$VALIDATE" slice b.trace a.trace -o part.trace
compare app.csv

# parts store the time of their begin, although their first requests begin at 0: merged, they are
# the whole again
expect_status 0 "$VALIDATE" slice --begin 1500us --from-zero app.trace -o c.trace
[ "$("$VALIDATE" export -q --to csv c.trace -o - | sed -n 2p | cut -d, -f3)" -eq 0 ] || fail "the first request does not begin at 0"
expect_status 0 "$VALIDATE" slice c.trace a.trace -o part.trace
"$VALIDATE" export -q --to csv part.trace -o - | cut -d, -f3-7 | awk -F, -v OFS=, 'NR == 2 { t = $1 } NR > 1 { $1 -= t; $2 -= $2 == "" ? 0 : t } 1' >have
cut -d, -f3-7 app.csv | awk -F, -v OFS=, 'NR == 2 { t = $1 } NR > 1 { $1 -= t; $2 -= $2 == "" ? 0 : t } 1' >want
cmp want have || { diff want have | head >&2; fail "parts that begin at 0 are merged at other times"; }

# the members that fit several traces with objects of their own
expect_status 0 "$VALIDATE" slice --object '*/run/a,*/run/b' b.trace a.trace -o part.trace
"$VALIDATE" export -q --to csv part.trace -o - | cut -d, -f3-7 >have
grep -E '^pid|path=tmp/formats/run/[ab];' app.csv | cut -d, -f3-7 >want
cmp want have || fail "objects of two traces"

# names: equal keys give equal names, directories stay, and no original name remains
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

expect_status 2 "$VALIDATE" slice - <app.trace
expect_status 2 "$VALIDATE" slice --operation raed app.trace -o x.trace
expect_line err 'did you mean "read"?'
expect_status 2 "$VALIDATE" slice --thread x app.trace -o x.trace
expect_status 2 "$VALIDATE" slice --key key app.trace -o x.trace

# every place where a name can be: second paths, targets of links, attributes, peers, the list of
# files
cat >names.strace <<'S'
10 1.000001 rename("/home/alice/secret-a", "/home/alice/secret-b") = 0 <0.000001>
10 1.000002 link("/home/alice/secret-b", "/home/alice/dir/secret-c") = 0 <0.000001>
10 1.000003 symlink("../alice/secret-d", "/home/alice/secret-e") = 0 <0.000001>
10 1.000004 setxattr("/home/alice/secret-b", "user.secret-f", "secret-g", 8, 0) = 0 <0.000001>
10 1.000005 getxattr("/home/alice/secret-b", "secret-h", 0x1, 8) = -1 ENODATA (No data available) <0.000001>
10 1.000006 openat(AT_FDCWD</home/alice>, "secret-b", O_RDONLY) = 3</home/alice/secret-b> <0.000001>
10 1.000007 sendfile(4</home/alice/secret-i>, 3</home/alice/secret-b>, NULL, 100) = 100 <0.000001>
10 1.000008 write(5<UNIX:[12->13,"/run/secret-j"]>, "secret-k", 8) = 8 <0.000001>
10 1.000009 mkdirat(3</home/alice/secret-b>, "../x", 0755) = 0 <0.000001>
S
expect_status 0 "$VALIDATE" import -q names.strace -o names.trace
head -c 16 /dev/zero | tr '\0' k >key16
expect_status 0 "$VALIDATE" slice --anonymise --key key16 names.trace -o hidden.trace
grep -aEq 'secret|alice|home|run/' hidden.trace && fail "a name is left"
"$VALIDATE" export -q --to strace hidden.trace -o hidden.strace
hidden() { # TEXT: what it becomes
	printf %s "$1" | openssl dgst -sha256 -hmac kkkkkkkkkkkkkkkk | sed 's/.* //' | cut -c1-20
}
if command -v openssl >/dev/null; then
	home=$(hidden home)/$(hidden alice)
	expect_line hidden.strace "rename(\"/$home/$(hidden secret-a)\", \"/$home/$(hidden secret-b)\")"
	expect_line hidden.strace "symlink(\"../$(hidden alice)/$(hidden secret-d)\", \"/$home/$(hidden secret-e)\")"
	expect_line hidden.strace "\"user.$(hidden secret-f)\""
	expect_line hidden.strace "\"$(hidden secret-h)\""
	expect_line hidden.strace "4</$home/$(hidden secret-i)>"
fi
mkdir -p tree/secret-dir
echo x >tree/secret-dir/secret-file
ln -s secret-dir/secret-file tree/secret-link
expect_status 0 "$VALIDATE" capture app --snapshot --digests -o snap.trace -- cat tree/secret-link tree/secret-dir/secret-file
grep -aq 'secret-dir/secret-file' snap.trace || fail "nothing to hide in the list of files"
grep -aq '"sha256"' snap.trace || fail "no digest to hide"
expect_status 0 "$VALIDATE" slice --anonymise snap.trace -o hidden.trace
grep -aq secret hidden.trace && fail "a name is left in the list of files"
grep -aq sha256 hidden.trace && fail "a digest of content is left"
grep -aq '"link"' hidden.trace || fail "the list of files has no link any more"

# Merged traces: equal names must mean equal files, and the metadata must hold for all traces.
mkdir -p one two
echo aaa >one/f
echo bbbb >two/g
expect_status 0 "$VALIDATE" capture app --root "$PWD/one" -o one.trace -- cat one/f
expect_status 0 "$VALIDATE" capture app --root "$PWD/two" -o two.trace -- cat two/g
expect_status 3 "$VALIDATE" slice one.trace two.trace -o both.trace
expect_line err "relative to different directories, $PWD/one and $PWD/two"
printf '128166372003061629,usr,0,Read,4096,512,1000\n128166372003071629,usr,0,Write,0,512,900\n' >disk.msr
expect_status 3 "$VALIDATE" slice app.trace disk.msr -o both.trace
expect_line err 'one has requests of a block device, and the other has system calls'
expect_status 3 "$VALIDATE" import one.trace disk.msr -o both.trace
[ ! -e both.trace ] || fail "traces that cannot be merged were written"

fact() { # TRACE FILTER
	"$VALIDATE" info --json "$1" | jq -r "$2"
}
exec 7<one/f
expect_status 0 "$VALIDATE" capture app --snapshot --root "$PWD" -o one.trace -- cat one/f
exec 7<&- 8<two/g
expect_status 0 "$VALIDATE" capture app --snapshot --root "$PWD" -o two.trace -- cat two/g
exec 8<&-
expect_status 0 "$VALIDATE" slice one.trace two.trace -o both.trace
[ "$(fact both.trace .state_known)" = false ] || fail "the files of the first trace count as those of both"
"$VALIDATE" info both.trace >out
expect_line out 'State      unknown'
for name in one/f two/g; do
	grep -aq "\"path\":\"$name\"" both.trace || fail "the merged trace lacks the inherited descriptor of $name"
done
# parts of one trace state the same files
expect_status 0 "$VALIDATE" slice -n 2 one.trace -o a.trace
expect_status 0 "$VALIDATE" slice --skip 2 one.trace -o b.trace
expect_status 0 "$VALIDATE" slice a.trace b.trace -o both.trace
[ "$(fact both.trace .state_known)" = true ] || fail "parts of one trace lose their files"
# captured content is found by the numbers of the requests
expect_status 0 "$VALIDATE" capture app --content -o one.trace -- sh -c 'echo 1 >o1; echo 2 >o2'
expect_status 0 "$VALIDATE" slice one.trace -o a.trace
cp one.trace.content a.trace.content
mkdir content
expect_status 0 "$VALIDATE" replay --prepare --payload captured --dir content a.trace
expect_status 0 "$VALIDATE" slice --renumber one.trace -o a.trace
expect_status 3 "$VALIDATE" replay --prepare --payload captured --dir content a.trace
expect_line err 'the trace has no captured content'

# The initial files of a slice: a file is not in the list if a request that was left out changed its
# length or name before a kept request. A replay infers its state.
mkdir tree2
for name in grown cut moved replaced copied same later linked; do
	head -c 10 /dev/zero >"tree2/$name"
done
ln tree2/linked tree2/linked2
cat >changes.py <<'P'
import os
def all_of(name):
    fd = os.open("tree2/" + name, os.O_RDWR)
    data = os.read(fd, 4096)
    os.close(fd)
    return data
os.stat("tree2/moved")
os.stat("tree2/linked2")
same, copied = os.open("tree2/same", os.O_RDWR), os.open("tree2/copied", os.O_RDWR)
os.pwrite(same, b"x" * 10, 0)
for name in ("grown", "linked"):
    fd = os.open("tree2/" + name, os.O_WRONLY | os.O_APPEND)
    os.write(fd, b"y" * 90)
    os.close(fd)
os.truncate("tree2/cut", 4)
os.rename("tree2/moved", "tree2/replaced")
os.copy_file_range(same, copied, 10, 0, 90)
os.access("tree2/same", os.F_OK)
for name in ("grown", "cut", "replaced", "copied", "same", "linked2"):
    all_of(name)
os.truncate("tree2/later", 5)
P
expect_status 0 "$VALIDATE" capture app --snapshot --root "$PWD/tree2" -o whole.trace -- python3 -S -E changes.py
when() { # OPERATION NAME: time of its first request since the first request
	"$VALIDATE" info whole.trace --csv - | awk -F, -v op="$1" -v name="path=$2" 'NR == 2 { t = $3 } $5 == op && index($6, name) { print $3 - t "ns"; exit }'
}
expect_status 0 "$VALIDATE" slice --begin "$(when access same)" --end "$(when truncate later)" whole.trace -o part.trace
mkdir again2
expect_status 0 "$VALIDATE" replay --prepare --dir again2 part.trace
expect_line out 'mismatches      0'
[ "$(stat -c %s again2/later)" -eq 10 ] || fail "a later change counts as one before the slice"
[ "$(stat -c %s again2/same)" -eq 10 ] || fail "a file of equal length is not in the list"
"$VALIDATE" info part.trace >out
expect_line out 'State      known: 2 files'
