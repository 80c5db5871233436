/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about a disk, from its sysfs directory. Drivers use different files: the first that exists
 * is used. */
#include <dirent.h>

#include "validate/provenance/provenance.h"
#include "validate/provenance/read.h"
#include "common/text.h"

static const struct device_fact {
	const char *name;
	enum fact_kind kind;
	/* the first readable file counts */
	const char *file[4];
} device_facts[] = {
    {"vendor", FACT_LINE, {"/device/vendor"}},
    {"model", FACT_LINE, {"/device/model", "/device/name"}},
    {"firmware", FACT_LINE, {"/device/firmware_rev", "/device/rev", "/device/fwrev"}},
    {"serial", FACT_LINE, {"/device/serial", "/serial"}},
    {"queue_depth", FACT_NUMBER, {"/device/queue_depth"}},
    {"rotational", FACT_LINE, {"/queue/rotational"}},
    {"scheduler", FACT_LINE, {"/queue/scheduler"}},
    {"nr_requests", FACT_LINE, {"/queue/nr_requests"}},
    {"nomerges", FACT_LINE, {"/queue/nomerges"}},
    {"read_ahead_kb", FACT_LINE, {"/queue/read_ahead_kb"}},
    {"logical_block_size", FACT_LINE, {"/queue/logical_block_size"}},
    {"physical_block_size", FACT_LINE, {"/queue/physical_block_size"}},
    {"max_sectors_kb", FACT_LINE, {"/queue/max_sectors_kb"}},
    {"write_cache", FACT_LINE, {"/queue/write_cache"}},
    {"forced_unit_access", FACT_SWITCH, {"/queue/fua"}},
    {"writeback_throttling_us", FACT_NUMBER, {"/queue/wbt_lat_usec"}},
    {"polling", FACT_SWITCH, {"/queue/io_poll"}},
    {"affinity_of_completions", FACT_NUMBER, {"/queue/rq_affinity"}},
    {"sectors", FACT_NUMBER, {"/size"}},
    {"read_only", FACT_SWITCH, {"/ro"}},
    {"backing_file", FACT_LINE, {"/loop/backing_file"}},
    {"direct_io", FACT_SWITCH, {"/loop/dio"}},
    {"mapped_name", FACT_LINE, {"/dm/name"}},
    {"raid_level", FACT_LINE, {"/md/level"}},
};

/* Names of the devices below it. */
static json_t *device_parts(const char *dir)
{
	SCOPED_FREE char *path = xasprintf("%s/slaves", dir);
	json_t *list = json_array();
	SCOPED_DIR DIR *d = opendir(path);
	for (struct dirent *x; d && (x = readdir(d));)
		if (x->d_name[0] != '.')
			json_array_append_new(list, text_to_json(x->d_name));
	return list;
}

json_t *provenance_device(const char *dir)
{
	const char *slash = strrchr(dir, '/');
	json_t *o = json_object(), *of = device_parts(dir);
	json_object_set_new(o, "name", text_to_json(slash ? slash + 1 : dir));
	for (size_t i = 0; i < sizeof device_facts / sizeof *device_facts; i++) {
		const struct device_fact *f = &device_facts[i];
		json_auto_t *value = json_null();
		for (size_t k = 0; k < 4 && f->file[k] && json_is_null(value); k++)
			value = fact_read(dir, f->file[k], f->kind);
		if (!json_is_null(value))
			json_object_set(o, f->name, value);
	}
	if (json_array_size(of))
		json_object_set(o, "made_of", of);
	json_decref(of);
	return o;
}
