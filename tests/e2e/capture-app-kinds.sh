# SPDX-License-Identifier: GPL-3.0-or-later
# long: 16 s
# capture app and strace record programs of many kinds: ways to start children, to lose descriptors
# and to change the environment; other languages; small tools. The traces agree call by call, except
# for the differences in doc/capture.md. The least number of calls shows that calls were compared.
# It is small if the number depends on the machine or on versions of tools.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/strace-lib"
compiler=${CC:-cc}
$compiler -w -O1 -o kinds "$SRCDIR/tests/programs/kinds.c" -pthread || fail 'kinds.c does not compile'

kind() { # LEAST NAME
	compare "$1" "$work/kinds" "$2" || {
		echo "$2: not allowed here"
		return 0
	}
	grep -q 'ended with status 0' out || fail "$2: $(cat out err)"
	[ "$2" = limits ] || ! grep -q 'request.* lost:' out || fail "$2: $(cat out)"
	rm -rf "$work/in"
}
kind 14 spawns
kind 200 high
kind 15 daemons
kind 5000 limits
kind 10000 sizes
kind 50 thread-forks # as many calls as it makes until fork fails
HANDLED='write 3 = 8' && export HANDLED
kind 3000 alternate
unset HANDLED
kind 20 temporaries
kind 7 cookies
kind 15 prisoners
kind 6 namespaces
kind 8 contexts
kind 300 many-threads
kind 4 leaders
kind 10 endings
kind 8 thread-execs
# streams that are no files do not appear in the trace
compare 7 "$work/kinds" cookies
! cut -d , -f 5- trace.csv | grep -E '^(f[a-z]*|setvbuf|ungetc|open_mem.*),"(fd=|")' || fail 'streams of memory'

if ${CXX:-c++} -w -O2 -std=c++17 -o streamed "$SRCDIR/tests/programs/stream.cc" 2>/dev/null; then
	compare 60 "$work/streamed"
	# a directory that remove(3) takes is removed by rmdir
	grep -q ',unlink,"path=[^"]*/in/a[;"].*,-1,EISDIR' trace.csv && grep -q ',rmdir,"path=[^"]*/in/a[;"].*,0,' trace.csv ||
		fail "remove of a directory: $(grep 'unlink\|rmdir' trace.csv)"
else
	echo 'C++ is not tried'
fi

rm -rf in && mkdir -p in/t/a/b && cd in
seq 20000 >n
for i in 1 2 3 4; do
	seq $i 3000 >t/a/f$i
	cp t/a/f$i t/a/b
done
ln -s f1 t/a/l
cd ..
compare 60 dd if=n of=o bs=1000 skip=3 count=50 conv=fsync
compare 100 cp -a t t2
compare 8 mv t2 t3
compare 30 rm -r t3
compare 40 ls -lR t
compare 30 find t -name 'f*' -newer n
compare 10 sed -i s/1/2/ n
compare 60 grep -r 77 t
compare 30 split -l 3000 n s.
compare 10 gzip -k n
compare 100 tar czf t.tgz t
compare 1500 awk 'NR < 1000 { print > "w" NR % 3; close("w" NR % 3) } END { while ((getline line < "n") > 0) c++; print c }' n
compare 100 sh -c 'touch a; touch -r n a; truncate -s 1M a; chmod -R a+r t; ln n hard; readlink -f t/a/l; mktemp -p . >/dev/null; sync n; test -e n
	mkfifo p; nice true; env -i /bin/true; (echo 1; cat t/a/f2) | wc -l; od n >od; tac n >tac; tr 1 2 <n >tr; cut -c 2 n >cut; comm n tac >comm 2>&1; true'
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))' 2>/dev/null) || python=
if [ -n "$python" ]; then
	cat >in/p.py <<'E'
import mmap, os, shutil, tempfile, threading
open('a', 'w').write('x' * 100000)
with open('a', 'r+b') as f:
    f.seek(10)
    f.read(5)
    m = mmap.mmap(f.fileno(), 0)
    m[3] = 1
    m.flush()
    m.close()
    f.truncate(50)
    os.fsync(f.fileno())
shutil.copy2('a', 'b')
shutil.copytree('t', 'copied')
shutil.rmtree('copied')
with tempfile.TemporaryDirectory(dir='.') as d:
    open(d + '/f', 'w').write('1')
list(os.walk('.'))
fd = os.open('v', os.O_RDWR | os.O_CREAT)
os.writev(fd, [b'a', b'bc'])
os.pwrite(fd, b'z', 10)
os.preadv(fd, [bytearray(3)], 0)
os.close(fd)
t = [threading.Thread(target=lambda i=i: open('t%d' % i, 'w').write('1')) for i in range(4)]
[x.start() for x in t]
[x.join() for x in t]
pid = os.fork()
if pid == 0:
    open('child', 'w').write('c')
    os._exit(0)
os.waitpid(pid, 0)
E
	compare 200 "$python" -I p.py
fi
if command -v bash >/dev/null; then
	cat >in/s.bash <<'E'
for i in 1 2 3; do echo $i >f$i; done
cat f? >all
read -r x <all
while read -r y; do :; done <all
exec 5<>all
read -r -u 5 z
echo more >&5
exec 5>&-
(echo sub; echo sub2) | sort | tee t1 >t2
diff <(cat t1) <(cat t2)
cat <<X >here
text
X
mapfile -t arr <all
printf '%s\n' "${arr[@]}" >>all
[ -s all ] && cp all a2 && mv a2 a3 && rm -f a3
trap 'echo bye >bye' EXIT
ulimit -n 20
echo <all
E
	compare 100 bash s.bash
fi
[ "$n" -ge 28 ] || fail "only $n runs compared"
