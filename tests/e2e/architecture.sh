# SPDX-License-Identifier: GPL-3.0-or-later
# doc/architecture.md: an importer, a statistic, a table, a number and a component are added with the files that "Where to add a
# part" names and no others; each function of "The ways" is in its file and called by the function above it; errors are handled
# by one idiom; names of functions are more than one word. doc/lines.md: the lines of code of each folder.
. "$SRCDIR/tests/e2e/lib.sh"
page=$SRCDIR/doc/architecture.md
libs=
for room in commands reports validate replay microbench capture common; do libs="$libs $BUILD/lib$room.a"; done

# --- the ways: "  name  file  what it does", indented below the caller; "(->member) what": called through a pointer ----------
body() { # FILE FUNCTION
	awk -v f="$2" '!on && $0 ~ "^[a-zA-Z].*[ *]" f "[(]" && $0 !~ /;$/ { on = 1 } on { print } on && /^}/ { exit }' "$SRCDIR/$1"
}
ways() { # PAGE: "way depth name file [member]"
	awk '/^## / { in_ways = /^## The ways/ } in_ways && /^### / { way++ }
	     in_ways && /^    / && NF > 2 {
		     match($0, /^ */)
		     print way, RLENGTH, $1, $2, $3 ~ /^\(->[a-z_]*\)$/ ? substr($3, 4, length($3) - 4) : ""
	     }' "$1"
}
follow() { # reads ways; prints what does not hold
	while read -r way depth name file member; do
		[ "$way" = "${last:-}" ] || n=0
		last=$way n=$((n + 1))
		[ $n -le 15 ] || echo "way $way has more than 15 names"
		[ -n "$(body "$file" "$name")" ] || { echo "$file does not define $name"; continue; }
		eval "name_$depth=\$name file_$depth=\$file"
		if [ $n -gt 1 ]; then
			d=$((depth - 2))
			eval "caller=\$name_$d caller_file=\$file_$d"
			if [ -n "$member" ]; then
				body "$caller_file" "$caller" | grep -q -e "->$member(" || echo "$caller does not call ->$member"
				grep -q "\.$member = $name," "$SRCDIR/$file" || echo "$name is no .$member"
			else
				body "$caller_file" "$caller" | sed 1d | grep -q "[^a-z_]$name[^a-z_]" || echo "$caller does not call $name"
			fi
		fi
	done
}
ways "$page" > ways
[ "$(cut -d ' ' -f 1 ways | sort -u | tr '\n' ' ')" = '1 2 ' ] || fail "a run and a replay are not the two ways: $(cat ways)"
follow < ways > wrong
[ ! -s wrong ] || fail "the ways of doc/architecture.md: $(cat wrong)"
# the check itself
sed 's/^\(1 [0-9]* \)campaign_run /\1campaign_runs /; s/^\(2 .*\)->run/\1->walk/' ways | follow > wrong
grep -q 'does not define campaign_runs' wrong || fail "a wrong name is not found: $(cat wrong)"
sed '/ session_run /d' ways | follow > wrong
grep -q 'does not call runs_make' wrong || fail "a missing call is not found: $(cat wrong)"

# --- one idiom for errors: the status of a function is `ret`, and its only label is `out` --------------------------------------
idiom() { # FILE...: prints other labels, and other names of a status
	grep -HnE '^[a-z_0-9]+:$|^[^"]*[^a-z_0-9.">](rc|res|rv)( =|;| \?)' "$@" | grep -vE ':out:$|[.>](rc|res|rv)' || :
}
(cd "$SRCDIR" && find common capture microbench replay validate reports commands -name '*.[ch]') > sources
(cd "$SRCDIR" && idiom $(cat "$OLDPWD/sources")) > wrong
[ ! -s wrong ] || fail "errors are handled in another way: $(head -5 wrong)"
printf 'static int f(void)\n{\n\tint rc = g();\nfail:\n\treturn rc ? rc : 0;\n}\n' > sample.c
[ "$(idiom sample.c | wc -l)" = 3 ] || fail "the check of the idiom finds $(idiom sample.c)"

# --- names: the name of a function is more than one word, except the names below -------------------------------------------
# main; functions that stand in for one of the C library (xmalloc); algorithms (fnv1a) and statistics (cusum) of these names.
# Hooks of the preloaded library have the names of the functions that they replace (EXPORT).
printf '%s\n' main xaligned xasprintf xcalloc xmalloc xrealloc xreallocarray xstrdup xstrndup crc32c fnv1a \
	autocorrelation autocorrelations cusum ewma identity wasserstein | sort > known
one_word() { # FILE...: "FILE: NAME" of functions
	awk '/^[A-Za-z_]/ && !/^(EXPORT|TAIL_CALL|typedef)/ && match($0, /^[^(="\/]*[(][^*]/) {
		name = substr($0, 1, RLENGTH - 2)
		sub(/ *$/, "", name)
		sub(/.*[ *]/, "", name)
		if (name ~ /^[a-z][a-z0-9]*$/) print FILENAME ": " name
	}' "$@"
}
(cd "$SRCDIR" && one_word $(cat "$OLDPWD/sources")) > found
sed 's/.*: //' found | sort -u > names
comm -23 names known > wrong
[ ! -s wrong ] || fail "names of functions are one word: $(sed 's/.*/: &$/' wrong | grep -f - found)"
comm -13 names known > wrong
[ ! -s wrong ] || fail "no functions any more, remove from this test: $(cat wrong)"
printf 'static char *last(const char *path)\n{\n\treturn base(path);\n}\nint (*of)(int);\nint file_name(int i);\n' > sample.c
[ "$(one_word sample.c)" = 'sample.c: last' ] || fail "the check of names finds $(one_word sample.c)"

# --- doc/lines.md: each folder is in a table of its room, with its lines of code to 10 % or 50 lines ----------------------------
lines_check() { # PAGE: prints what does not hold; a folder without a row of its own belongs to the row above it
	(cd "$SRCDIR" && xargs awk '
		FNR == NR {
			if (/^## /) { room = $2; sub(/:.*/, "", room) }
			if (/^\| *[0-9][0-9,]* \|/) {
				row++
				split($0, cell, "|")
				gsub(/[ ,]/, "", cell[2])
				wanted[row] = cell[2] + 0
				n_names = split(cell[3], name, ",")
				for (i = 1; i <= n_names; i++) {
					gsub(/[ `]|\/$|\/` *$/, "", name[i])
					if (name[i] != room && index(name[i], room "/") != 1) name[i] = room "/" name[i]
					row_of[name[i]] = row
					names[row] = names[row] " " name[i]
				}
			}
			next
		}
		FNR == 1 {
			comment = 0
			folder = FILENAME
			do { sub(/\/[^\/]*$/, "", folder) } while (!(folder in row_of) && folder ~ /\//)
			if (!(folder in row_of) || (folder !~ /\// && FILENAME ~ /\/.*\//)) print FILENAME ": no row for its folder"
		}
		{
			if (comment) {
				if (!(i = index($0, "*/"))) next
				$0 = substr($0, i + 2)
				comment = 0
			}
			gsub(/"(\\.|[^"\\])*"/, "s")
			while (i = index($0, "/*")) {
				j = index(substr($0, i + 2), "*/")
				comment = !j
				$0 = substr($0, 1, i - 1) (j ? substr($0, i + j + 3) : "")
			}
			n[row_of[folder]] += /[^ \t]/
		}
		END {
			for (row in wanted) {
				off = n[row] - wanted[row]
				if (off > 50 + wanted[row] / 10 || -off > 50 + wanted[row] / 10)
					print "the row of" names[row] " states " wanted[row] " lines, but there are " n[row] + 0
			}
		}' "$1") < sources
}
lines_check "$SRCDIR/doc/lines.md" > wrong
[ ! -s wrong ] || fail "doc/lines.md: $(cat wrong)"
# the check itself
sed 's/^| [0-9,]* | `campaign/| 9,999 | `campaign/; /`judge\/`/d' "$SRCDIR/doc/lines.md" > other.md
lines_check "$PWD/other.md" > wrong
grep -q 'validate/campaign states 9999 lines' wrong || fail "a wrong number is not found: $(cat wrong)"
grep -q 'validate/judge/.*: no row for its folder' wrong || fail "a missing folder is not found: $(cat wrong)"

# --- where to add a part: the new and changed files are in add/, all others are the program's ---------------------------
named() { # PART NAME: the paths that the row of the page names
	grep "^| $1 |" "$page" | tr '`' '\n' | grep '^[a-z]*/.*\.' | sed "s|NAME|$2|g; s|FAMILY|descriptive|g; s|SUBJECT|facts|g"
}
add() { # PART NAME: reads the changes, "= FILE" with the lines of a new file, "/ FILE SED" for a change
	rm -rf add; mkdir add
	named "$1" "$2" > paths
	[ -s paths ] || fail "the page has no row \"$1\""
	file=
	while IFS= read -r line; do
		case $line in
		'= '* | '/ '*)
			rest=${line#* }
			file=${rest%% *}
			grep -qxF "$file" paths || fail "the page does not name $file: $(cat paths)"
			mkdir -p "add/${file%/*}"
			case $line in /*)
				sed "${rest#* }" "$SRCDIR/$file" > "add/$file"
				! cmp -s "add/$file" "$SRCDIR/$file" || fail "no change of $file"
				;;
			esac
			;;
		*) printf '%s\n' "$line" >> "add/$file" ;;
		esac
	done
}
compile() { # SOURCE...: each as add/... or as the program has it
	for source; do
		[ -f "add/$source" ] && path=add/$source || path=$SRCDIR/$source
		eval "${CC:-cc} -std=c11 -O0 -Wall -Werror ${SANITIZE-} -pthread -Iadd -I\$SRCDIR \
			${TEST_CPPFLAGS:--D_GNU_SOURCE} -c -o \"\$(echo \$source | tr / _).o\" \$path" || fail "$source does not compile"
	done
}
link() { # SOURCE...: the program with these objects in place of its own
	objects=
	for source; do objects="$objects $(echo $source | tr / _).o"; done
	eval "${CC:-cc} ${SANITIZE-} -o sample $objects $BUILD/obj/commands/main.o $libs $TEST_LDLIBS"
}

add 'a trace format' sample <<'END'
/ capture/format.h s/X(mapping)/X(mapping) X(sample)/
= capture/formats/sample.c
#include "capture/formats/foreign.h"
#include "capture/number.h"
static int sample_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct trace_record r = record_unknown();
	int64_t at;
	const char *end = s + len;
	if (!scan_i64(&s, end, &at) || s != end)
		return foreign_at(f, s, e, "not a time");
	r.op = OP_FSYNC;
	r.begin_ns = r.end_ns = at;
	int ret = foreign_object(f, OBJECT_PATH, "a", 1, &r.object, e);
	return ret ? ret : foreign_add(f, &r, e);
}
static const struct foreign_reader reader = {.clock = "sample", .captured_by = "sample", .level = LEVEL_SYSCALL,
					     .size = sizeof(struct foreign), .line = sample_line};
static int sample_bid(const unsigned char *head, size_t len, const char *path)
{
	return (void)head, (void)len, (void)path, 0;
}
const struct trace_format format_sample = {.name = "sample", .help = "times", .bid = sample_bid, .reader = &reader};
END
compile capture/formats/sample.c capture/formats/format.c
link capture/formats/sample.c capture/formats/format.c
printf '10\n20\n30\n' > times
./sample import --from sample times -o sample.trace > out || fail "import of a new format"
"$VALIDATE" info sample.trace | grep -q 'fsync *3 ' || fail "the new format: $("$VALIDATE" info sample.trace)"

add 'a statistic' sample <<'END'
= validate/stats/sample.h
#pragma once
#include "validate/stats/status.h"
enum stat_status sample_midrange(const double *x, size_t n, double *value) STAT_MUST_CHECK;
= validate/stats/sample.c
#include "validate/stats/sample.h"
enum stat_status sample_midrange(const double *x, size_t n, double *value)
{
	*value = n ? (x[0] + x[n - 1]) / 2 : 0;
	return n ? STAT_OK : STAT_TOO_FEW;
}
/ validate/stats/named_descriptive.c s|^#include "validate/stats/quantiles.h"|&\n#include "validate/stats/sample.h"|; s|^STATISTIC_OF_X(median.*|&\nSTATISTIC_OF_X(midrange, sample_midrange(x.x, x.n, \&r->number))|; s|^    {"median".*|&\n    {"midrange", midrange, "x", ""},|
END
compile validate/stats/sample.c validate/stats/named_descriptive.c
link validate/stats/sample.c validate/stats/named_descriptive.c
[ "$(./sample stats --compute midrange x=1,2,5)" = 3 ] || fail "the new statistic"

add 'a table that several forms show' sample <<'END'
/ reports/tables/tables.h s/X(parallel_nodes)/X(parallel_nodes) X(sample)/
= reports/tables/tables_sample.c
#include "reports/tables/tables.h"
static void sample_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i]);
	COL_CELL(t, a, c);
	COL_COUNT(t, "twice", "Twice", 2 * c->n_pairs);
}
const struct table_kind table_sample = {"sample", "Sample", table_n_cells, sample_row};
END
compile reports/tables/tables_sample.c reports/tables/tables.c
link reports/tables/tables_sample.c reports/tables/tables.c
gzip -dc "$SRCDIR/tests/data/results/campaign-0.1.0.tar.gz" | tar xf -
./sample report campaign-0.1.0 --format csv > out || [ $? = 4 ] || fail "report with a new table"
grep -q '^random-read,event,16,' out || fail "the new table: $(tail -3 out)"

# The size of a cell changes: the program is linked, not run.
add 'a number of a case' sample <<'END'
/ validate/evidence/cell_lists.h s|^	X(double, lag1, .*|	X(double, sample, "sample", NUMBER, "A sample.") \\\n&|
/ validate/analysis/cell_facts.c s|^	c->diagnostics.off_cpu_x = .*|&\n	c->diagnostics.sample = (double)p->n;|
END
grep -q 'X(double, sample' add/validate/evidence/cell_lists.h || fail "the list of diagnostics has no lag1"
compile validate/analysis/cell_facts.c reports/model_cell.c
link validate/analysis/cell_facts.c reports/model_cell.c

# All files that depend on the number of components are checked, not compiled: the program is linked, not run.
add 'a component of the verdict' sample <<'END'
/ validate/protocol/component_list.h s|^	X(MEDIAN,|	X(SAMPLE, sample, "sample", sample, OPT_RATIO, NAN, "sample", 1e-6, 0.99, "a sample") \\\n&|
= validate/components/sample.c
#include "validate/components/component.h"
static double minimum(const struct run_summary *s)
{
	return s->response.min;
}
static void measure_sample(const struct measuring *m)
{
	family_add_ratio(&m->e->family[COMPONENT_SAMPLE], "", m->pairs, minimum);
}
const struct component_row component_sample = {
    .title = "Sample", .words = {"minimum", true}, .meaning = "A sample.", .rule = "as bias", .source = "as bias",
    .unit = COMPONENT_CHANGE, .two_sided = true,
    .measure = measure_sample, .decide = decide_parts, .plan = plan_parts};
END
compile validate/components/sample.c validate/components/components.c validate/protocol/protocol_keys.c
link validate/components/sample.c validate/components/components.c validate/protocol/protocol_keys.c
(cd "$SRCDIR" && grep -rlE 'COMPONENT_(N|LIST)\b' --include='*.c' validate reports commands) > users
[ "$(wc -l < users)" -ge 20 ] || fail "few files use the components: $(cat users)"
eval "sed \"s|^|\$SRCDIR/|\" users | xargs -n 8 -P 2 ${CC:-cc} -std=c11 -Wall -Werror -Iadd -I$SRCDIR \
	${TEST_CPPFLAGS:--D_GNU_SOURCE} -fsyntax-only" || fail "files need changes for a new component"
