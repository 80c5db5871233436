# SPDX-License-Identifier: GPL-3.0-or-later
# validate/ gives a reason, cause or note as a code with its numbers, and reports/ turns it into
# text. So no string of validate/ is a sentence, except error messages, helps of options, and the
# files below.
. "$SRCDIR/tests/e2e/lib.sh"

# FILE # what its sentences are. Remove a file when its sentences are gone; add none for reasons,
# causes and notes.
sed 's/ *#.*//' > known <<'END'
analysis/analysis_private.h     # names of rows of the budget
evidence/cell_lists.h          # descriptions of the numbers of a case
analysis/cell_budget.c
standard/standard.c             # names of rows of the budget, state of a point that a certificate stores
campaign/campaign_bank.c        # why a run failed: the journal stores it
campaign/campaign_budget.c      # the same, and the progress line
campaign/campaign_dir.c         # a condition that environment.json stores
campaign/campaign_calibrate.c
campaign/campaign_group.c
campaign/campaign_parallel.c
campaign/campaign_setup.c
campaign/campaign_step.c
campaign/cgroup.c
campaign/launch.c
campaign/untouched.c
campaign/campaign_facts.c       # conditions of certificates that environment.json stores
campaign/time_use.c             # use of time: the terminal and the progress line
columns/columns.c               # ends of error messages
compare/compare_check.c         # values of differences that refuse a comparison
components/bias.c               # names, definitions and rules of components
components/concurrency.c
components/execution_time.c
components/fidelity.c
components/half.c
components/in_flight.c
components/issue_error.c
components/linearity.c
protocol/component_list.h
components/on_demand.c
components/operation.c
components/precision.c
components/responsiveness.c
components/shape.c
components/share.c
components/tail.c
components/typical.c
components/uncertainty.c
history/history_add.c           # SQL
history/history_db.c
history/history_load.c
judge/judge_protocol.c          # text of a protocol
judge/judge_replayers.c
judge/judge_rerun.c             # shell
pool/hosts.c
pool/pool_alike.c               # why laboratories cannot be pooled: error messages and warnings
protocol/claimed.c              # names and definitions of quantities
protocol/measure.c
protocol/pairing.c              # ends of error messages; environment.json stores them
protocol/protocol_observe.c
results/results.c
selftest/capture_trial.c        # names of simulated defects and rates
selftest/faults_sized.c
selftest/frauds.c
selftest/machine_protocol.c
selftest/machine_rates.c
selftest/simulate.c
selftest/simulate_accept.c
selftest/simulate_compare.c
selftest/simulate_frauds.c
selftest/simulate_intervals.c
selftest/simulate_looks.c
selftest/simulate_tests.c
selftest/simulate_verdicts.c
standard/certificate.c
stats/named_descriptive.c       # arguments of named statistics
stats/named_intervals.c
stats/named_planning.c
stats/status.c                  # meanings of statuses
END

# "FILE: STRING" of each string with three words or more that is no part of an error message or option.
sentences() { # DIRECTORY
	(cd "$1" && find . -name '*.[ch]' | sort) | while read -r file; do
		awk -v file="${file#./}" '
			{ text = text $0 "\n" }
			function end_statement() {
				if (statement !~ /(^|[^a-z_])(err_[a-z]+|[a-z_]*(refuse|fail|break|err|skip)|OPTION) *\(/ &&
				    statement !~ /_Static_assert/)
					printf "%s", found
				statement = found = ""
			}
			END {
				while (text != "") {
					if (text ~ /^\/\*/) { i = index(text, "*/"); text = substr(text, i + 2); continue }
					if (text ~ /^\/\// || text ~ /^#include/) { sub(/^[^\n]*/, "", text); continue }
					if (match(text, /^\047(\\.|[^\\\047])+\047/)) { text = substr(text, RLENGTH + 1); continue }
					if (match(text, /^"(\\.|[^"\\])*"/)) {
						string = substr(text, 2, RLENGTH - 2)
						text = substr(text, RLENGTH + 1)
						words = string
						gsub(/%[-0-9.*+#]*[a-z]+|\\(x..|.)/, " ", words)
						n = split(words, word, / +/); k = 0
						for (i = 1; i <= n; i++) k += word[i] ~ /^[(]?[A-Za-z][a-z]+[.,:;)]?$/
						if (k >= 3) found = found file ": " string "\n"
						continue
					}
					i = match(text, /["\047\/;{}#]/)
					i = i > 1 ? i - 1 : i ? 1 : length(text)
					c = substr(text, 1, i)
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
END
sentences sample > found
[ "$(cat found)" = 'a.c: the replay is too late' ] || fail "sentences of the sample: $(cat found)"

sentences "$SRCDIR/validate" > found
cut -d : -f 1 found | sort -u > files
sort -u known > known.sorted
comm -23 files known.sorted > new
[ ! -s new ] || fail "reports/ should word these: $(grep -Ff new found)"
comm -13 files known.sorted > gone
[ ! -s gone ] || fail "no sentences any more, remove from this test: $(cat gone)"
