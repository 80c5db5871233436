/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the groups that take more than one small file each (provenance.c has the rest). */
#ifndef VALIDATE_PROVENANCE_GROUPS_H
#define VALIDATE_PROVENANCE_GROUPS_H

#include <jansson.h>

/* "mitigations": name to state, of each known fault of the processors. */
void mitigation_facts_add(json_t *kernel, const char *root);
/* "model", "microcode", "affinity", "governors", "frequency_kHz" (lowest and highest that may be
 * chosen), "turbo", "idle_states". */
void processor_facts_add(json_t *processors, const char *root);
/* "total_bytes", "available_bytes", "swap_total_bytes", "swap_free_bytes", "huge_pages". */
void memory_facts_add(json_t *memory, const char *root);
/* "cgroup": what the group of this process may have; "locked_memory_bytes", "open_files",
 * "realtime_priority" of this process. */
void limit_facts_add(json_t *limits, const char *root);

#endif
