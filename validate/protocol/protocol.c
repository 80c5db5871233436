/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/protocol/protocol.h"

#include "common/device_queue.h"
#include "common/files.h"
#include "common/units.h"
#include "microbench/volume/service.h"
#include "validate/protocol/launch_settings.h"
#include "validate/protocol/pairing.h"
#include "validate/protocol/protocol_read.h"

#define REPLICATES_MAX 10000
#define RUNS_MAX 1000000
#define VOLUME_DEFAULT_BYTES (UINT64_C(256) << 20)

static const char *const section_kinds[] = {"protocol", "target",  "workload", "replayer",
					    "accept",   "compare", "claim",    NULL};

static const unsigned int planned_looks[] = {10, 14, 20, 28, 40, 60};

static void defaults_set(struct protocol *p)
{
	*p = (struct protocol){
	    .seed = 1,
	    .min_duration_ns = 200000000,
	    .timeout_ns = 60000000000,
	    .settle_ns = 10000000,
	    .slice_ns = 5000000,
	    .accept = accept_defaults,
	    .compare = compare_defaults,
	};
}

int key_refuse(const struct protocol_file *f, const struct ini_key *k, struct err *e)
{
	return err_context(e, "%s:%u: %s", f->path, k->line, k->name);
}

int key_err(const struct protocol_file *f, const struct ini_key *k, struct err *e, const char *fmt,
	    ...)
{
	va_list ap;
	va_start(ap, fmt);
	err_vset(e, EINVAL, fmt, ap);
	va_end(ap);
	return key_refuse(f, k, e);
}

int key_set(const struct protocol_file *f, const struct option_spec *table, void *config,
	    const struct ini_key *k, struct err *e)
{
	const struct option_spec *o = options_find(table, k->name);
	if (!o) {
		/* called for its error, which has the nearest name */
		if (options_set(table, config, k->name, k->value, e) &&
		    !options_nearest(table, k->name))
			err_set(e, ENOENT, "unknown key \"%s\" (\"validate init --full -\" "
				"shows most keys)", k->name);
		return err_context(e, "%s:%u", f->path, k->line);
	}
	/* key_set() makes its own copy of a string */
	if (o->type == OPT_STRING) {
		char **field = (char **)((char *)config + o->offset);
		free(*field);
		*field = xstrdup(k->value);
		return 0;
	}
	if (options_set(table, config, k->name, k->value, e) < 0)
		return err_context(e, "%s:%u", f->path, k->line);
	return 0;
}

int section_set(const struct protocol_file *f, const struct option_spec *table, void *config,
		const struct ini_section *s, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; i < s->n_keys && !ret; i++)
		ret = key_set(f, table, config, &s->key[i], e);
	return ret;
}

/* Reads [accept]. If the execution-time limit is given, it also applies to timed replays. */
static int accept_read(const struct protocol_file *f, struct protocol *p,
		       const struct ini_section *s, struct err *e)
{
	int ret = section_set(f, accept_keys, p, s, e);
	if (!ret && ini_key_find(s, "execution-time") && !ini_key_find(s, "execution-time-timed"))
		p->accept.execution_time_timed = p->accept.execution_time;
	return ret;
}

/* Parses "20" or "10..60", and derives the looks. */
static int replicates_read(struct protocol *p, struct err *e)
{
	char *text = p->replicates, *dots = strstr(text, "..");
	int ret;
	if (dots) {
		*dots = 0;
		ret = parse_uint(text, &p->n_replicates_min, e);
		*dots = '.';
		ret = ret ? ret : parse_uint(dots + 2, &p->n_replicates_max, e);
	} else {
		ret = parse_uint(text, &p->n_replicates_min, e);
		p->n_replicates_max = p->n_replicates_min;
	}
	if (ret)
		return err_context(e, "expected a number or A..B");
	if (p->n_replicates_min < 2)
		return err_set(e, EINVAL,
			       "\"%s\" is too small: at least 2 are needed to estimate precision, "
			       "and 6 to accept it",
			       text);
	if (p->n_replicates_max < p->n_replicates_min)
		return err_set(e, EINVAL, "\"%s\": the second number is smaller than the first",
			       text);
	if (p->n_replicates_max > REPLICATES_MAX)
		return err_set(e, EINVAL, "\"%s\" is too large: at most %d replicates are possible",
			       text, REPLICATES_MAX);
	for (size_t i = 0; !p->budget_ns && i < sizeof planned_looks / sizeof *planned_looks; i++)
		if (planned_looks[i] >= p->n_replicates_min &&
		    planned_looks[i] < p->n_replicates_max)
			p->look[p->n_looks++] = planned_looks[i];
	p->look[p->n_looks++] = (unsigned int)p->n_replicates_max;
	return 0;
}

static int protocol_section(struct protocol *p, const struct protocol_file *f, struct err *e)
{
	const struct ini_section *s = section_find(f, "protocol");
	if (!s)
		return err_set(e, EINVAL, "%s: section [protocol] is missing", f->path);
	int ret = section_set(f, protocol_keys, p, s, e);
	if (ret)
		return ret;
	if (!p->replicates)
		p->replicates = xstrdup(p->budget_ns ? "8..60" : "20");
	const struct ini_key *k = ini_key_find(s, "replicates");
	if (replicates_read(p, e) < 0)
		return k ? key_refuse(f, k, e) : -EINVAL;
	cpu_set_t cpus;
	if (p->cpus && cpus_parse(p->cpus, &cpus, e) < 0)
		return key_refuse(f, ini_key_find(s, "cpus"), e);
	struct scheduling *policies = NULL;
	size_t n_policies;
	if (p->scheduler && launch_scheduling_parse(p->scheduler, &policies, &n_policies, e) < 0)
		return key_refuse(f, ini_key_find(s, "scheduler"), e);
	free(policies);
	k = ini_key_find(s, "bank");
	if (k && (!p->n_bank || p->n_bank > protocol_n_blocks(p)))
		return key_err(f, k, e,
			       "\"%s\": expected 1 to %llu. The largest value is the number of "
			       "blocks, and the warm-up block 0 counts too",
			       k->value, (unsigned long long)protocol_n_blocks(p));
	k = ini_key_find(s, "sessions");
	if (k && p->n_replicates_max < 4)
		return key_err(f, k, e, "at least 4 replicates are necessary, because there are at "
			       "least two sessions, and each session needs two blocks");
	if (k && (p->n_sessions < 2 || p->n_sessions > p->n_replicates_max / 2))
		return key_err(f, k, e,
			       "\"%s\": expected %s%llu, because each session needs two blocks",
			       k->value, p->n_replicates_max < 6 ? "" : "2 to ",
			       (unsigned long long)(p->n_replicates_max / 2));
	if (p->timeout_ns < 2 * p->min_duration_ns)
		return err_set(
		    e, EINVAL,
		    "%s:%u: timeout must be at least twice min-duration, because a run can last "
		    "longer than min-duration",
		    f->path, s->line);
	return 0;
}

/* Checks one of the two limits of memory, if it is set. */
static int target_limit_check(const struct protocol_file *f, const struct ini_section *s,
	const struct target *t, const char *key, uint64_t bytes, struct err *e)
{
	const struct ini_key *k = ini_key_find(s, key);
	if (!bytes)
		return 0;
	if (t->cache == CACHE_WARM)
		err_set(e, EINVAL, "\"%s\": it limits the page cache of a run, but with cache = "
			"warm all files are cached before each run: remove this key, or set cache "
			"= cold", k->value);
	else if (bytes < 1 << 20)
		err_set(e, EINVAL, "\"%s\": a memory cgroup below 1 MiB kills its processes: "
			"set 1MiB or more", k->value);
	else if (t->cache_budget_bytes && t->memory_limit_bytes)
		err_set(e, EINVAL, "\"%s\": use either cache-budget or memory-limit, not both",
			k->value);
	else
		return 0;
	return key_refuse(f, k, e);
}

/* Checks the device or volume of requests below the file system. */
static int target_device_check(const struct protocol_file *f, const struct ini_section *s,
			       struct target *t, struct err *e)
{
	const struct ini_key *volume = ini_key_find(s, "volume"), *size = ini_key_find(s, "size"),
			     *destructive = ini_key_find(s, "destructive"),
			     *file = ini_key_find(s, "volume-file");
	struct service *service = NULL;
	int ret = 0;
	if (t->device && t->volume)
		return key_err(f, volume, e,
			"the target already has a device: use either device or volume");
	if (t->destructive && !t->device)
		return key_err(f, destructive, e,
			"it applies only with the key \"device\", which this section lacks");
	if (t->volume_file && !t->volume)
		return key_err(f, file, e, "it applies only with the key \"volume\", which this "
			"section lacks");
	if (t->size_bytes && (!t->volume || t->size_bytes % 4096))
		return key_err(f, size, e,
			       t->volume
				   ? "the size must be a multiple of 4096 bytes"
				   : "it applies only with the key \"volume\", which this section "
				   	"lacks");
	if (!t->size_bytes)
		t->size_bytes = VOLUME_DEFAULT_BYTES;
	if (t->volume)
		ret = service_parse(&service, t->volume, t->size_bytes, 1, e);
	service_free(service);
	return ret ? key_refuse(f, volume, e) : 0;
}

static int target_sections(struct protocol *p, const struct protocol_file *f, struct err *e)
{
	p->target = xcalloc(f->ini.n_sections + 1, sizeof *p->target);
	for (size_t i = 0; i < f->ini.n_sections; i++) {
		const struct ini_section *s = &f->ini.section[i];
		if (strcmp(s->kind, "target"))
			continue;
		struct target *t = &p->target[p->n_targets++];
		t->name = xstrdup(s->name);
		int ret = section_set(f, target_keys, t, s, e);
		if (ret)
			return ret;
		if (t->queue && device_queue_check(t->queue, e) < 0)
			return key_refuse(f, ini_key_find(s, "queue"), e);
		ret = target_device_check(f, s, t, e);
		if (!ret && responsiveness_check(p, t, e))
			ret = key_refuse(f, ini_key_find(s, "responsiveness"), e);
		if (!ret)
			ret = target_limit_check(f, s, t, "cache-budget", t->cache_budget_bytes, e);
		if (!ret)
			ret = target_limit_check(f, s, t, "memory-limit", t->memory_limit_bytes, e);
		if (ret)
			return ret;
	}
	if (!p->n_targets)
		p->target[p->n_targets++].name = xstrdup("default");
	return 0;
}

static int sections_check(const struct protocol_file *f, struct err *e)
{
	for (size_t i = 0; i < f->ini.n_sections; i++) {
		const struct ini_section *s = &f->ini.section[i];
		const char *near = nearest_name(s->kind, section_kinds);
		const bool known = word_in(s->kind, section_kinds), single = word_in(s->kind,
			(const char *const[]){"protocol", "accept", "compare", NULL});
		if (!known && near)
			err_set(e, EINVAL, "unknown section [%s] (did you mean [%s]?)", s->kind,
				near);
		else if (!known)
			err_set(e, EINVAL, "unknown section [%s]: the sections are protocol, "
				"target, workload, replayer, accept, compare and claim", s->kind);
		else if (single && s->name)
			err_set(e, EINVAL, "the section is [%s], without a name", s->kind);
		else if (!single && !s->name)
			err_set(e, EINVAL, "[%s] needs a name: [%s NAME]", s->kind, s->kind);
		else
			continue;
		return err_context(e, "%s:%u", f->path, s->line);
	}
	return 0;
}

const struct ini_section *section_find(const struct protocol_file *f, const char *kind)
{
	for (size_t i = 0; i < f->ini.n_sections; i++)
		if (!strcmp(f->ini.section[i].kind, kind))
			return &f->ini.section[i];
	return NULL;
}

/* inih accepts only ';' as comment after a value. Any other comment would become part of the value,
 * so it is an error. */
static int comments_check(const struct protocol_file *f, struct err *e)
{
	for (size_t i = 0; i < f->ini.n_sections; i++)
		for (size_t j = 0; j < f->ini.section[i].n_keys; j++) {
			const struct ini_key *k = &f->ini.section[i].key[j];
			if (!strcmp(k->name, "title") || !strcmp(f->ini.section[i].kind, "claim") ||
			    (!strstr(k->value, " #") && k->value[0] != '#'))
				continue;
			return key_err(f, k, e,
				"\"%s\": a comment after a value begins with \" ;\"", k->value);
		}
	return 0;
}

static int names_set(struct protocol *p, const char *path)
{
	const char *base = strrchr(path, '/');
	p->path = xstrdup(path);
	p->name = xstrdup(base ? base + 1 : path);
	char *end = strrchr(p->name, '.');
	if (end && end != p->name && !strcmp(end, ".conf"))
		*end = 0;
	return 0;
}

#define PARALLEL_BANK 4

/* Sets the default of the bank. A trace needs a single copy. The recording of a parallel
 * application takes a run for each node, so it is not made for each block. With a single recording,
 * no case could be trusted. */
static void bank_default(struct protocol *p)
{
	const uint64_t n_blocks = protocol_n_blocks(p);
	bool all = true, parallel = false;
	for (size_t i = 0; i < p->n_scenarios; i++) {
		all &= p->scenario[i].trace || p->scenario[i].parallel.is;
		parallel |= p->scenario[i].parallel.is;
	}
	if (!all || p->n_bank)
		return;
	p->n_bank = parallel && p->reference == REFERENCE_RERUN ? PARALLEL_BANK : 1;
	if (p->n_bank > n_blocks)
		p->n_bank = n_blocks;
}

/* `text` NULL: the file's. */
static int text_read(struct protocol *p, const char *path, const struct strbuf *text, struct err *e)
{
	struct protocol_file f = {.path = path};
	defaults_set(p);
	names_set(p, path);
	p->text = text ? xstrdup(text->s) : NULL;
	int ret = text ? ini_text_read(&f.ini, path, text, e) : ini_file_read(&f.ini, path, e);
	ret = ret ? ret : sections_check(&f, e);
	ret = ret ? ret : comments_check(&f, e);
	ret = ret ? ret : protocol_section(p, &f, e);
	ret = ret ? ret : target_sections(p, &f, e);
	ret = ret ? ret : workloads_read(p, &f, e);
	if (!ret)
		bank_default(p);
	ret = ret ? ret : replayers_read(p, &f, e);
	ret = ret ? ret : parallel_check(p, e);
	ret = ret ? ret : observe_resolve(p, e);
	ret = ret ? ret : pairing_check(p, e);
	if (!ret && p->claimed && claim_limits(p, e))
		ret = key_refuse(&f, ini_key_find(section_find(&f, "protocol"), "claim"), e);
	if (!ret && section_find(&f, "accept"))
		ret = accept_read(&f, p, section_find(&f, "accept"), e);
	ret = ret ? ret : compare_read(p, &f, e);
	ret = ret ? ret : claims_read(p, &f, e);
	ret = ret ? ret : published_read(p, &f, e);
	if (!ret && protocol_n_runs(p) > RUNS_MAX)
		ret = err_set(e, EINVAL, "%s: %llu runs are planned, but at most %d are "
					 "possible: reduce scenarios or replicates", path,
			(unsigned long long)protocol_n_runs(p), RUNS_MAX);
	if (!p->title)
		p->title = xstrdup(p->name);
	ini_file_release(&f.ini);
	if (ret)
		protocol_release(p);
	return ret;
}

int protocol_read(struct protocol *p, const char *path, struct err *e)
{
	return text_read(p, path, NULL, e);
}

int protocol_read_with(struct protocol *p, const char *path, const struct protocol_given *g,
		       struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	const bool launch = g->rank_hosts || g->launchers.n;
	int ret = protocol_read(p, path, e);
	if (ret || !(g->replicates || g->budget || g->claim || g->replayers || g->sections ||
		     launch))
		return ret;
	ret = file_read(path, &text, 0, e);
	if (!ret && launch)
		ret = protocol_text_launch(&text, p, g, e);
	const uint64_t n_bank = p->n_bank, n_sessions = p->n_sessions;
	protocol_release(p);
	if (ret)
		return ret;
	protocol_text_change(&text, g, n_bank, n_sessions);
	ret = text_read(p, path, &text, e);
	return ret ? err_context(e, g->claim ? "the protocol with the claim added"
				    : launch ? "the protocol with the options of the command line"
					     : "--replicates") : 0;
}

static void settings_free(struct setting *option, size_t n)
{
	for (size_t i = 0; i < n; i++)
		FREE_EACH(option[i].key, option[i].value);
	free(option);
}

void protocol_release(struct protocol *p)
{
	for (size_t i = 0; i < p->n_targets; i++) {
		FREE_EACH(p->target[i].name, p->target[i].dir, p->target[i].queue,
			  p->target[i].device, p->target[i].volume);
	}
	for (size_t i = 0; i < p->n_scenarios; i++) {
		FREE_EACH(p->scenario[i].name, p->scenario[i].workload, p->scenario[i].type);
		settings_free(p->scenario[i].option, p->scenario[i].n_options);
	}
	for (size_t i = 0; i < p->n_replayers; i++) {
		FREE_EACH(p->replayer[i].name, p->replayer[i].section, p->replayer[i].engine,
			p->replayer[i].applies, p->replayer[i].mutant_acts, p->replayer[i].absent);
		settings_free(p->replayer[i].option, p->replayer[i].n_options);
	}
	compare_release(p);
	claims_release(p);
	published_release(p);
	FREE_EACH(p->text, p->claimed);
	FREE_EACH(p->target, p->scenario, p->replayer, p->path, p->name, p->title, p->issuer,
		  p->place, p->standard, p->replicates, p->scratch, p->cpus, p->scheduler);
	*p = (struct protocol){0};
}

uint64_t protocol_n_blocks(const struct protocol *p)
{
	return p->n_replicates_max + 1;
}

uint64_t protocol_n_bank(const struct protocol *p)
{
	return p->n_bank ? p->n_bank : protocol_n_blocks(p);
}

uint64_t protocol_n_runs(const struct protocol *p)
{
	uint64_t per_block = p->reference == REFERENCE_RERUN ? p->n_scenarios : 0;
	for (size_t i = 0; i < p->n_replayers; i++)
		for (size_t s = 0; s < p->n_scenarios; s++)
			per_block += p->replayer[i].applies[s];
	uint64_t n_recorded = 0;
	for (size_t s = 0; s < p->n_scenarios; s++)
		n_recorded += scenario_recording(p, s) == s;
	return protocol_n_bank(p) * n_recorded + protocol_n_blocks(p) * per_block;
}
