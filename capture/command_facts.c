/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/command_facts.h"

json_t *command_facts(const char *const *argv)
{
	char *dir = getcwd(NULL, 0);
	json_t *in = dir ? json_string(dir) : NULL, *words = json_array();
	size_t n_bytes = 0;
	bool whole = in && argv && *argv;
	for (; whole && *argv; argv++) {
		n_bytes += strlen(*argv) + 1;
		whole = n_bytes <= COMMAND_BYTES_MAX &&
			!json_array_append_new(words, json_string(*argv));
	}
	free(dir);
	json_t *all = whole ? json_pack("{s:O,s:O}", "argv", words, "in", in) : NULL;
	json_decref(words);
	json_decref(in);
	return all;
}

int captured_command_read(struct captured_command *c, const struct trace_meta *meta, struct err *e)
{
	*c = (struct captured_command){
	    .extra = meta->extra_json ? json_loads(meta->extra_json, 0, NULL) : NULL};
	const json_t *command = json_object_get(c->extra, "command"),
		     *argv = json_object_get(command, "argv");
	c->dir = json_string_value(json_object_get(command, "in"));
	const size_t n = json_array_size(argv);
	if (!n || !c->dir || c->dir[0] != '/')
		return err_set(e, ENODATA,
			"the metadata of the trace lacks the command and its arguments: use a "
			"trace of \"validate capture app\" or \"validate capture vfs\", not a "
			"slice of it");
	c->argv = xcalloc(n + 1, sizeof *c->argv);
	for (c->n = 0; c->n < n; c->n++) {
		c->argv[c->n] = json_string_value(json_array_get(argv, c->n));
		if (!c->argv[c->n])
			return err_set(e, EINVAL,
				       "word %zu of the command in the metadata is not text", c->n);
	}
	const int wait_status = (int)json_integer_value(
	    json_object_get(json_object_get(c->extra, "capture"), "wait_status"));
	c->status =
	    WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
	return 0;
}

void captured_command_release(struct captured_command *c)
{
	free(c->argv);
	json_decref(c->extra);
	*c = (struct captured_command){.n = 0};
}
