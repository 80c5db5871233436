/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/certified.h"

#include "common/file_digest.h"
#include "common/files.h"
#include "common/text.h"
#include "microbench/microbench.h"
#include "validate/campaign/environment.h"
#include "validate/standard/standard.h"

static bool is_certificate(const struct protocol *p)
{
	const size_t n = p->standard ? strlen(p->standard) : 0;
	return n > 5 && !strcmp(p->standard + n - 5, ".json");
}

/* Finds the largest |bias| and U of the certified points that apply to the scenarios. */
static int scenarios_cover(const struct protocol *p, const struct standard *s, double *bias,
			   double *expanded, struct err *e)
{
	int ret = 0;
	*bias = *expanded = 0;
	for (size_t i = 0; i < p->n_scenarios && !ret; i++) {
		const struct target *t = &p->target[p->scenario[i].target];
		const struct standard_point *worst;
		struct microbench_config c;
		ret = t->volume ? scenario_config(&p->scenario[i], &c, e)
				: err_set(e, EINVAL, "target %s is not a volume, so the "
						     "certificate %s does not apply to it: set "
						     "the key \"volume\", or remove the key "
						     "\"standard\"",
					  t->name, p->standard);
		if (!ret && s->loop == (t->volume_file || geteuid()))
			ret = err_set(e, EINVAL,
				      "the volume of [target %s] is on a %s, but the certificate "
				      "%s was made on a %s: %s",
				      t->name, s->loop ? "file" : "loop device", p->standard,
				      s->loop ? "loop device" : "file",
				      s->loop ? "omit volume-file, and run as root"
					      : "set volume-file = yes");
		const uint64_t depth = ret ? 1 : (c.queue_depth ? c.queue_depth : 1) * c.level;
		ret = ret ? ret : standard_covers(s, t->volume, t->size_bytes, depth, &worst, e);
		if (ret) {
			err_context(e, "%s", p->scenario[i].name);
			break;
		}
		*bias = fmax(*bias, fabs(worst->bias));
		*expanded = fmax(*expanded, worst->expanded);
	}
	return ret;
}

int certified_check(const struct protocol *p, struct err *e)
{
	struct standard s;
	double bias, expanded;
	if (!is_certificate(p))
		return 0;
	int ret = standard_read(&s, p->standard, e);
	if (ret == -ENOENT)
		return err_context(e, "the certificate that the key \"standard\" names is missing "
				   "(\"validate standard certify -o %s\" makes it)", p->standard);
	if (ret)
		return err_context(e, "standard");
	SCOPED_FREE char *self = program_path(e);
	json_t *environment = self ? environment_make(self) : NULL;
	ret = self ? standard_is_here(&s, p->standard, environment, e) : -e->code;
	ret = ret ? ret : scenarios_cover(p, &s, &bias, &expanded, e);
	json_decref(environment);
	standard_release(&s);
	return ret;
}

json_t *certified_facts(const struct protocol *p)
{
	struct standard s;
	double bias, expanded;
	char digest[FILE_DIGEST_HEX];
	if (!is_certificate(p) || standard_read(&s, p->standard, NULL))
		return NULL;
	json_t *o = NULL;
	if (!scenarios_cover(p, &s, &bias, &expanded, NULL) &&
	    !file_digest(p->standard, digest, NULL))
		o = json_pack("{s:o, s:s, s:o, s:f, s:f}", "file", text_to_json(p->standard),
			      "sha256", digest, "made", text_to_json(s.made), "bias", bias,
			      "expanded_uncertainty", expanded);
	standard_release(&s);
	return o;
}
