# SPDX-License-Identifier: GPL-3.0-or-later
# long: 15 s
# capture app and strace record the same run of programs written for the test and of common
# programs. The traces agree call by call, except for the differences in doc/capture.md.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/strace-lib"
compiler=${CC:-cc}
programs=$SRCDIR/tests/programs
$compiler -w -O1 -o cases "$programs/cases.c" -pthread -ldl || fail 'cases.c does not compile'
$compiler -w -O1 -o numbers "$programs/numbers.c" && $compiler -w -O1 -DSTAND_IN -shared -fPIC -o stand-in.so "$programs/numbers.c" &&
	$compiler -w -O1 -o stood-in "$programs/numbers.c" "$PWD/stand-in.so" || fail 'numbers.c does not compile'
$compiler -w -shared -fPIC -o plugin.so "$programs/constructor.c"
$compiler -w -O1 -o constructed "$programs/cases.c" "$programs/constructor.c" -pthread -ldl

compare 40 "$work/cases" data
compare 50 "$work/cases" names
compare 10 "$work/cases" directories
compare 4 "$work/cases" streams
compare 5 "$work/cases" maps
compare 3600 "$work/cases" threads
compare 15 "$work/cases" forks
compare 45 "$work/cases" vforks
compare 60 "$work/cases" execs
compare 200 "$work/cases" clones
compare 4 "$work/cases" by-number
compare 85 "$work/numbers"
grep -q ',aio_read,"path=[^"]*/in/numbered;fd=[0-9]*;offset=8;length=16"' trace.csv || fail "a request that io_submit was given by number: $(grep io_ trace.csv)"
[ "$(grep -c ',open,"path=[^"]*/in/again;' trace.csv)" -eq 2 ] || fail 'a program that was started by number, twice from the same memory, was not followed'
rm -r in
compare 85 "$work/stood-in"
compare 1000 "$work/cases" close-all
compare 50 "$work/cases" signals # their number depends on their speed
compare 6 "$work/cases" plugin "$work/plugin.so"
compare 50 "$work/constructed" data
for how in crash abort kill exit; do
	compare 1003 "$work/cases" $how
done

# common programs, if they are installed
seq 20000 | sort -R --random-source="$VALIDATE" >numbers
compare 5 sort "$work/numbers" -o "$work/in/sorted"
text_tree tree
compare 100 tar cf "$work/in/x.tar" -C "$work" tree
compare 100 tar xf "$work/in/x.tar"
if command -v sqlite3 >/dev/null; then
	compare 80 sqlite3 "$work/in/db" 'create table t(a, b); insert into t values(1, 2), (3, 4); create index i on t(a);
		delete from t where a = 1; vacuum; select count(*) from t;'
fi
if command -v git >/dev/null; then
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
	export GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM
	cp -r tree repository
	(cd repository && git init -q . && git add . && git -c user.name=n -c user.email=e commit -q -m m)
	compare 1000 git clone -q --no-local "$work/repository" "$work/in/clone"
	compare 200 git -C "$work/in/clone" gc -q
fi
if command -v make >/dev/null; then
	mkdir -p in
	printf '#include <stdio.h>\nint main(void)\n{\n\tputs("x");\n\treturn 0;\n}\n' >in/m.c
	printf 'm: m.o\n\tcc -o m m.o\nm.o: m.c\n\tcc -c m.c\n' >in/Makefile
	# one directory of the path cannot be entered
	compare 500 env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL PATH="$work/numbers:$PATH" make -s
fi
[ "$n" -ge 20 ] || fail "only $n runs compared"
