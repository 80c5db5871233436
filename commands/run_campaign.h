/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands that end in a verdict share: a campaign, its analysis and its report. */
#ifndef COMMANDS_RUN_CAMPAIGN_H
#define COMMANDS_RUN_CAMPAIGN_H

#include "reports/report.h"
#include "validate/campaign/campaign.h"
#include "validate/protocol/protocol.h"

/* "results-NAME-DATE-TIME"; the caller frees. */
char *run_default_dir(const char *name);

/* The devices that may be overwritten are named on the command line (`device`, separated by commas; NULL none) and in the protocol. Returns an
 * exit status. */
int run_consent(const struct protocol *p, const char *device, struct err *e);

/* Runs the campaign (`o` but for self, which is found out), writes its report and prints one form of it. Returns an exit status: that of the
 * verdict, or EXIT_FAILED with the story in `e`. */
int run_campaign(const struct protocol *p, const struct campaign_options *o, const struct report_form *form, struct err *e);

#endif
