# SPDX-License-Identifier: GPL-3.0-or-later
# The language of texts that users read: documents, manual pages, --help, protocols, texts that the
# program stores in files of its sources, and its strings. Some constructions are forbidden. A
# sentence has at most 30 words; names of options and members, numbers, tables and code do not count.
. "$SRCDIR/tests/e2e/lib.sh"
cd "$SRCDIR"
here=$OLDPWD

# Constructions, for grep -E, in lower case. At the beginning of a sentence "of" is an inversion.
forbidden='(^|[^a-z-])(who|whom|whoever|(is|are|was|were) (told|said)|tellings?|strokes?|pass(ed|es) over'
forbidden="$forbidden|as if at random|can be had|somebody|nobody|anybody|those that|says? so|asked for"
forbidden="$forbidden|nothing of|of no account|one likes|undecided"
forbidden="$forbidden|(is|are) no (calls?|requests|nodes|errors|events|list))([^a-z-]|\$)|(^|[.] )of (which|an?|the|those|several) "

# Prose of Markdown, one sentence a line: markup, code blocks, tables and headings are no sentences.
prose() { # FILE
	awk '
		/^```/ { code = !code; next }
		code || /^    / || /^\|/ || /^#/ || /^!\[/ { print ""; next }
		/^ *([-*]|[0-9]+\.) / { print "" }
		{ print }' "$1" | sed 's/\[\([^]]*\)\]([^)]*)/\1/g; s/<[^>]*>//g' |
		awk '
		function flush() { gsub(/`[^`]*`/, "CODE", text); if (text != "") print text; text = "" }
		/^[ \t]*$/ { flush(); next }
		{ text = text " " $0 }
		END { flush() }' | sed 's/^ *//; s/\([.?]["*)]*\)  *\(["*(]*[A-Z0-9]\)/\1\n\2/g; s/\([:;]\) /\1\n/g'
}

# Sentences of more than WORDS words.
long() { # WORDS FILE
	awk -v most="$1" '
		{
			n = 0
			for (i = 1; i <= NF; i++) n += $i ~ /^[("*]*[A-Za-z][A-Za-z\047-]*[.,:;?)"*]*$/
		}
		n > most' "$2"
}

check() { # NAME FILE: prose of NAME
	prose "$2" >"$here/sentences"
	tr 'A-Z' 'a-z' <"$here/sentences" | grep -nE "$forbidden" >"$here/found" && {
		echo "$1: forbidden construction:" && cat "$here/found"
		echo >>"$here/bad"
	}
	long 30 "$here/sentences" >"$here/found"
	[ ! -s "$here/found" ] || {
		echo "$1: more than 30 words:" && cat "$here/found"
		echo >>"$here/bad"
	}
	wc -l <"$here/sentences" >>"$here/counts"
}

# the test finds forbidden words
printf 'A sentence.\n\nThe thread who waits is late.\n' >"$here/sample"
(check sample "$here/sample") >"$here/out"
grep -q 'who waits' "$here/out" || fail 'a forbidden word is not found'
printf 'Of the threads one is late. (Of an MPI job only ranks are.)\n' >"$here/sample"
(check sample "$here/sample") >"$here/out"
grep -q 'of the threads' "$here/out" || fail 'an inversion is not found'
printf 'Events are no requests. There is no trace.\n' >"$here/sample"
(check sample "$here/sample") >"$here/out"
grep -q 'are no requests' "$here/out" || fail '"are no" is not found'
awk 'BEGIN { for (i = 0; i < 30; i++) printf "word "; print "end." }' >"$here/sample"
(check sample "$here/sample") >"$here/out"
grep -q 'more than 30' "$here/out" || fail 'a long sentence is not found'
awk 'BEGIN { for (i = 0; i < 29; i++) printf "word "; print "end. Next 1 `code`." }' >"$here/sample"
(check sample "$here/sample") >"$here/out"
[ ! -s "$here/out" ] || fail "a sentence of 30 words is long: $(cat "$here/out")"
rm -f "$here/bad" "$here/counts"

for document in README.md SECURITY.md CHANGELOG.md doc/*.md doc/formats/*.md protocols/README.md; do
	check "$document" "$document"
done
for page in doc/man/*.1; do
	sed -e '/^\.EX/,/^\.EE/s/.*//' -e '/^\.\(SH\|SS\|TP\|PP\|TH\|IP\|in\|br\)/s/.*//' -e '/^\.\\"/d' \
		-e 's/^\.[A-Z]* //' -e 's/\\f[A-Z]//g; s/\\-/-/g' -e 's/[.:?]$/&\n/' "$page" >"$here/text"
	check "$page" "$here/text"
done
for file in protocols/*.conf commands/init.conf capture/formats/*.map; do
	# a comment or the text of a claim is a paragraph
	sed 's/^@[a-z]* ;/;/; s/^[;#] *\(- \)*//; t; s/^text = \(.*\)/\n\1\n/; t; s/.*//' "$file" >"$here/text"
	check "$file" "$here/text"
done
for page in reports/html/*.html; do
	# lines that begin with @ are instructions; a tag of a block begins a paragraph
	sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' "$page" |
		sed 's/^@.*//; s/<\/*\(p\|li\|ul\|ol\|td\|tr\|th\|table\|h[1-6]\|div\|summary\)\( [^>]*\)*>/\n\n/g' >"$here/text"
	check "$page" "$here/text"
done
for schema in doc/*-schema.json; do
	grep -o '"description": *"\([^"\\]\|\\.\)*"' "$schema" | sed 's/^"description": *"\(.*\)"$/\1\n/; s/\\"/"/g' >"$here/text"
	check "$schema" "$here/text"
done
for command in $("$VALIDATE" help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p') 'capture block' 'capture vfs' 'capture causality'; do
	# the text of an option is a paragraph
	"$VALIDATE" $command --help | sed '1,/^$/d; s/^ \{28\}//; t; s/^ .\{27\}/\n/; t; s/^ .*//' >"$here/text"
	check "validate $command --help" "$here/text"
done
# The sample reports hold sentences that the program composes. Blocks of a page are paragraphs.
for page in doc/samples/*.html; do
	awk '
		BEGIN { RS = "<" }
		{
			end = index($0, ">"); tag = substr($0, 1, end - 1); text = substr($0, end + 1)
			name = tolower(tag); sub("^/", "", name); sub(/[^a-z0-9].*/, "", name)
			if (name ~ /^(style|svg|pre)$/) skipped = tag !~ "^/"
			if (name !~ /^(a|abbr|b|code|em|i|small|span|strong|sub|sup|wbr)$/) printf "\n\n"
			if (!skipped && text !~ /^Tables: /) printf "%s", text # not the list of names
		}' "$page" >"$here/text"
	check "$page" "$here/text"
done
[ "$(awk '{ n += $1 } END { print n }' "$here/counts")" -ge 8000 ] || fail "few sentences: $(cat "$here/counts")"

# strings of the sources, without comments; adjacent strings are one; SVG has strokes
find capture commands common microbench replay reports validate -name '*.[ch]' | sort | xargs awk '
	function strings(line,  i) {
		if (comment) {
			if (!(i = index(line, "*/"))) return
			line = substr(line, i + 2)
			comment = 0
		}
		gsub(/\/\*[^*]*(\*[^\/][^*]*)*\*\//, "", line)
		if (i = index(line, "/*")) { line = substr(line, 1, i - 1); comment = 1 }
		gsub(/" PRI[a-z0-9A-Z]* "/, "N", line)
		while (match(line, /"([^"\\]|\\.)*"/)) {
			text = substr(line, RSTART, RLENGTH)
			if (text ~ / /) print file ": " text
			line = substr(line, RSTART + RLENGTH)
		}
	}
	FNR > 1 && held ~ /"[ \t]*$/ && /^[ \t]*"/ { sub(/"[ \t]*$/, "", held); sub(/^[ \t]*"/, ""); held = held $0; next }
	{ strings(held); held = $0; file = FILENAME }
	END { strings(held) }' | grep -v 'stroke[="-]\|CREATE TABLE' >"$here/strings"
[ "$(wc -l <"$here/strings")" -ge 5000 ] || fail 'few strings'
tr 'A-Z' 'a-z' <"$here/strings" | sed 's/^[^ ]* //' >"$here/texts"
grep -nE "$forbidden" "$here/texts" | cut -d : -f 1 | while read -r n; do sed -n "${n}p" "$here/strings"; done >"$here/found"
sed 's/\\n/\n/g; s/: "/:\n/; s/\([.?;:]\) /\1\n/g' "$here/strings" >"$here/sentences"
long 30 "$here/sentences" >>"$here/found"
[ ! -s "$here/found" ] || {
	echo "strings of the sources: forbidden constructions, or more than 30 words:"
	cat "$here/found"
	echo >>"$here/bad"
}
[ ! -e "$here/bad" ] || fail 'language'
