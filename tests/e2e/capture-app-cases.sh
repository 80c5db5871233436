# SPDX-License-Identifier: GPL-3.0-or-later
# capture app on programs that were written for it: no call is lost, however a program ends;
# asynchronous requests; calls that cannot be observed are reported; programs with other privileges
# are refused; programs that close all descriptors or start children without an environment.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}
programs=$SRCDIR/tests/programs
$compiler -w -O1 -o cases "$programs/cases.c" -pthread -ldl || fail 'cases.c does not compile'
mkdir in
cd in

capture() {
	rm -rf ./*
	expect_status 0 "$VALIDATE" capture app -o ../trace --root . -- "$@"
	"$VALIDATE" info ../trace --csv ../csv >/dev/null
	"$VALIDATE" info ../trace >../info
	has ../info 'Lost       no events'
}
has() {
	grep -qF -- "$2" "$1" || {
		cat "$1" >&2
		fail "$1 has no line with: $2"
	}
}
count() { # number of lines of the trace that match
	grep -c "$1" ../csv || true
}

# every call that had returned is in the trace, however the program ended
for how in crash abort kill exit; do
	capture ../cases "$how"
	[ "$(count ',pread,')" -eq 1000 ] || fail "$(count ',pread,') of 1000 reads are in the trace of a program that ended by $how"
done
# many more calls than fit into the buffers; each with its offset and in its order
capture ../cases many
[ "$(count ',pread,')" -eq 400000 ] || fail "$(count ',pread,') of 400000 reads are in the trace"
awk -F '[;,=]' 'NR > 1 && /,pread,/ { for (i = 1; i < NF; i++) if ($i == "offset") { if ($(i + 1) != n++ % 4096) exit 1 } }' ../csv ||
	fail 'the reads are out of order'
awk -F , 'NR > 2 && ($3 < last || $4 < $3) { exit 1 } { last = $3 }' ../csv || fail 'times go backwards'

# the child of a vfork has its own number and descriptors; the parent's are unchanged
capture ../cases vforks
[ "$(cut -d , -f 1 ../csv | sort -u | grep -c '^[0-9]')" -eq 3 ] || fail 'a program and two children of vfork are three processes'
has ../csv '"path=vforked;fd=40;offset=0;length=30",30'
! grep -q 'path=vforked;fd=40;offset=0;length=1"' ../csv || fail "the parent has the child's descriptor"

# programs that were started without the variables of capture are recorded
capture ../cases execs
for name in d/e many/3 shell kept; do
	has ../csv "path=$name;"
done
! grep -q 'not captured (' out || fail "$(cat out)"
has ../csv '"path=kept;fd=33;offset=0;length=10",10'

# positions are followed through copies, and through a fork
capture ../cases data
has ../csv ',write,"path=copy;fd=60;offset=1000;length=10",10'
has ../csv ',readv,"path=data;fd=3;offset=0;length=301;heap=6400000000000000c8000000000000000100000000000000",301'
capture ../cases forks
for at in 0 100 200 300; do
	has ../csv ",read,\"path=forked;fd=3;offset=$at;length=100\",100"
done
capture ../cases maps
has ../csv ',mmap,"path=map;fd=3;offset=0;length=16384;flags=0x60000001"'
[ "$(count ',munmap,"path=map;')" -eq 2 ] || fail 'two parts of one mapping were unmapped'
[ "$(count ',munmap,')" -eq 2 ] || fail 'memory without a file is in the trace'
capture ../cases shrinks
has ../csv ',mremap,"path=map;'
[ "$(count ',munmap,"path=map;.*length=4096"')" -eq 1 ] && [ "$(count ',munmap,')" -eq 1 ] || fail 'a mapping that shrank is complete'
capture ../cases streams
for call in fopen,\"path=stream fprintf fputs fputc fwrite fflush fseek fscanf fgets fgetc ungetc ftell fread fclose getdelim setvbuf; do
	has ../csv ",$call"
done
expect_status 0 "$VALIDATE" capture app -o ../trace --no-characters --root . -- ../cases streams
"$VALIDATE" info ../trace --csv ../csv >/dev/null
[ "$(count ',fgetc,\|,fputc,\|,ungetc,')" -eq 0 ] || fail 'characters are not left out'
# wide-character functions, plain and fortified: equal records
want='fopen fprintf fputs fputc fseek fscanf fgets fgets fgetc ungetc fgetc fgetc fgets fclose'
$compiler -w -O2 -D_FORTIFY_SOURCE=2 -o ../fortified "$programs/cases.c" -pthread -ldl || fail 'cases.c does not compile fortified'
for program in ../cases ../fortified; do
	capture $program wide
	has ../csv ',fgets,"path=wide;fd=3;length=100",0'
	got=$(grep 'path=wide' ../csv | cut -d , -f 5 | tr '\n' ' ')
	[ "${got% }" = "$want" ] || fail "$program, wide characters: $got"
done
capture ../cases signals
capture ../cases clones
[ "$(count ',pread,')" -eq 200 ] || fail 'the reads of cloned children are missing'

# asynchronous requests: each is one record, from submission to result
if $compiler -w -O1 -o ../aio "$programs/aio.c" -pthread -laio 2>/dev/null; then
	for kind in libaio posix; do
		capture ../aio "$kind"
		[ "$(count ',aio_read,\|,aio_write,')" -eq "$([ $kind = libaio ] && echo 100 || echo 11)" ] || fail "requests of $kind"
		[ "$(count ',aio_write,"path=aio;fd=3;offset=4096;length=4096",4096,')" -eq 1 ] || fail "a write of $kind"
	done
else
	echo 'asynchronous requests are not tried: no libaio to compile with'
fi

# statically linked: refused as the command, and reported if another program starts it
if $compiler -w -static -O1 -o ../static -x c - <<'END' 2>/dev/null; then
int main(void) { return 0; }
END
	expect_status 3 "$VALIDATE" capture app -o ../none -- ../static
	expect_line err 'statically linked'
	expect_status 0 "$VALIDATE" capture app -o ../trace -- sh -c '../static; true'
	expect_line out '1 run of a program not captured'
	expect_line out 'static'
fi
[ ! -e ../none ] || fail 'a refused command left a trace'

# set-user-ID and similar programs: refused before the start
if [ "$(id -u)" -eq 0 ] && chown 65534 ../cases 2>/dev/null; then
	chmod u+s ../cases
	expect_status 6 "$VALIDATE" capture app -o ../none -- ../cases data
	expect_line err 'setuid'
	[ ! -e data.new ] && [ ! -e ../none ] || fail 'it was started'
fi

# no space for the buffers: calls are counted as lost, and the command is not disturbed
if [ "$(id -u)" -eq 0 ] && mkdir ../small && mount -t tmpfs -o size=1m none ../small 2>/dev/null; then
	$compiler -w -O1 -o ../burst "$programs/cases.c" -pthread -ldl
	status=0
	"$VALIDATE" capture app --scratch ../small -o ../trace --root . -- ../burst many >out 2>err || status=$?
	umount ../small
	[ "$status" -eq 0 ] || fail "status $status with little room for buffers: $(cat err)"
	expect_line out 'ended with status 0'
	"$VALIDATE" info ../trace --json >../json
	seen=$("$VALIDATE" info ../trace --csv ../csv >/dev/null && count ',pread,')
	lost=$(sed -n 's/^warning *\([0-9]*\) request.* lost:.*/\1/p' out)
	[ "$((seen + ${lost:-0}))" -ge 400000 ] || fail "$seen seen and ${lost:-0} lost of 400000"
	# no space from the beginning: without room for a page capture starts nothing and kills no
	# process
	mount -t tmpfs -o size=64k none ../small
	head -c 65536 /dev/zero >../small/filler
	for way in app causality; do
		status=0
		"$VALIDATE" capture $way --scratch ../small -o ../none -- touch ../started >out 2>err || status=$?
		[ "$status" -eq 3 ] && grep -q 'No space left on device' err || {
			umount ../small
			fail "capture $way: status $status where there is no room for buffers: $(cat err)"
		}
	done
	[ "$(ls ../small)" = filler ] || echo "left: $(ls ../small)" >../left
	umount ../small
	[ ! -e ../left ] && [ ! -e ../none ] && [ ! -e ../started ] || fail "left behind, or started: $(cat ../left)"
fi
