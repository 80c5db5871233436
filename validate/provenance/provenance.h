/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of a measurement: kernel, CPUs, memory, limits, devices, as facts for environment.json
 * (members in doc/results.md). Facts that cannot be read are null, shown as "not available".
 *
 * `root` is prefixed to /proc and /sys ("" except in tests). These functions do not fail, whatever
 * the files contain. Source: GUM and ISO/IEC 17025, 7.8.2 (conditions in a report). */
#pragma once

#include <jansson.h>

/* Returns {"kernel": {...}, "processors": {...}, "clock": {...}, "memory": {...}, "limits": {...}}.
 * New reference. */
json_t *provenance_make(const char *root);

/* Returns facts about a whole disk, by its sysfs directory (/sys/block/NAME, with `root` prefixed):
 * name, model, firmware, queue, and underlying devices. New reference. */
json_t *provenance_device(const char *dir);

/* Returns the first line of "mpirun --version"; NULL: not installed. The caller frees. */
char *provenance_mpi(void);

#define PROVENANCE_HIDDEN "redacted" /* replaces hidden text */

/* Replaces host names, serial numbers, UUIDs and paths by "redacted", in place. Paths below /dev,
 * /proc and /sys stay, except those that contain a UUID or serial number. The value of `host` in
 * the environment is hidden in all other texts as well. */
void provenance_redact(json_t *environment);

/* Returns the text redacted in the same way, with the host of that environment. A redacted `host`
 * hides no hosts. The caller frees. */
char *provenance_redact_text(const char *text, const char *host);

/* Redacts names[n] in the same way, in place. Names that become equal stay distinct: the second
 * gets " (2)". Names without anything to hide stay. */
void provenance_redact_names(char **const *name, size_t n, const char *host);
/* Returns a member of that environment redacted in the same way; `name` has dots between its parts.
 * Hosts and serial numbers are hidden as a whole. The caller frees. */
char *provenance_redact_member(const char *name, const char *value, const char *host);
