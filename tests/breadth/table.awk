# SPDX-License-Identifier: GPL-3.0-or-later
# usage: awk -f table.awk COST RESULTS.csv...
# Prints a Markdown table: a row for each program, four columns for each method of capture. A later
# file of results replaces the result of the same replay in an earlier file.
# After the table, it prints for each method how many of the traces without a sign of missing
# requests have clean replays. Mismatches: 0 if no replay has any; otherwise those of order fs by
# engines event and compiled, then of order temporal by both ("-": not tried).
BEGIN {
	FS = ","
	n_methods = split("app vfs strace", method, " ")
	n_replays = split("fs/event fs/compiled temporal/event temporal/compiled", replay, " ")
}
FILENAME == ARGV[1] { cost[$1, $2] = $3; next }
FNR == 1 { next }
{
	if (!($1 in version)) name[++n] = $1
	version[$1] = $2
	calls[$1, $3] = $4
	health[$1, $3] = $5
	if ($7 ~ /captured/) {
		if ($12 != "-") content[$1] = $12 " of " $13
	} else {
		mismatches[$1, $3, $6 "/" $7] = $8 ? "failed" : $9
		tree[$1, $3, $6 "/" $7] = $11
	}
}

function cells(key, by, i, list, dirty, worst, value) {
	if (health[key] != "no-sign" && health[key] != "incomplete") return " " (health[key] ? health[key] : "-") " | - | - | - |"
	for (i = 1; i <= n_replays; i++) {
		value = ((key, replay[i]) in mismatches) ? mismatches[key, replay[i]] : "-"
		list = list (i > 1 ? " " : "") value
		if (value != "0") dirty = 1
		if (tree[key, replay[i]] == "-") worst = "unknown"
		else if (worst != "unknown" && tree[key, replay[i]] + 0 > worst + 0)
			worst = tree[key, replay[i]]
	}
	if (health[key] == "no-sign") {
		n_whole[by]++
		n_clean[by] += list !~ /[1-9f]/ && !worst
	}
	if (worst && worst != "unknown") worst = worst " differ"
	return " " calls[key] (health[key] == "no-sign" ? "" : "*") " | " (dirty ? list : "0") " | " \
		(worst ? worst : "equal") " | " (key in cost ? sprintf("%.2f", cost[key]) : "-") " |"
}

END {
	head = "| program | version |"
	line = "|---|---|"
	for (i = 1; i <= n_methods; i++) {
		head = head " " method[i] ": calls | mismatches | tree | cost |"
		line = line "--:|--:|---|--:|"
	}
	print head " contents |"
	print line "---|"
	for (k = 1; k <= n; k++) {
		row = "| " name[k] " | " version[name[k]] " |"
		for (i = 1; i <= n_methods; i++) row = row cells(name[k] SUBSEP method[i], method[i])
		print row " " (name[k] in content ? content[name[k]] : "-") " |"
	}
	printf "\nTraces without a sign of missing requests; of them without a mismatch and with an equal tree:"
	for (i = 1; i <= n_methods; i++)
		printf "%s %s %d of %d", (i > 1 ? "," : ""), method[i], n_clean[method[i]],
			n_whole[method[i]]
	print "."
}
