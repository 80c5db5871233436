# SPDX-License-Identifier: GPL-3.0-or-later
# validate/ gives a reason, cause or note as a code with its numbers, and reports/ turns it into
# text. So no string of validate/ is a sentence, except messages (of errors, of failed runs and of
# progress), helps of options, descriptions of the members of a file (.about), and the files below.
# SQL and lines of a protocol are not sentences.
# Strings that are compared, and events of the journal, are data.
. "$SRCDIR/tests/e2e/lib.sh"

# The strings of the files below are data: names that files contain, and names and definitions of
# quantities. A definition stands beside its formula, because a new quantity shall need few files
# (doc/architecture.md). A comment states why its files are here.
sed '/^#/d' > known <<'END'
# A row names and defines the field beside it, and report.json is made from the rows.
evidence/cell_lists.h
# A row is the option of a limit: it contains the help of this option.
protocol/component_list.h
# A component names and defines the quantity that its file computes, with its source.
components/*.c
# A row names and defines a measure, and a protocol can contain the name.
protocol/measure.c
# The key `claim` of a protocol can contain these names of quantities.
protocol/claimed.c
# A name identifies a row of the budget in report.json, and stands beside the formula of the row.
analysis/analysis_private.h
analysis/cell_budget.c
# The format and the names of members in the file of a certificate.
standard/certificate.c
# The names of the parameters of a statistic, as "validate stats --compute" reads them.
stats/named_*.c
# environment.json contains these names of conditions.
campaign/campaign_facts.c
# The metadata of a trace contain these names of programs.
selftest/capture_trial.c
# The unit of a fault's size, beside the size.
selftest/faults_sized.c
# Each rate stands beside the trial that counts it; rates.csv contains its group, name and condition.
selftest/machine_rates.c
selftest/simulate*.c
END

# "FILE: STRING" of each string with three words or more that is no part of an error message or option.
sentences() { # DIRECTORY
	(cd "$1" && find . -name '*.[ch]' | sort) | while read -r file; do
		awk -v file="${file#./}" '
			{ text = text $0 "\n" }
			# a string with the strings that follow it without code between them
			function end_string() {
				words = string
				gsub(/\\"/, "\"", words) # a word of JSON is no word
				gsub(/%[-0-9.*+#]*[a-z]+|\\(x..|.)/, " ", words)
				n = split(words, word, / +/); k = 0
				for (j = 1; j <= n; j++) k += word[j] ~ /^[(]?[A-Za-z][a-z]+[.,:;)]?$/
				if (k >= 3 && string !~ /^ *(SELECT|INSERT|CREATE|BEGIN|UPDATE|DELETE) / &&
				    string !~ /(^|\\n)([;[]|[a-z-]+ = )/)
					found = found file ": " string "\n"
				string = ""
			}
			function end_statement() {
				end_string()
				if (statement !~ /(^|[^a-z_])(err_[a-z]+|[a-z_]*(refuse|fail|break|err|skip)|OPTION|strcmp|journal_[a-z_]+) *\(/ &&
				    statement !~ /_Static_assert|&progress,|progress_step|helper_run|[.]about =/ &&
				    !(file ~ /^(campaign|results)\// &&
				      statement ~ /(reason|failure|why)[],:a-z_ .>-]*(=|, *size)|[(&]reason,/))
					printf "%s", found
				statement = found = ""
			}
			END {
				while (text != "") {
					if (text ~ /^\/\*/) { i = index(text, "*/"); text = substr(text, i + 2); continue }
					if (text ~ /^\/\// || text ~ /^#include/) { sub(/^[^\n]*/, "", text); continue }
					if (match(text, /^\047(\\.|[^\\\047])+\047/)) { text = substr(text, RLENGTH + 1); continue }
					if (match(text, /^"(\\.|[^"\\])*"/)) {
						string = string substr(text, 2, RLENGTH - 2)
						text = substr(text, RLENGTH + 1)
						continue
					}
					i = match(text, /["\047\/;{}#]/)
					i = i > 1 ? i - 1 : i ? 1 : length(text)
					c = substr(text, 1, i)
					if (c ~ /[^ \t\n]/) end_string()
					statement = statement c
					text = substr(text, i + 1)
					if (c ~ /^[;{}]/) end_statement()
				}
				end_statement()
			}' "$1/$file"
	done
}

# the test finds a sentence, and no error message
mkdir sample
cat > sample/a.c <<'END'
/* "a comment is no string" */
int f(void) { return err_set(e, EINVAL, "%s: cannot open the file", p); }
const char *why(void) { return "the replay is too late"; }
const char *sql(void) { return "SELECT name FROM series " "WHERE name is the best"; }
const char *protocol(void) { return "; a comment of the protocol\\n" "title = The name of it\\n"; }
bool is(const char *name) { return !strcmp(name, "queues put back"); }
const char *parts(void) { return "the reference" " is too short"; }
END
sentences sample > found
[ "$(cat found)" = 'a.c: the replay is too late
a.c: the reference is too short' ] || fail "sentences of the sample: $(cat found)"

sentences "$SRCDIR/validate" > found
sed 's/[.]/[.]/g; s/[*]/.*/g; s/^/^/; s/$/:/' known > patterns
! grep -v -f patterns found > new || fail "reports/ should word these: $(cat new)"
while read -r pattern; do
	grep -q "$pattern" found || fail "no sentences any more, remove $pattern from this test"
done < patterns
