/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate report: rebuilds DIR/report from a results directory and prints it in one form. */

#include "commands/commands.h"
#include "common/files.h"
#include "reports/certificate/certificate.h"
#include "reports/forms.h"
#include "reports/reasons.h"
#include "validate/analysis/analysis.h"
#include "validate/results/identity.h"

struct report_config {
	const char *format, *output, *issuer, *place, *issued;
	bool list, redact, certificate, verify;
};

#define FIELD(name) offsetof(struct report_config, name)
static const struct option_spec report_options[] = {
	OPTION(STRING, "format", FIELD(format), .letter = 'f', .arg = "FORM",
	       .help = "output format, see --list (default terminal)"),
	OPTION(FLAG, "certificate", FIELD(certificate),
	       .help = "the same as --format certificate: a statement about each replayer. You can "
	       "publish it with results that you measure with this replayer"),
	OPTION(FLAG, "verify", FIELD(verify), .help = "write nothing; check the results against "
	       "the digests of the campaign, and report/certificate.txt against the results"),
	OPTION(STRING, "output", FIELD(output), .letter = 'o', .arg = "OUT",
	       .flags = OPT_NOT_STDOUT,
	       .help = "write OUT/report instead of DIR/report"),
	OPTION(STRING, "issuer", FIELD(issuer), .arg = "TEXT", .help = "certificate: person or "
	       "organisation that issues it (default: the key \"issuer\" of the protocol)"),
	OPTION(STRING, "place", FIELD(place), .arg = "TEXT",
	       .help = "certificate: place of the measurement (default: the key \"place\" of the "
	       "protocol)"),
	OPTION(STRING, "issued", FIELD(issued), .arg = "YYYY-MM-DD",
	       .help = "certificate: date of issue (default: not stated)"),
	OPTION(FLAG, "redact", FIELD(redact),
	       .help = "hide host names, serial numbers, UUIDs, labels of file systems "
	       "and partitions, and paths, in the "
	       "report and in the printed text"),
	OPTION(FLAG, "list", FIELD(list), .help = "print the output formats and exit"),
	{.name = NULL},
};
#undef FIELD

static const char synopsis[] = "DIR [--format FORM | --certificate] [--redact] [-o OUT]\n"
			       "DIR --verify\n--list";
static const char about[] =
	"Makes the report DIR/report again from the results directory DIR, and prints\n"
	"the verdict. DIR/report/index.html is the page to read. When the new report is\n"
	"complete, it replaces the old report. If DIR is read-only, the report is only\n"
	"printed. On the same machine and with the same software, equal results give\n"
	"identical report files.\n"
	"\n"
	"Exit status: 0 every replayer is trusted, 1 a replayer is not trusted, 2 wrong\n"
	"usage, 3 failed, or the results were changed after the campaign, 4\n"
	"inconclusive. With --verify: 0 unchanged, 3 changed, 4 some files have no\n"
	"digest.";

static int date_check(const char *date, struct err *e)
{
	struct tm tm = {0};
	char again[16] = "";
	const char *end = strptime(date, "%Y-%m-%d", &tm);
	if (end && !*end && timegm(&tm) != -1)
		strftime(again, sizeof again, "%Y-%m-%d", &tm);
	return strcmp(again, date)
		   ? err_set(e, EINVAL, "--issued: \"%s\" is not a date: expected YYYY-MM-DD", date)
		   : 0;
}

static void text_replace(char **text, const char *with)
{
	if (!with)
		return;
	free(*text);
	*text = xstrdup(with);
}

static bool is_read_only(const char *dir)
{
	return access(dir, W_OK) < 0 && (errno == EROFS || errno == EACCES);
}

/* Sets r->report_in and writes the report there, unless the report can only be printed. */
static int report_write(const struct analysis *a, struct results *r, const char *output,
			struct err *e)
{
	r->report_in = output ? output : r->dir;
	const int ret = output ? dir_create(output, e) : 0;
	if (ret)
		return ret;
	if (output || !is_read_only(r->dir))
		return report_write_all(a, r->report_in, e);
	r->report_in = NULL;
	fprintf(stderr, "%s cannot be written, so the report is only printed; -o OUT writes it "
			"elsewhere\n",
		r->dir);
	return 0;
}

/* Compares the certificate file with the certificate of these results. */
static int certificate_verify(const struct analysis *a, const char *dir, struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s/report/certificate.txt", dir);
	SCOPED_STRBUF text = STRBUF_INIT, file = STRBUF_INIT;
	int ret = certificate_text(&text, a, e);
	ret = ret ? ret : file_read(path, &file, text.len + 1, e);
	if (!ret && (file.len != text.len || memcmp(file.s, text.s, text.len)))
		ret = err_set(e, EBADMSG, "%s differs from the certificate that these results give "
			"with the options --issuer, --place, --issued and --redact of this "
			"command", path);
	return ret;
}

static int report_verify(struct results *r, const struct analysis *a, const char *output,
			 struct err *e)
{
	const char *dir = output ? output : r->dir;
	struct results_identity i;
	if (results_verify(r, e) < 0 || seal_require(&r->seal, r->dir, e) < 0 ||
	    certificate_verify(a, dir, e) < 0 || results_identify(&i, r, e) < 0)
		return EXIT_FAILED;
	if (r->seal.state != SEAL_WHOLE) {
		err_set(e, ENODATA, "%s is not sealed: some files have no digest, so changes to "
			"these files cannot be detected (an earlier version of validate wrote "
			"them, or the start of the journal was damaged)", r->dir);
		return EXIT_INCONCLUSIVE;
	}
	printf("verified: %s, protocol SHA-256 %s, journal SHA-256 %s\n"
	       "verified: %s/report/certificate.txt is the certificate of these results\n",
	       r->dir, i.protocol, i.journal, dir);
	return EXIT_OK;
}

static int report_show(struct results *r, const struct analysis *a, const struct report_form *form,
		       const char *output, struct err *e)
{
	if (report_write(a, r, output, e) < 0 || form->print(a, stdout, e) < 0 ||
	    seal_require(&r->seal, r->dir, e) < 0)
		return EXIT_FAILED;
	return a->verdict == VERDICT_TRUSTED	     ? EXIT_OK
	       : a->verdict == VERDICT_NOT_TRUSTED ? EXIT_NOT_TRUSTED
						     : EXIT_INCONCLUSIVE;
}

static int report_run(int argc, char **argv, struct err *e)
{
	struct report_config config = {.format = "terminal"};
	const struct report_form *form;
	SCOPED(results_release) struct results r = {0};
	SCOPED(analysis_release) struct analysis a = {0};
	int n_positional;
	int status = command_parse(&cmd_report, synopsis, about, report_options, &config, argc,
				   argv, 0, 1, &n_positional, e);
	if (status >= 0)
		return status;
	if (config.list) {
		for (const struct report_form *const *f = report_forms; *f; f++)
			printf("%-18s%s\n", (*f)->name, (*f)->help);
		return EXIT_OK;
	}
	if (n_positional < 1)
		return command_fail(EXIT_USAGE, e, EINVAL,
				    "the argument DIR is missing: usage is validate report DIR");
	if (config.issued && date_check(config.issued, e) < 0)
		return EXIT_USAGE;
	if (report_form_choose(config.certificate ? "certificate" : config.format, &form, e) < 0)
		return EXIT_USAGE;
	if (results_load(&r, argv[1], e) < 0)
		return EXIT_FAILED;
	if (config.redact)
		results_redact(&r);
	text_replace(&r.protocol.issuer, config.issuer);
	text_replace(&r.protocol.place, config.place);
	r.issued = config.issued;
	if (analysis_compute(&a, &r, e) < 0) {
		/* if a change of the results made the analysis impossible, the message states this
		 * cause */
		seal_require(&r.seal, argv[1], e);
		return EXIT_FAILED;
	}
	analysis_propagate(&a);
	analysis_word(&a);
	if (analysis_describe(&a, e) < 0)
		return EXIT_FAILED;
	return config.verify ? report_verify(&r, &a, config.output, e)
			     : report_show(&r, &a, form, config.output, e);
}

const struct command cmd_report = {"report", "make and print the report of a campaign again",
				   report_run};
