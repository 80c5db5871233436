/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [workload NAME] with type = program: a real program, run by a script such as those of
 * protocols/workloads. */
#include "common/units.h"
#include "validate/protocol/protocol_programs.h"

struct script_config {
	const char *script;
	uint64_t size;
};

#define FIELD(field) offsetof(struct script_config, field)
static const struct option_spec script_options[] = {
    OPTION(STRING, "script", FIELD(script), .arg = "NAME.sh", .help = "script that prepares and "
           "runs the program, relative to the protocol's directory"),
    OPTION(UINT, "size", FIELD(size), .arg = "N", .help = "value passed to the script (default 1)",
           .max = 1000),
    {.name = NULL},
};
#undef FIELD

/* Checks the name of a script. The script is copied to the results directory under the same name,
 * so the name must stay below the protocol's directory. */
static int name_check(const char *name, struct err *e)
{
	size_t len = strlen(name);
	if (name[0] == '/' || name[0] == '.' || strstr(name, "..") || len < 4 ||
	    strcmp(name + len - 3, ".sh"))
		return err_set(
		    e, EINVAL,
		    "\"%s\": expected a script NAME.sh in the protocol's directory or below it",
		    name);
	return 0;
}

int script_keys_check(const struct protocol_file *f, const struct key_grid *g, struct err *e)
{
	const struct grid_key *k = grid_find(g, "script");
	if (!k)
		return err_set(e, EINVAL, "%s:%u: [workload %s]: the key \"script\" is missing: "
					  "add the line script = NAME.sh",
			       f->path, g->section->line, g->section->name);
	for (size_t i = 0; i < k->item.n; i++)
		if (name_check(k->item.v[i], e) < 0)
			return key_refuse(f, k->key, e);
	return 0;
}

int program_keys_check(const struct protocol_file *f, const struct key_grid *g, struct err *e)
{
	struct script_config scratch = {.size = 1};
	int ret = items_check(f, g, script_options, &scratch, workload_own, NULL, e);
	return ret ? ret : script_keys_check(f, g, e);
}

void program_take(struct scenario *s)
{
	const char *size = setting_find(s->option, s->n_options, "size");
	s->size = 1;
	s->level = 1;
	s->script = setting_find(s->option, s->n_options, "script");
	if (size)
		parse_uint(size, &s->size, NULL); /* checked before */
}

bool scenario_is_below(const struct protocol *p, const struct scenario *s)
{
	return !s->parallel.is && (p->target[s->target].device || p->target[s->target].volume);
}

char *scenario_script_path(const struct protocol *p, const struct scenario *s)
{
	const char *slash = strrchr(p->path, '/');
	return slash ? xasprintf("%.*s/%s", (int)(slash - p->path), p->path, s->script)
		     : xstrdup(s->script);
}
