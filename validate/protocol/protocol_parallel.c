/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [workload NAME] with type = parallel: an application with several nodes, captured with the
 * dependencies between them. */
#include "common/hosts.h"
#include "common/units.h"
#include "validate/protocol/protocol_programs.h"
#include "validate/protocol/selector.h"

#define PERIOD_MAX 1000000000
#define ERROR_DEFAULT 0.10
#define CAPTURE_TIMEOUT_NS (INT64_C(3600) * 1000000000)

static const char *const compute_names[] = {"auto", "blocking", "throttled", NULL};

struct parallel_config {
	const char *script, *period, *nodes, *hosts, *launcher;
	uint64_t size, n_ranks;
	double error;
	int compute;
	int64_t capture_timeout_ns;
};

#define FIELD(field) offsetof(struct parallel_config, field)
static const struct option_spec parallel_keys[] = {
    OPTION(STRING, "script", FIELD(script), .arg = "NAME.sh", .help = "script that prepares and "
           "runs the application, relative to the protocol's directory"),
    OPTION(UINT, "size", FIELD(size), .arg = "N", .help = "value passed to the script (default 1)",
           .max = 1000),
    OPTION(UINT, "ranks", FIELD(n_ranks), .arg = "N", .help = "number of ranks, passed to the "
           "script as $RANKS (default 0: the script decides)", .max = 4096),
    OPTION(STRING, "period", FIELD(period), .arg = "N|auto", .help = "delay the first request "
	       "of a node (traced thread), and every Nth after it, to find the nodes that wait for "
	       "this node. auto: N begins at 1000. The campaign halves N until the error of a "
	       "replay is at most the value of the key \"error\", or N is 1. It skips a value of N "
	       "that delays the same requests as the value before (default 1)"),
    OPTION(STRING, "nodes", FIELD(nodes), .arg = "all|N", .help = "nodes (traced threads) "
	       "whose requests are delayed, each in a run of its own: all, or N random nodes "
	       "(default all)"),
    OPTION(RATIO, "error", FIELD(error), .arg = "RATIO", .help = "period = auto: largest "
	       "accepted error of the execution time of a replay, on the storage of the recording "
	       "(default 10 %)", .min = 0.001,
           .max = 10),
    OPTION(CHOICE, "compute", FIELD(compute), .arg = "HOW", .choices = compute_names,
           .help = "what counts as computing. blocking: the time between two requests, minus "
	       "the time in calls that wait; throttled: the time between two requests of a node "
	       "as measured in the run that delays it, minus the delays; auto: throttled if any "
	       "node polls memory, else blocking (default auto)"),
    OPTION(DURATION, "capture-timeout", FIELD(capture_timeout_ns), .arg = "TIME",
           .help = "time limit of a recording with all of its runs; a longer recording is ended "
	       "and fails (default 1 h)", .min = 1e9, .max = 30 * 86400e9),
    OPTION(STRING, "hosts", FIELD(hosts), .arg = "LIST|FILE", .help = "hosts on which the script "
	       "starts ranks, such as node[01-12], or an absolute path of a file with a name on "
	       "each line (default: only this host)"),
    OPTION(STRING, "launcher", FIELD(launcher), .arg = "COMMAND", .help = "with `hosts`: command "
	       "that starts a program on a host; {host} stands for its name (default ssh {host})"),
    {.name = NULL},
};
#undef FIELD

static void config_init(struct parallel_config *c)
{
	*c = (struct parallel_config){.period = "1", .nodes = "all", .size = 1,
		.error = ERROR_DEFAULT, .capture_timeout_ns = CAPTURE_TIMEOUT_NS};
}

/* Parses an integer of 1 or more, or the word that means 0. */
static int count_or_word(const char *text, const char *word, uint64_t max, uint64_t *n,
			 struct err *e)
{
	*n = 0;
	if (!strcmp(text, word))
		return 0;
	if (parse_uint(text, n, NULL) < 0 || *n < 1 || *n > max)
		return err_set(e, EINVAL, "\"%s\": expected a whole number from 1 to %llu, or %s",
			       text, (unsigned long long)max, word);
	return 0;
}

static int counts_check(const struct protocol_file *f, const struct key_grid *g, const char *key,
			const char *word, uint64_t max, struct err *e)
{
	const struct grid_key *k = grid_find(g, key);
	uint64_t n;
	for (size_t i = 0; k && i < k->item.n; i++)
		if (count_or_word(k->item.v[i], word, max, &n, e) < 0)
			return key_refuse(f, k->key, e);
	return 0;
}

/* Returns the text of a value that may be in double quotes. The caller frees. */
static char *value_unquote(const char *value)
{
	const size_t n = strlen(value);
	return n > 1 && value[0] == '"' && value[n - 1] == '"'
		   ? xasprintf("%.*s", (int)n - 2, value + 1)
		   : xstrdup(value);
}

char *scenario_hosts(const struct scenario *s)
{
	const char *value = setting_find(s->option, s->n_options, "hosts");
	return value ? value_unquote(value) : NULL;
}

const char *scenario_launcher(const struct scenario *s)
{
	return setting_find(s->option, s->n_options, "launcher");
}

static int hosts_check(const struct protocol_file *f, const struct key_grid *g, struct err *e)
{
	const struct grid_key *hosts = grid_find(g, "hosts"), *launcher = grid_find(g, "launcher");
	for (size_t i = 0; launcher && i < launcher->item.n; i++)
		if (host_launcher_check(launcher->item.v[i], e))
			return key_refuse(f, launcher->key, e);
	if (launcher && !hosts)
		return key_err(f, launcher->key, e, "it applies only with the key \"hosts\", which "
			"this section lacks");
	if (!hosts)
		return 0;
	if (hosts->item.n > 1)
		return key_err(f, hosts->key, e, "write a list of hosts as a pattern such as "
			"node[01-12], as names in double quotes (\"a,b\"), or into a file with a "
			"name on each line");
	SCOPED(words_list_release) struct words_list names = {0};
	SCOPED_FREE char *text = value_unquote(hosts->item.v[0]);
	if (*text != '/' && (strchr(text, '/') || access(text, F_OK) == 0))
		return key_err(f, hosts->key, e, "\"%s\": expected an absolute path", text);
	return hosts_parse(text, &names, e) ? key_refuse(f, hosts->key, e) : 0;
}

static int alone_check(const struct protocol_file *f, const struct key_grid *g, struct err *e)
{
	const struct grid_key *error = grid_find(g, "error"), *period = grid_find(g, "period");
	for (size_t i = 0; period && i < period->item.n; i++)
		if (!strcmp(period->item.v[i], "auto"))
			return 0;
	if (!error)
		return 0;
	return key_err(f, error->key, e,
		       "it applies only to period = auto, which this section lacks");
}

int parallel_keys_check(const struct protocol_file *f, const struct key_grid *g, struct err *e)
{
	struct parallel_config scratch;
	config_init(&scratch);
	int ret = items_check(f, g, parallel_keys, &scratch, workload_own, NULL, e);
	ret = ret ? ret : script_keys_check(f, g, e);
	ret = ret ? ret : counts_check(f, g, "period", "auto", PERIOD_MAX, e);
	ret = ret ? ret : counts_check(f, g, "nodes", "all", 4096, e);
	ret = ret ? ret : hosts_check(f, g, e);
	return ret ? ret : alone_check(f, g, e);
}

void parallel_take(struct scenario *s)
{
	struct parallel_config c;
	config_init(&c);
	settings_apply(parallel_keys, &c, s->option, s->n_options, NULL); /* checked before */
	s->level = 1;
	s->script = c.script;
	s->size = c.size;
	s->parallel = (struct scenario_parallel){
	    .is = true, .n_ranks = c.n_ranks, .error = c.error,
	    .compute = c.compute ? compute_names[c.compute] : NULL,
	    .capture_timeout_ns = c.capture_timeout_ns,
	};
	count_or_word(c.period, "auto", PERIOD_MAX, &s->parallel.period, NULL);
	count_or_word(c.nodes, "all", 4096, &s->parallel.n_throttled, NULL);
}

/* --- shared recordings --------------------------------------------------- */

static bool same_setting(const struct scenario *a, const struct scenario *b, const char *key)
{
	return texts_same(setting_find(a->option, a->n_options, key),
			  setting_find(b->option, b->n_options, key));
}

bool scenario_same_application(const struct scenario *a, const struct scenario *b)
{
	return a->parallel.is && b->parallel.is && texts_same(a->script, b->script) &&
	       a->size == b->size && a->parallel.n_ranks == b->parallel.n_ranks &&
	       same_setting(a, b, "hosts") && same_setting(a, b, "launcher");
}

static bool same_recording(const struct scenario *a, const struct scenario *b)
{
	const struct scenario_parallel *x = &a->parallel, *y = &b->parallel;
	return scenario_same_application(a, b) && a->recorded_on == b->recorded_on &&
		x->period == y->period && x->n_throttled == y->n_throttled && texts_same(x->compute,
		y->compute) && (x->period || fabs(x->error - y->error) < 1e-12);
}

void recordings_share(struct protocol *p)
{
	for (size_t i = 0; i < p->n_scenarios; i++) {
		size_t k = 0;
		while (k < i && !same_recording(&p->scenario[k], &p->scenario[i]))
			k++;
		p->scenario[i].parallel.recording = k;
	}
}

size_t scenario_recording(const struct protocol *p, size_t i)
{
	return p->scenario[i].parallel.is ? p->scenario[i].parallel.recording : i;
}

/* --- replayers of parallel applications ---------------------------------- */

bool replayer_is_causal(const struct replayer *r)
{
	const char *mode = replayer_option(r, "mode");
	return replayer_is_of_nodes(r) && (!mode || !strcmp(mode, "causal"));
}

/* Checks that there is a replayer if period = auto, because this measures the error of a replay. */
int parallel_check(const struct protocol *p, struct err *e)
{
	for (size_t s = 0; s < p->n_scenarios; s++) {
		bool any = !p->scenario[s].parallel.is || p->scenario[s].parallel.period;
		for (size_t r = 0; r < p->n_replayers; r++)
			any |= p->replayer[r].applies[s] && replayer_is_causal(&p->replayer[r]);
		if (!any)
			return err_set(e, EINVAL, "%s: [workload %s]: period = auto measures the "
				"error of a replay, and no replayer has engine = parallel and mode "
				"= causal", p->path, p->scenario[s].workload);
	}
	return 0;
}
