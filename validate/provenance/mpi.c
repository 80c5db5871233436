/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which MPI there is, by asking its launcher. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "validate/provenance/provenance.h"

char *provenance_mpi(void)
{
	char line[200] = "";
	FILE *in = popen("exec mpirun --version 2>/dev/null </dev/null", "re");
	if (!in)
		return NULL;
	bool read = fgets(line, sizeof line, in) != NULL;
	while (fgetc(in) != EOF) /* what follows is how to report bugs */
		;
	bool ended_well = pclose(in) == 0;
	line[strcspn(line, "\n")] = 0;
	return read && ended_well && line[0] ? xstrdup(line) : NULL;
}
