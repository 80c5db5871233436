/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/environment.h"

#include <gnu/libc-version.h>
#include <gsl/gsl_version.h>
#include <sched.h>
#include <sys/utsname.h>
#include <zstd.h>

#include "common/clock.h"
#include "common/crc32c.h"
#include "common/file_digest.h"
#include "common/files.h"
#include "common/text.h"
#include "validate/provenance/provenance.h"
#include "validate/results/results.h"

static json_t *line_of(const char *path)
{
	SCOPED_FREE char *line = file_read_line(path);
	return text_to_json(line);
}

/* Returns the text after "key   : " in a file such as /proc/cpuinfo. */
static json_t *value_of(const char *path, const char *key)
{
	SCOPED_FILE FILE *in = fopen(path, "re");
	SCOPED_FREE char *line = NULL;
	size_t cap = 0;
	json_t *o = NULL;
	while (in && !o && getline(&line, &cap, in) > 0) {
		char *colon = strchr(line, ':');
		if (!colon || strncmp(line, key, strlen(key)))
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		colon[strcspn(colon, "\n")] = 0;
		o = text_to_json(colon);
	}
	return o ? o : json_null();
}

static json_t *flag_of(const char *flags, const char *flag)
{
	json_auto_t *all = value_of("/proc/cpuinfo", flags);
	const char *text = json_string_value(all);
	json_t *o = json_null();
	if (text) {
		SCOPED_FREE char *padded = xasprintf(" %s ", text), *word = xasprintf(" %s ", flag);
		o = json_boolean(strstr(padded, word) != NULL);
	}
	return o;
}

static json_t *program_facts(const char *self)
{
	struct stat st;
	json_t *crc = json_null(), *sha256 = json_null();
	char buffer[1 << 16], digits[9], digest[FILE_DIGEST_HEX];
	uint32_t sum = 0;
	ssize_t n;
	/* examine the running program, even if its file was replaced */
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0) {
		while ((n = read(fd, buffer, sizeof buffer)) > 0)
			sum = crc32c(sum, buffer, (size_t)n);
		snprintf(digits, sizeof digits, "%08x", sum);
		crc = json_string(digits);
	}
	if (fd >= 0 && file_digest_fd(fd, self, digest, NULL) == 0)
		sha256 = json_string(digest);
	json_t *o =
	    json_pack("{s:s, s:o, s:I, s:o, s:o}", "version", VALIDATE_VERSION, "path",
		      text_to_json(self), "bytes", fd < 0 ? (json_int_t)0 : (json_int_t)st.st_size,
		      "crc32c", crc, "sha256", sha256);
	fd_close(fd);
	return o;
}

static json_t *machine_facts(void)
{
	cpu_set_t allowed;
	CPU_ZERO(&allowed);
	sched_getaffinity(0, sizeof allowed, &allowed);
	json_int_t memory = (json_int_t)sysconf(_SC_PHYS_PAGES) * (json_int_t)sysconf(_SC_PAGESIZE);
	return json_pack("{s:o, s:I, s:i, s:I, s:o, s:o}", "cpu_model", value_of("/proc/cpuinfo",
		"model name"), "n_cpus_online", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN),
		"n_cpus_allowed", CPU_COUNT(&allowed), "memory_bytes", memory, "governor",
		line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), "virtual",
		flag_of("flags", "hypervisor"));
}

static json_t *clock_facts(void)
{
	struct clock c;
	struct err e = ERR_INIT;
	json_t *o = json_pack("{s:o, s:o, s:o}", "kernel_clocksource",
		line_of("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
		"constant_tsc", flag_of("flags", "constant_tsc"), "nonstop_tsc",
		flag_of("flags", "nonstop_tsc"));
	if (clock_init(&c, 5000000, &e) < 0) {
		json_object_set_new(o, "error", text_to_json(e.msg));
		return o;
	}
	json_object_set_new(o, "source",
			    json_string(c.source == CLOCK_SOURCE_TSC ? "tsc" : "monotonic"));
	json_object_set_new(o, "resolution_ns", json_real(c.resolution_ns));
	json_object_set_new(o, "read_cost_ns", json_real(c.read_cost_ns));
	return o;
}

static json_t *load_facts(void)
{
	double one = NAN, five = NAN, fifteen = NAN;
	struct cpu_ticks t;
	SCOPED_FREE char *line = file_read_line("/proc/loadavg");
	json_t *o = json_object();
	if (line && sscanf(line, "%lf %lf %lf", &one, &five, &fifteen) == 3) {
		json_object_set_new(o, "average_1min", json_real(one));
		json_object_set_new(o, "average_5min", json_real(five));
	}
	if (cpu_ticks_read(&t) && t.total)
		json_object_set_new(o, "stolen_share_since_boot",
				    json_real((double)t.stolen / (double)t.total));
	return o;
}

json_t *environment_make(const char *self)
{
	struct utsname u;
	struct tm tm;
	char date[40];
	time_t now = time(NULL);
	uname(&u);
	gmtime_r(&now, &tm);
	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_t *o = json_pack("{s:i, s:s, s:o, s:o}", "version", ENVIRONMENT_VERSION, "date", date,
			      "host", text_to_json(u.nodename), "program", program_facts(self));
	json_object_set_new(o, "libraries",
		json_pack("{s:s, s:s, s:s, s:s}", "glibc", gnu_get_libc_version(), "gsl",
		gsl_version, "jansson", jansson_version_str(), "zstd", ZSTD_versionString()));
	json_object_set_new(o, "machine", machine_facts());
	json_object_set_new(o, "kernel", json_pack("{s:o, s:o, s:o, s:o}", "name",
		text_to_json(u.sysname), "release", text_to_json(u.release), "version",
		text_to_json(u.version), "machine", text_to_json(u.machine)));
	json_object_set_new(o, "clock", clock_facts());
	json_t *provenance = provenance_make("");
	json_object_update_recursive(o, provenance);
	json_decref(provenance);
	json_object_set_new(o, "load", load_facts());
	json_object_set_new(o, "timer_slack_ns", line_of("/proc/self/timerslack_ns"));
	json_object_set_new(o, "replaced_or_skipped", json_array());
	return o;
}

void environment_skip(json_t *environment, const char *what, const char *why, const char *instead)
{
	json_t *list = json_object_get(environment, "replaced_or_skipped");
	/* an earlier session may have recorded the same fact */
	if (json_with_text(list, "what", what))
		return;
	json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "what", text_to_json(what), "why",
					      text_to_json(why), "instead", text_to_json(instead)));
}

bool cpu_ticks_read(struct cpu_ticks *t)
{
	unsigned long long v[8] = {0};
	/* read only the first line, because the file is long on large machines */
	char line[200];
	SCOPED_FILE FILE *in = fopen("/proc/stat", "re");
	int n = in && fgets(line, sizeof line, in)
		    ? sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1],
			     &v[2], &v[3], &v[4], &v[5], &v[6], &v[7])
		    : 0;
	*t = (struct cpu_ticks){.stolen = v[7], .idle = v[3] + v[4]};
	for (int i = 0; i < 8; i++)
		t->total += v[i];
	return n == 8;
}

double stolen_share(const struct cpu_ticks *a, const struct cpu_ticks *b)
{
	return b->total > a->total ? (double)(b->stolen - a->stolen) / (double)(b->total - a->total)
				   : NAN;
}
