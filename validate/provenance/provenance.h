/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a measurement depends on and nobody remembers afterwards: kernel, processors, memory,
 * limits, devices, as facts for environment.json (members in doc/results.md). What cannot be read
 * is null: "not available" wherever it is shown.
 *
 * All is read below `root`, which is put in front of /proc and /sys ("" but in tests). Nothing here
 * fails, whatever those files hold. Source: DESIGN section 9; METHODS 4 (conditions of a
 * measurement, as the GUM and ISO/IEC 17025, 7.8.2, ask of a report). */
#ifndef VALIDATE_PROVENANCE_H
#define VALIDATE_PROVENANCE_H

#include <jansson.h>

/* {"kernel": {...}, "processors": {...}, "clock": {...}, "memory": {...}, "limits": {...}}. New
 * reference. */
json_t *provenance_make(const char *root);

/* A whole disk, by its directory in sysfs (/sys/block/NAME, with `root` in front): name, model,
 * firmware, queue, and what it is made of. New reference. */
json_t *provenance_device(const char *dir);

/* The first line of "mpirun --version"; NULL where there is none. The caller frees. */
char *provenance_mpi(void);

#define PROVENANCE_HIDDEN "redacted" /* what stands for what is hidden */

/* In place: names of hosts, serial numbers, UUIDs and paths become "redacted"; what is below /dev,
 * /proc and /sys keeps its name, unless it is by UUID or serial. What the environment of a campaign
 * calls `host` goes wherever else it stands, too. */
void provenance_redact(json_t *environment);

/* The same of a text, for the host of that environment (which may be redacted already: then hosts
 * stay). The caller frees. */
char *provenance_redact_text(const char *text, const char *host);

/* The same of names[n], in place, which are still told apart: of two that become alike the second
 * gets " (2)". Those that hide nothing stay. */
void provenance_redact_names(char **const *name, size_t n, const char *host);
/* The same of a member of that environment, `name` with dots between its parts: hosts and serial
 * numbers go as a whole. The caller frees. */
char *provenance_redact_member(const char *name, const char *value, const char *host);

#endif
