/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of the outermost object of report.json (model.h). */
#include "reports/model_rows.h"
#include "reports/words.h"
#include "validate/analysis/at_device.h"
#include "validate/analysis/costs.h"
#include "validate/analysis/courses.h"
#include "validate/analysis/league.h"
#include "validate/analysis/operations.h"
#include "validate/components/component.h"

#define REPORT_FORMAT_VERSION 1

#define S uncertainty_source
MODEL(S, "A source of uncertainty, as in the cause-and-effect diagram.",
	TEXT(category, "category", NULL)
	TEXT(name, "name", NULL)
	TEXT(note, "note", NULL)
	FLAG(in_budget, "in_budget", "False: named, not quantified.")
	FLAG(warning, "warning", "A requested condition was not available."))
#undef S

#define S analysis
static const char *const formats[] = {"validate-report", NULL};

static const char *program_version(const struct model_at *at)
{
	(void)at;
	return VALIDATE_VERSION;
}

GET_AT(const char *, title, words_title(at->a))
GET_AT(const char *, claim, at->a->results->protocol.claimed)
GET_AT(bool, has_claim, claim(at))
GET_AT(uint64_t, n_components, components_listed(&at->a->results->protocol.accept))
GET_AT(const char *, assessed,
       at->a->assessed[at->i] == !at->m->index ? component_names[at->i] : NULL)
GET_AT(const char *, not_visible, at->a->not_visible[at->i])
GET_AT(uint64_t, n_damaged, at->a->results->n_damaged_journal_lines)
GET_AT(const void *, device_of, at->a->device[at->i].there ? &at->a->device[at->i] : NULL)

MODEL(S, "All data of a report, for programs. Times are in ns, and relative quantities are ratios.",
	FIXED_TEXT(formats, "format")
	FIXED_COUNT(REPORT_FORMAT_VERSION, "format_version",
		    "Changes if a member is removed or changes its meaning.")
	BY_TEXT(program_version, "program_version", NULL)
	BY_TEXT(title, "title", NULL)
	BY_TEXT(claim, "claim",
		"The verdict is about this claim alone. \"trusted\": the claim is shown to hold. "
		"\"not trusted\": it is shown not to hold.", IF(has_claim))
	WORD(verdict, "verdict", "The worst verdict of all cases.", verdict_names)
	ROW(size_t, n_trusted, "n_trusted", COUNT, NULL)
	ROW(size_t, n_not_trusted, "n_not_trusted", COUNT, NULL)
	ROW(size_t, n_inconclusive, "n_inconclusive", COUNT, NULL)
	BY_TEXTS(n_components, assessed, "assessed", "Components that the verdicts cover.",
		 .words = component_names)
	BY_TEXTS(n_components, assessed, "not_assessed",
		"Components that the verdicts do not cover.",
		 .words = component_names, .index = 1)
	FLAG(complete, "complete", "Every planned run was made.")
	ROW(unsigned int, look, "look", COUNT,
	    "Number of the planned look at which the verdicts were given: 1 is the first look; 0: "
	    "no look has been reached yet.")
	ROW(unsigned int, n_replicates, "n_replicates", COUNT, "Blocks used, without block 0.")
	ROW(double, level_accept, "level_accept", P,
	    "Permitted probability that a component outside its limit is accepted at this look.")
	ROW(double, level_reject, "level_reject", P,
	    "Permitted probability that any component inside its limit is rejected at this look.")
	ROW(unsigned int, n_rejection_tests, "n_rejection_tests", COUNT, NULL)
	ROW(double, between_process_cv, "between_process_cv", SHARE,
	    "Coefficient of variation of the program over the blocks, median over the scenarios.")
	ROW(uint64_t, n_events_lost, "n_events_lost", COUNT, "Events that the capture lost.")
	ROW(uint64_t, n_cut, "n_cut", COUNT,
	    "Runs whose traces were made from an earlier trace that was truncated: requests can be "
	    "missing.")
	ROW(uint64_t, n_programs_unseen, "n_programs_unseen", COUNT,
	    "Number of programs that can make calls that the capture does not see, summed over all "
	    "runs. Their traces are incomplete.")
	ROW(uint64_t, n_requests_unseen, "n_requests_unseen", COUNT,
	    "Signs that requests are missing from the traces, such as io_uring rings that the "
	    "capture could not see. Summed over all runs.")
	BY_TEXTS(NULL, not_visible, "not_visible",
		 "Requests that the method of recording never shows; the verdict does not cover "
		 "these requests. Empty if the traces come from validate microbench, validate "
		 "replay or the log of a volume.", MODEL_LENGTH(n_not_visible))
	BY_COUNT(n_damaged, "n_damaged_journal_lines", NULL)
	ARRAY(cell, n_cells, "cells", NULL)
	ARRAY(rated, n_rated, "rated_ranges", NULL)
	ARRAY(linearity, n_linearity, "linearity", NULL)
	ARRAY(operation, n_operations, "operations", NULL)
	ARRAY(claim, n_claims, "findings", NULL)
	ARRAY(published, n_published, "published", NULL)
	ARRAY(course, n_cells, "courses", NULL)
	ARRAY(cost, n_cells, "costs", NULL)
	ARRAY(league, n_league, "league", NULL)
	ARRAY(device, n_cells, "at_device", NULL, .item = device_of)
	POINTER(parallel, "parallel", NULL, IF_SET(parallel))
	ARRAY(source, n_sources, "uncertainty_sources", NULL)
	INLINE_POINTER(results, results))
#undef S
