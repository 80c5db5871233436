/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of facts that need more than a small file each; provenance.c has the others. */
#pragma once

#include <jansson.h>

/* Adds "mitigations": the state of each known CPU vulnerability, by name. */
void mitigation_facts_add(json_t *kernel, const char *root);
/* Adds "model", "microcode", "affinity", "governors", "frequency_kHz" (lowest and highest
 * selectable), "turbo", "idle_states". */
void processor_facts_add(json_t *processors, const char *root);
/* Adds "total_bytes", "available_bytes", "swap_total_bytes", "swap_free_bytes", "huge_pages". */
void memory_facts_add(json_t *memory, const char *root);
/* Adds "cgroup": limits of the group of this process; "locked_memory_bytes", "open_files",
 * "realtime_priority" of this process. */
void limit_facts_add(json_t *limits, const char *root);
