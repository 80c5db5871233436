/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/companion.h"

#include "common/files.h"

char *companion_find(const char *name, const char *what_it_is, struct err *e)
{
	static const char *const places[] = {"", "../lib/validate/"};
	char *self = program_path(e), *found = NULL;
	char *slash = self ? strrchr(self, '/') : NULL;
	if (!slash)
		return NULL;
	*slash = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
		SCOPED_FREE char *path = xasprintf("%s/%s%s", self, places[i], name);
		found = realpath(path, NULL);
	}
	if (!found)
		err_set(e, ENOENT, "cannot find %s (%s): it must be in %s, the directory of "
				   "validate, or in %s/../lib/validate", name, what_it_is, self,
			self);
	free(self);
	return found;
}
