/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/certificate/certificate.h"
#include "reports/forms.h"
#include "reports/output.h"

#define WIDTH 100

static int certificate_write(const struct analysis *a, const char *report_dir, struct err *e)
{
	struct certificates c;
	struct strbuf text = STRBUF_INIT, page = STRBUF_INIT;
	certificates_collect(&c, a);
	certificate_add_text(&text, &c, WIDTH);
	certificate_add_html(&page, &c);
	int ret = output_file(report_dir, "certificate.txt", &text, e);
	if (!ret)
		ret = output_file(report_dir, "certificate.html", &page, e);
	certificates_release(&c);
	strbuf_release(&text);
	strbuf_release(&page);
	return ret;
}

static int certificate_print(const struct analysis *a, FILE *out, struct err *e)
{
	struct certificates c;
	struct strbuf text = STRBUF_INIT;
	certificates_collect(&c, a);
	certificate_add_text(&text, &c, WIDTH);
	int ret = output_stream(out, &text, e);
	certificates_release(&c);
	strbuf_release(&text);
	return ret;
}

const struct report_form report_form_certificate = {
    .name = "certificate",
    .help = "a page for each replayer, to be cited beside published measurements",
    .write = certificate_write,
    .print = certificate_print,
};
