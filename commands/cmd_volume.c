/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate volume: reference storage with a programmed service time. */

#include "commands/commands.h"
#include "commands/volume_delivered.h"
#include "common/units.h"
#include "microbench/volume/volume.h"
#include "reports/json/json_value.h"
#include "common/text.h"

struct volume_options {
	struct volume_config made;
	const char *lead; /* --lead */
	const char *root; /* --root */
	const char *output;
	bool json, reset, all;
};

#define MADE(field) offsetof(struct volume_options, made.field)
#define AT(field) offsetof(struct volume_options, field)
static const struct option_spec volume_options[] = {
	OPTION(SIZE, "size", MADE(n_bytes), .letter = 's', .arg = "SIZE", .min = 4096, .max = -1,
	       .help = "create: size of the volume (default 1G)"),
	OPTION(STRING, "service", MADE(service), .arg = "MODEL", .help = "create: model of the "
	       "service time, see above (default constant:time=200us)"),
	OPTION(STRING, "file", MADE(backing), .arg = "FILE",
	       .help = "create: store the content in FILE, which is created if missing (default: "
	       "in memory)"),
	OPTION(UINT, "seed", MADE(seed), .arg = "N",
	       .help = "create: seed of the random service times (default 1)"),
	OPTION(UINT, "log", MADE(log_cap), .arg = "N", .min = 1, .max = 4294967296.0,
	       .help = "create: number of requests that the log can hold; further requests are "
	       "only counted (default 1000000)"),
	OPTION(STRING, "lead", AT(lead), .arg = "TIME", .help = "create: send each answer this "
	       "long before it is due; auto: the measured time until an answer reaches the client "
	       "(default auto)"),
	OPTION(FLAG, "loop", MADE(loop),
	       .help = "create: also create a loop device (default: yes as root, else no)"),
	OPTION(STRING, "output", AT(output), .letter = 'o', .arg = "TRACE",
	       .help = "trace: write the log to TRACE"),
	OPTION(FLAG, "reset", AT(reset), .help = "trace: empty the log after it is written"),
	OPTION(FLAG, "all", AT(all), .help = "remove: every volume of this user"),
	OPTION(FLAG, "json", AT(json), .help = "list: print one JSON object"),
	OPTION(STRING, "root", AT(root), .arg = "DIR", .help = "directory of the volumes (default: "
	       "/run/validate-volumes for root; for other users $XDG_RUNTIME_DIR/validate-volumes "
	       "or /tmp/validate-volumes-UID)"),
	{.name = NULL},
};

static const char synopsis[] = "create NAME [options]\nlist [NAME] [--json]\ntrace NAME -o TRACE "
			       "[--reset]\nremove NAME... | --all";
static const char about[] =
	"Creates storage with a known service time. A FUSE server provides one file. Its\n"
	"content is in memory, or in another file (--file). As root, the command also\n"
	"creates a loop device on the file of the server. Each request is answered when\n"
	"its service time is over. The server logs arrival, start of service and answer\n"
	"of each request. \"list\" shows how long requests took in each volume, including\n"
	"waits in queues; \"trace\" writes the log as a block-level trace.\n"
	"\n"
	"Exit status: 0 done, 2 wrong usage, 3 failed, 6 refused because the volume is in\n"
	"use.\n"
	"\n"
	"MODEL is KIND or KIND:key=value,key=value:\n"
	"  constant:time=200us        or read= and write= separately\n"
	"  exponential:mean=1ms       random; also lognormal:mean=,sd=\n"
	"                             uniform:from=,to=  gamma:mean=,shape=\n"
	"  hdd:rpm=7200,seek=8.5ms,track-seek=0.8ms,rate=150MB\n"
	"                             one head: seek, rotation, transfer; seek= is the\n"
	"                             mean seek time; full-seek=, the longest seek\n"
	"                             time, can replace it\n"
	"  ssd:channels=8,unit=16K,read=80us,write=200us,rate=400MB\n"
	"                             consecutive units are on different channels\n"
	"  throttled:read-iops=,write-iops=,read-rate=,write-rate=\n"
	"                             a cgroup limits the rate on the loop device,\n"
	"                             only for processes in this cgroup; requests\n"
	"                             stall for up to 100 ms\n"
	"constant, exponential, lognormal, uniform and gamma accept parallel=N: serve at\n"
	"most N requests at a time (default 0: all). All kinds except throttled accept\n"
	"flush=TIME, the service time of a flush (default 0).";

/* --- list ---------------------------------------------------------------- */

static void lead_print(const struct volume_lead *l)
{
	printf("  lead       the server answers %s early with %u request in flight",
	       duration_text((double)l->ns[0]).s, volume_depth[0]);
	for (int k = 1; k < VOLUME_DEPTHS; k++)
		printf("%s%s with %u", k == 1 ? ",\n             " : ", ",
		       duration_text((double)l->ns[k]).s, volume_depth[k]);
	putchar('\n');
	if (l->high_ns)
		printf("  outside    test reads spent %s to %s outside the server (quartiles)\n",
		       duration_text((double)l->low_ns).s, duration_text((double)l->high_ns).s);
	if (l->high_ns && l->n_steady < VOLUME_DEPTHS)
		printf("  warning    with %u%s requests in flight, the mean of the test reads\n"
		       "             differs from the programmed time by more than 1.5 %%: the\n"
		       "             machine was busy (create the volume again), or is too slow\n",
		       volume_depth[l->n_steady],
		       l->n_steady + 1 == VOLUME_DEPTHS ? "" : " or more");
}

static int volume_print(const struct volume *v, struct err *e)
{
	struct volume_log log;
	if (!v->service) {
		printf("%-12s %s: its creation did not finish; to remove it: validate volume "
		       "remove %s\n", v->name,
		       v->dir, v->name);
		return 0;
	}
	printf("%-12s %s, %s in %s%s\n", v->name, volume_path(v), size_text(v->n_bytes).s,
	       v->backing ? v->backing : "memory",
	       v->alive ? ""
			: "; its server has ended, so nothing can be read or written: remove the "
			  "volume, and create it again");
	printf("  service    %s\n", v->service);
	if (v->group)
		printf("  warning    the rate is limited only for processes in the cgroup\n"
		       "             %s.\n"
		       "             The kernel lets requests pass in bursts, with\n"
		       "             stalls of up to 100 ms between them: the rate is exact, but\n"
		       "             service times are not\n", v->group);
	else
		lead_print(&v->lead);
	int ret = volume_log_open(&log, v->log, false, e);
	if (ret)
		return ret;
	ret = volume_delivered_print(&log, e);
	volume_log_close(&log);
	return ret;
}

static json_t *volume_json(const struct volume *v)
{
	struct volume_log log;
	json_t *leads = json_array();
	for (int k = 0; k < VOLUME_DEPTHS; k++)
		json_array_append_new(leads, json_integer(v->lead.ns[k]));
	json_t *o =
	    json_pack("{s:s, s:o, s:s?, s:o, s:o, s:I, s:o, s:I, s:I, s:I, s:o, s:I, s:b}", "name",
		      v->name,
		      "path", text_to_json(volume_path(v)), "service", v->service, "backing",
		      text_to_json(v->backing), "group", text_to_json(v->group), "size",
		      (json_int_t)v->n_bytes, "seed", json_of_count(v->seed), "lead_ns",
		      (json_int_t)v->lead.ns[0], "way_low_ns", (json_int_t)v->lead.low_ns,
		      "way_high_ns", (json_int_t)v->lead.high_ns, "leads_ns", leads, "n_steady",
		      (json_int_t)v->lead.n_steady, "alive", v->alive);
	if (!o || volume_log_open(&log, v->log, false, NULL))
		return o;
	volume_delivered_json(&log, o, NULL);
	volume_log_close(&log);
	return o;
}

/* --- the actions --------------------------------------------------------- */

static int create_named(const struct volume_options *o, char **names, struct err *e)
{
	SCOPED(volume_release) struct volume v = {0};
	struct volume_config c = o->made;
	if (o->lead && strcmp(o->lead, "auto") && parse_duration(o->lead, &c.lead_ns, e))
		return err_context(e, "--lead"), EXIT_USAGE;
	int ret = volume_create(o->root, names[0], &c, &v, e);
	if (ret)
		return ret == -EINVAL || ret == -ERANGE ? EXIT_USAGE : EXIT_FAILED;
	ret = volume_print(&v, e);
	return ret ? EXIT_FAILED : EXIT_OK;
}

static int list_volumes(const struct volume_options *o, char **names, struct err *e)
{
	struct volume *v = NULL, one;
	size_t n = 1;
	int ret =
	    names[0] ? volume_find(o->root, names[0], &one, e) : volume_list(o->root, &v, &n, e);
	if (ret)
		return EXIT_FAILED;
	const struct volume *shown = names[0] ? &one : v;
	json_t *root = o->json ? json_array() : NULL;
	for (size_t i = 0; i < n && !ret; i++) {
		if (root)
			json_array_append_new(root, volume_json(&shown[i]));
		else
			ret = volume_print(&shown[i], e);
	}
	if (root)
		json_print(json_pack("{s:o}", "volumes", root));
	else if (!n)
		puts("no volumes");
	if (names[0])
		volume_release(&one);
	else
		volumes_release(v, n);
	return ret ? EXIT_FAILED : EXIT_OK;
}

static int trace_named(const struct volume_options *o, char **names, struct err *e)
{
	SCOPED(volume_release) struct volume v = {0};
	struct volume_log log;
	if (!o->output)
		return err_set(e, EINVAL, "-o TRACE is missing"), EXIT_USAGE;
	int ret = volume_find(o->root, names[0], &v, e);
	ret = ret ? ret : volume_log_open(&log, v.log, o->reset, e);
	if (!ret) {
		ret = volume_log_trace(&log, volume_path(&v), v.service ? v.service : "unknown",
				       o->output, e);
		if (!ret)
			printf("%s: %" PRIu64 " request%s written\n", o->output,
			       atomic_load(&log.head->n),
			       atomic_load(&log.head->n) == 1 ? "" : "s");
		if (!ret && o->reset)
			volume_log_reset(&log);
		volume_log_close(&log);
	}
	return ret ? EXIT_FAILED : EXIT_OK;
}

static int remove_one(const struct volume *v, struct err *e)
{
	bool refused;
	int ret = volume_remove(v, &refused, e);
	if (!ret)
		printf("%s removed\n", v->name);
	return refused ? EXIT_REFUSED : ret ? EXIT_FAILED : EXIT_OK;
}

static int remove_named(const struct volume_options *o, char **names, struct err *e)
{
	int status = EXIT_OK;
	for (; *names && status == EXIT_OK; names++) {
		SCOPED(volume_release) struct volume v;
		status = volume_find(o->root, *names, &v, e) ? EXIT_FAILED : remove_one(&v, e);
	}
	return status;
}

static int remove_them(const struct volume_options *o, char **names, struct err *e)
{
	struct volume *v;
	size_t n;
	if (!o->all && !names[0])
		return err_set(e, EINVAL, "the argument NAME is missing: name volumes, or use "
					  "--all"),
		       EXIT_USAGE;
	if (o->all && names[0])
		return err_set(e, EINVAL,
			       "--all removes every volume: do not name \"%s\" too",
			       names[0]),
		       EXIT_USAGE;
	if (!o->all)
		return remove_named(o, names, e);
	if (volume_list(o->root, &v, &n, e))
		return EXIT_FAILED;
	int status = EXIT_OK;
	for (size_t i = 0; i < n && status == EXIT_OK; i++)
		status = remove_one(&v[i], e);
	volumes_release(v, n);
	return status;
}

static const struct action {
	const char *name;
	/* `names` is NULL-terminated */
	int (*run)(const struct volume_options *o, char **names, struct err *e);
	int min, max; /* permitted number of names */
} actions[] = {
	{"create", create_named, 1, 1}, {"list", list_volumes, 0, 1}, {"trace", trace_named, 1, 1},
	{"remove", remove_them, 0, 1000}, {NULL},
};

/* Refuses options that belong to another action. */
static int options_check(const struct volume_options *o, const char *action, struct err *e)
{
	struct volume_config usual;
	volume_config_init(&usual);
	const struct volume_config *c = &o->made;
	const bool makes = o->lead || c->n_bytes != usual.n_bytes || strcmp(c->service,
		usual.service) || c->backing || c->seed != usual.seed ||
		c->log_cap != usual.log_cap || c->loop != usual.loop;
	const struct {
		bool given;
		const char *options, *of;
	} option[] = {
	    {makes, "--size, --service, --file, --seed, --log, --lead and --loop are", "create"},
	    {o->json, "--json is", "list"},
	    {o->output || o->reset, "--output and --reset are", "trace"},
	    {o->all, "--all is", "remove"}};
	for (size_t i = 0; i < sizeof option / sizeof *option; i++)
		if (option[i].given && strcmp(option[i].of, action))
			return err_set(e, EINVAL, "%s allowed only with \"validate volume %s\"",
				       option[i].options, option[i].of);
	return 0;
}

static int volume_main(int argc, char **argv, struct err *e)
{
	struct volume_options o = {.json = false};
	int n;
	volume_config_init(&o.made);
	int status = command_parse(&cmd_volume, synopsis, about, volume_options, &o, argc, argv, 1,
				   1001, &n, e);
	if (status >= 0)
		return status;
	const char *names[8];
	size_t k = 0;
	for (const struct action *a = actions; a->name; a++) {
		names[k++] = a->name;
		if (strcmp(a->name, argv[1]))
			continue;
		if (n - 1 < a->min || n - 1 > a->max)
			return err_set(e, EINVAL, "%s: %s", a->name,
				       n - 1 < a->min ? "the argument NAME is missing" : "name "
							"only one volume"),
			       EXIT_USAGE;
		if (options_check(&o, a->name, e))
			return EXIT_USAGE;
		argv[n + 1] = NULL; /* options follow the names */
		return a->run(&o, argv + 2, e);
	}
	names[k] = NULL;
	name_refuse(e, EINVAL, argv[1], names, " (the actions are create, list, trace and remove)",
		    "unknown action \"%s\"", argv[1]);
	return EXIT_USAGE;
}

const struct command cmd_volume = {"volume", "create storage with a programmed service time",
				   volume_main};
