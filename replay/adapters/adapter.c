/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/adapters/adapter.h"

#include <errno.h>

int adapter_check(const struct replay_config *c, struct err *e)
{
	(void)c;
	(void)e;
	return 0;
}

int adapter_replay(const char *trace_path, const struct replay_config *c, struct replay_summary *s, struct err *e)
{
	(void)trace_path;
	(void)s;
	return err_set(e, ENOSYS, "engine %s is not there yet", c->engine);
}
