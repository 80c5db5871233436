/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The certificates as a Digital Calibration Certificate: an item and a measurement result for each
 * replayer, with all its scenarios. Ratios have the unit \one, times the unit \second. Source: DCC
 * 3.1.2 (dcc.xsd of PTB), D-SI 2.1.0 (SI_Format.xsd). The schema requires a country, an e-mail
 * address and persons. A missing statement becomes "ZZ" (ISO 3166-1: user-assigned) or "not
 * stated". */

#include "reports/certificate/certificate.h"
#include "reports/escape.h"
#include "reports/forms.h"
#include "reports/number.h"
#include "reports/output.h"
#include "reports/words.h"
#include "validate/results/identity.h"
#include "validate/stats/distributions.h"

static void element_add(struct strbuf *out, const char *name, const char *text)
{
	html_addf(out, "<dcc:%s>%s</dcc:%s>\n", name, text, name);
}

/* Adds an element of textType or richContentType: the text in one language. */
static void content_add(struct strbuf *out, const char *name, const char *text)
{
	html_addf(out, "<dcc:%s><dcc:content lang=\"en\">%s</dcc:content></dcc:%s>\n", name, text,
		  name);
}

static void identification_add(struct strbuf *out, const char *issuer, const char *value,
			       const char *name)
{
	strbuf_addstr(out, "<dcc:identifications><dcc:identification>\n");
	element_add(out, "issuer", issuer);
	element_add(out, "value", value);
	content_add(out, "name", name);
	strbuf_addstr(out, "</dcc:identification></dcc:identifications>\n");
}

static void contact_add(struct strbuf *out, const char *element_name, const char *name,
			const char *place)
{
	strbuf_addf(out, "<dcc:%s>\n", element_name);
	content_add(out, "name", name);
	element_add(out, "eMail", "not stated");
	strbuf_addstr(out, "<dcc:location>\n");
	content_add(out, "further", place);
	strbuf_addf(out, "</dcc:location>\n</dcc:%s>\n", element_name);
}

static void software_add(struct strbuf *out, const char *list)
{
	strbuf_addf(out, "<dcc:%s><dcc:software>\n", list);
	content_add(out, "name", "validate");
	element_add(out, "release", VALIDATE_VERSION);
	strbuf_addf(out, "</dcc:software></dcc:%s>\n", list);
}

/* Adds an xs:date. A campaign with a certificate always has a run that counts. */
static void date_add(struct strbuf *out, const char *name, int64_t ns)
{
	element_add(out, name, date_text(ns, "%Y-%m-%d").s);
}

static const char *text_or_not_stated(const char *text)
{
	return text ? text : "not stated";
}

static void administrative_add(struct strbuf *out, const struct analysis *a,
			       const struct certificates *c)
{
	const struct protocol *p = &a->results->protocol;
	int64_t first_ns, last_ns;
	results_span(a->results, &first_ns, &last_ns);
	strbuf_addstr(out, "<dcc:administrativeData>\n");
	software_add(out, "dccSoftware");
	strbuf_addstr(out, "<dcc:coreData>\n");
	element_add(out, "countryCodeISO3166_1", "ZZ");
	element_add(out, "usedLangCodeISO639_1", "en");
	element_add(out, "mandatoryLangCodeISO639_1", "en");
	element_add(out, "uniqueIdentifier", c->one[0].number);
	date_add(out, "beginPerformanceDate", first_ns);
	date_add(out, "endPerformanceDate", last_ns);
	element_add(out, "performanceLocation", "other");
	strbuf_addstr(out, "</dcc:coreData>\n<dcc:items>\n");
	for (size_t i = 0; i < c->n; i++) {
		struct replayer_identity who;
		replayer_identify(&who, a->results, c->one[i].replayer);
		strbuf_addstr(out, "<dcc:item>\n");
		content_add(out, "name", c->one[i].name);
		strbuf_addstr(out, "<dcc:manufacturer>\n");
		content_add(out, "name", "not stated");
		strbuf_addstr(out, "</dcc:manufacturer>\n");
		element_add(out, "model", *who.version ? who.version : "not available");
		identification_add(out, "other", *who.sha256 ? who.sha256 : "not available",
				   "SHA-256 of the program's file");
		strbuf_addstr(out, "</dcc:item>\n");
	}
	strbuf_addstr(out, "</dcc:items>\n<dcc:calibrationLaboratory>\n");
	contact_add(out, "contact", text_or_not_stated(p->issuer), text_or_not_stated(p->place));
	strbuf_addstr(out, "</dcc:calibrationLaboratory>\n<dcc:respPersons><dcc:respPerson>\n"
			   "<dcc:person>\n");
	content_add(out, "name", text_or_not_stated(p->issuer));
	strbuf_addstr(out, "</dcc:person>\n</dcc:respPerson></dcc:respPersons>\n");
	contact_add(out, "customer", "not stated", "not stated");
	strbuf_addstr(out, "<dcc:statements>\n");
	for (size_t i = 0; i < c->one[0].n_facts; i++) {
		const struct certificate_fact *f = &c->one[0].fact[i];
		if (!f->of_all)
			continue;
		strbuf_addstr(out, "<dcc:statement>\n<dcc:declaration>\n");
		content_add(out, "name", f->label);
		html_addf(out, "<dcc:content lang=\"en\">%s</dcc:content>\n</dcc:declaration>\n"
			  "</dcc:statement>\n", f->text);
	}
	strbuf_addstr(out, "<dcc:statement>\n");
	content_add(out, "declaration", certificate_kind(&c->one[0]));
	if (a->results->issued)
		element_add(out, "date", a->results->issued);
	strbuf_addstr(out, "</dcc:statement>\n</dcc:statements>\n</dcc:administrativeData>\n");
}

/* --- results ------------------------------------------------------------- */

static void quantity_begin(struct strbuf *out, const char *name, double value, const char *unit)
{
	strbuf_addstr(out, "<dcc:quantity>\n");
	content_add(out, "name", name);
	strbuf_addf(out, "<si:real><si:value>%.9g</si:value><si:unit>%s</si:unit>", value, unit);
}

static void quantity_end(struct strbuf *out)
{
	strbuf_addstr(out, "</si:real>\n</dcc:quantity>\n");
}

/* Adds the mean of the runs in s, and their standard deviation if it is known. */
static void time_add(struct strbuf *out, const char *name, const char *sd_name,
		     const struct sample *s)
{
	if (!s->n)
		return;
	quantity_begin(out, name, 1e-9 * s->mean, "\\second");
	quantity_end(out);
	if (s->status || !isfinite(s->sd))
		return;
	quantity_begin(out, sd_name, 1e-9 * s->sd, "\\second");
	quantity_end(out);
}

/* Adds a ratio with its 95 % interval. The standard uncertainty is half the width of the interval
 * divided by the quantile of its degrees of freedom (GUM G.3.2). */
static void ratio_add(struct strbuf *out, const char *name, const struct estimate *e)
{
	double k;

	if (e->status)
		return;
	quantity_begin(out, name, e->value, "\\one");
	if (isfinite(e->lo95) && isfinite(e->hi95) && !t_quantile(0.975, e->df, &k))
		strbuf_addf(out,
			    "<si:coverageInterval><si:standardUnc>%.9g</si:standardUnc>"
			    "<si:intervalMin>%.9g</si:intervalMin>"
			    "<si:intervalMax>%.9g</si:intervalMax>"
			    "<si:coverageProbability>0.95</si:coverageProbability>"
			    "</si:coverageInterval>",
			    (e->hi95 - e->lo95) / 2 / k, e->lo95, e->hi95);
	quantity_end(out);
}

/* Adds the deviation of a future replay, with its expanded uncertainty U. */
static void expanded_add(struct strbuf *out, const struct cell *c)
{
	const struct estimate *bias = &c->component[COMPONENT_BIAS].estimate;
	if (bias->status || c->budget.status || !isfinite(c->budget.U95) || !(c->budget.k95 >= 1))
		return;
	quantity_begin(out, "Relative deviation of one future replay", bias->value, "\\one");
	strbuf_addf(out,
		    "<si:expandedUnc><si:uncertainty>%.9g</si:uncertainty>"
		    "<si:coverageFactor>%.6f</si:coverageFactor>"
		    "<si:coverageProbability>0.95</si:coverageProbability></si:expandedUnc>",
		    c->budget.U95, c->budget.k95);
	quantity_end(out);
}

static void result_add(struct strbuf *out, const struct analysis *a, const struct cell *c)
{
	strbuf_addstr(out, "<dcc:result>\n");
	content_add(out, "name", a->results->protocol.scenario[c->scenario].name);
	strbuf_addstr(out, "<dcc:data>\n");
	content_add(out, "text", words_verdict(NULL, c->verdict));
	if (*c->verdict_reason)
		content_add(out, "text", c->verdict_reason);
	time_add(out, "Mean response time of the program",
		 "Standard deviation of the program's runs", &c->r);
	time_add(out, "Mean response time of the replay", "Standard deviation of the replays",
		 &c->x);
	ratio_add(out, "Relative bias of the mean response time",
		  &c->component[COMPONENT_BIAS].estimate);
	expanded_add(out, c);
	ratio_add(out, "Precision ratio", &c->precision_ratio);
	strbuf_addstr(out, "</dcc:data>\n</dcc:result>\n");
}

/* Adds the result of a replayer. The schema has no word for "inconclusive": such a result has no
 * conformity. */
static void result_of_replayer(struct strbuf *out, const struct analysis *a,
			       const struct certificate *c)
{
	strbuf_addstr(out, "<dcc:measurementResult>\n");
	content_add(out, "name", c->name);
	strbuf_addstr(out, "<dcc:usedMethods>\n<dcc:usedMethod>\n");
	content_add(out, "name", "Method validation against runs of the program in the same block "
				 "as the replay");
	SCOPED_STRBUF how = STRBUF_INIT;
	for (size_t i = 0; i < c->n_facts; i++)
		if (!strcmp(c->fact[i].label, "Decision rule") ||
		    !strcmp(c->fact[i].label, "Scope"))
			strbuf_addf(&how, "%s%s: %s", how.len ? ". " : "", c->fact[i].label,
				    c->fact[i].text);
	if (how.len)
		content_add(out, "description", how.s);
	element_add(out, "norm", "ISO/IEC 17025, 7.8.6");
	element_add(out, "norm", "JCGM 106:2012");
	strbuf_addstr(out, "</dcc:usedMethod>\n</dcc:usedMethods>\n");
	software_add(out, "usedSoftware");
	strbuf_addstr(out, "<dcc:results>\n");
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].replayer == c->replayer)
			result_add(out, a, &a->cell[i]);
	strbuf_addstr(out, "</dcc:results>\n<dcc:measurementMetaData><dcc:metaData>\n");
	content_add(out, "declaration", c->sentence);
	if (c->verdict != VERDICT_INCONCLUSIVE)
		element_add(out, "conformity", c->verdict == VERDICT_TRUSTED ? "pass" : "fail");
	strbuf_addstr(out, "</dcc:metaData></dcc:measurementMetaData>\n</dcc:measurementResult>\n");
}

static int dcc_print(const struct analysis *a, FILE *file, struct err *e)
{
	SCOPED(certificates_release) struct certificates c = {0};
	SCOPED_STRBUF text = STRBUF_INIT;
	int ret = certificates_collect(&c, a, e);
	if (ret)
		return ret;
	if (!c.n)
		ret = err_set(e, ENODATA, "no replayer has a complete block (one run of the "
			      "program and one of the replayer): make more runs with \"validate "
			      "run --resume\"");
	strbuf_addstr(&text,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<dcc:digitalCalibrationCertificate xmlns:dcc=\"https://ptb.de/dcc\" "
		      "xmlns:si=\"https://ptb.de/si\" schemaVersion=\"3.1.2\">\n");
	if (!ret) {
		administrative_add(&text, a, &c);
		strbuf_addstr(&text, "<dcc:measurementResults>\n");
		for (size_t i = 0; i < c.n; i++)
			result_of_replayer(&text, a, &c.one[i]);
		strbuf_addstr(&text, "</dcc:measurementResults>\n"
				     "</dcc:digitalCalibrationCertificate>\n");
		ret = output_stream(file, &text, e);
	}
	return ret;
}

const struct report_form report_form_dcc = {
    .name = "dcc",
    .help = "Digital Calibration Certificate, XML with all scenarios",
    .print = dcc_print,
};
