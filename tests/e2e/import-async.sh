# SPDX-License-Identifier: GPL-3.0-or-later
# strace's text of a program with libaio: the trace has each of fio's requests with begin, end and
# result, and can be replayed.
. "$SRCDIR/tests/e2e/lib.sh"
command -v fio >/dev/null && command -v strace >/dev/null && strace -o probe true 2>/dev/null || skip 'fio, or strace, is not to be had here'
mkdir in
cd in
for depth in 1 8; do
	rm -f file
	strace -f -ttt -T -y -o ../strace fio --name=job --filename=file --size=1m --bs=4k --rw=randrw --ioengine=libaio --direct=0 --iodepth=$depth \
		--fsync=16 --thread --output-format=json --output=../fio.json >../out 2>&1 || fail "fio under strace: $(cat ../out)"
	"$VALIDATE" import ../strace -o ../whole.trace >../out || fail "import: $(cat ../out)"
	! grep -E 'are shown|never end|whose beginning' ../out || fail "depth $depth: $(cat ../out)"
	"$VALIDATE" slice ../whole.trace --object "$(echo "$PWD" | cut -c 2-)/file" -o ../trace >../out
	"$VALIDATE" info ../trace --csv ../csv >../out
	for kind in read write; do
		n=$(jq ".jobs[0].$kind.total_ios" ../fio.json)
		[ "$n" -gt 0 ] && [ "$(grep -c ",aio_$kind,\"path=[^\"]*/in/file;fd=[0-9]*;offset=[0-9]*;length=4096\",4096,," ../csv)" -eq "$n" ] ||
			fail "$n of fio's ${kind}s: $(head -n 40 ../csv)"
	done
	rm -rf ../again
	mkdir ../again
	"$VALIDATE" replay --prepare --dir ../again --order temporal ../trace >../out || fail "replay: $(cat ../out)"
	grep -q 'mismatches      0' ../out || fail "replay at depth $depth: $(cat ../out)"
done
