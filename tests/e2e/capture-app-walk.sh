# SPDX-License-Identifier: GPL-3.0-or-later
# capture app on nftw, ftw, fts and glob: they become equivalent operations. Paths are correct if
# the library changes the working directory. With --snapshot, the whole tree is recorded.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}
$compiler -w -O1 -o walk "$SRCDIR/tests/programs/walk.c" || fail 'walk.c does not compile'
mkdir in
cd in
mkdir -p top/sub/deep top/empty
touch top/x.c top/y.c top/sub/z top/sub/deep/w
expect_status 0 "$VALIDATE" capture app --snapshot --root . -o ../trace -- ../walk top
"$VALIDATE" info ../trace --csv ../csv >/dev/null
cut -d , -f 5,6,7,8 ../csv | sed 1d | sort | uniq -c | sed 's/^ *//' >../calls

# fts walks each tree twice; the files are examined in four walks (by nftw once, by fts twice)
cat >../expected <<'END'
1 access,"path=top;flags=0x0",0,
1 scandir,"path=top",2,
1 stat,"path=none/such;flags=0x0",-1,ENOENT
1 walk,"path=top;flags=0x1",0,
1 walk,"path=top;flags=0x5",0,
2 scandir,"path=top",4,
2 scandir,"path=top/empty",0,
2 scandir,"path=top/sub",2,
2 scandir,"path=top/sub/deep",1,
2 stat,"path=none/such;flags=0x100",-1,ENOENT
2 stat,"path=top;flags=0x100",0,
2 walk,"path=top;flags=0x0",0,
END
for file in top/x.c top/y.c top/sub/z top/sub/deep/w; do
	echo "1 access,\"path=$file;flags=0x0\",0,"
	echo "2 access,\"path=$file;mode=0004;flags=0x0\",0,"
done >>../expected
LC_ALL=C sort ../expected >../wanted
LC_ALL=C sort ../calls | diff ../wanted - || fail 'the calls are others'

# what was there
for path in top/empty top/sub/deep/w top/y.c; do
	strings -a ../trace | grep -q "\"path\":\"$path\"" || fail "the snapshot of a tree that is walked has no $path"
done
