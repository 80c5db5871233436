# SPDX-License-Identifier: GPL-3.0-or-later
# Every command of doc/metrology-notes.md prints the output that follows it there.
. "$SRCDIR/tests/e2e/lib.sh"
notes=$SRCDIR/doc/metrology-notes.md

# command lines, and what follows each until the next one or the end of the block
awk '/^    \$ validate / { if (n) close(f); n++; f = sprintf("wanted.%03d", n); printf "" >f; sub(/^    \$ validate /, "");
	print >sprintf("command.%03d", n); open = 1; next }
	/^    / && open { sub(/^    /, ""); print >f; next }
	{ open = 0 }' "$notes"
n=0
for command in command.*; do
	id=${command#command.}
	n=$((n + 1))
	status=0
	# shellcheck disable=SC2046
	(cd "$SRCDIR" && "$VALIDATE" $(cat "$OLDPWD/$command")) >"got.$id" 2>"err.$id" || status=$?
	[ "$status" -eq 0 ] || fail "status $status: validate $(cat "$command"): $(cat "err.$id")"
	cmp -s "got.$id" "wanted.$id" || {
		diff "wanted.$id" "got.$id" >&2 || :
		fail "validate $(cat "$command") prints something else"
	}
done
[ "$n" -ge 30 ] || fail "only $n commands in $notes"
# every command belongs to a claim of the paper, and the tables are the transcribed tables
[ "$(wc -l <"$SRCDIR/tests/data/paper/table_II_Fr.csv")" -eq 65 ] || fail "table II is not whole"
