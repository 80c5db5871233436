# SPDX-License-Identifier: GPL-3.0-or-later
# Each relative link of a document leads to a file, and its anchor to a heading there. README.md
# links to every document of doc/, and has at most 120 lines.
. "$SRCDIR/tests/e2e/lib.sh"
cd "$SRCDIR"

anchors() { # FILE: anchors of its headings, as GitHub makes them
	sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | sed 's/[^a-z0-9_-]//g'
}

n=0
for document in *.md doc/*.md doc/formats/*.md protocols/*.md; do
	for link in $(grep -o '](\([^) ]*\))' "$document" | sed 's/](//; s/)$//; /^[a-z]*:/d' | sort -u); do
		case $link in
		'#'*) file=$document ;;
		*) file=$(dirname "$document")/${link%%#*} ;;
		esac
		[ -e "$file" ] || fail "$document links to $link, which is not there"
		case $link in *'#'*) anchors "$file" | grep -qxF "${link#*#}" || fail "$document: no heading for $link" ;; esac
		n=$((n + 1))
	done
done
[ "$n" -ge 100 ] || fail "only $n links"

# the files that "Where to add a part" names exist
for file in $(sed -n '/^## Where to add a part/,/^## C/p' doc/architecture.md | tr '`' '\n' | grep '^[a-z]*/[a-z/_]*\.[a-z]*$' | sort -u); do
	[ -e "$file" ] || fail "doc/architecture.md names $file, which is not there"
	echo "$file"
done >"$TMPDIR/named"
grep -qx 'validate/protocol/component_list.h' "$TMPDIR/named" && [ "$(wc -l <"$TMPDIR/named")" -ge 15 ] || fail "of doc/architecture.md: $(cat "$TMPDIR/named")"

for document in doc/*.md; do
	grep -qF "]($document)" README.md || fail "README.md does not link to $document"
done
[ "$(wc -l <README.md)" -le 120 ] || fail "README.md has $(wc -l <README.md) lines"
