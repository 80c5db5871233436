/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/devices.h"

#include "common/clock.h"
#include "common/device.h"
#include "microbench/volume/service.h"
#include "microbench/volume/volume.h"

/* Processes of a killed session can use its volume for so long. */
#define ENDING_NS 5000000000

static bool is_named(const char *device, const char *const *named, size_t n)
{
	SCOPED_FREE char *real = realpath(device, NULL);
	bool found = false;
	for (size_t i = 0; i < n && !found; i++) {
		SCOPED_FREE char *other = realpath(named[i], NULL);
		found = !strcmp(device, named[i]) || (real && other && !strcmp(real, other));
	}
	return found;
}

/* Called again before every run. */
int device_look(const struct target *t, uint64_t *n_bytes, bool *refused, struct err *e)
{
	struct device d;
	int ret = device_open(&d, t->device, t->destructive ? DEVICE_WRITE : DEVICE_READ, O_DIRECT,
			      refused, e);
	*n_bytes = ret ? 0 : d.n_bytes;
	if (!ret)
		device_close(&d);
	return ret;
}

static int named_check(const struct protocol *p, const char *device, struct err *e)
{
	for (size_t i = 0; i < p->n_targets; i++)
		if (p->target[i].device && is_named(p->target[i].device, &device, 1))
			return 0;
	return err_set(e, EPERM, "--device %s: refused, nothing was changed: no target of the "
				 "protocol uses this device", device);
}

int devices_consent(const struct protocol *p, const char *const *named, size_t n, bool *refused,
		    struct err *e)
{
	uint64_t n_bytes;
	int ret = 0;
	*refused = false;
	for (size_t k = 0; k < n && !ret; k++)
		ret = named_check(p, named[k], e);
	for (size_t i = 0; i < p->n_targets && !ret; i++) {
		const struct target *t = &p->target[i];
		if (t->device && t->destructive && !is_named(t->device, named, n))
			ret = err_set(e, EPERM, "target %s: refused, nothing was changed: the "
				"content of %s would be overwritten; add --device %s to permit "
				"this", t->name, t->device, t->device);
	}
	*refused = ret;
	for (size_t i = 0; i < p->n_targets && !ret; i++)
		if (p->target[i].device)
			ret = device_look(&p->target[i], &n_bytes, refused, e);
	return ret;
}

int device_adopt(const char *name, struct err *e)
{
	const int64_t end_ns = clock_monotonic_ns() + ENDING_NS;
	for (;;) {
		struct volume v;
		bool refused = false;
		if (volume_find(NULL, name, &v, NULL))
			return 0;
		int ret = volume_remove(&v, &refused, e);
		volume_release(&v);
		if (!ret || !refused || clock_monotonic_ns() > end_ns)
			return ret;
		err_clear(e);
		nanosleep(&(struct timespec){0, 100000000}, NULL);
	}
}

static int volume_begin(struct target_device *d, const struct target *t, const char *name,
			struct err *e)
{
	struct volume_config c;
	struct volume v;
	volume_config_init(&c);
	c.service = t->volume;
	c.n_bytes = t->size_bytes;
	c.loop = c.loop && !t->volume_file;
	int ret = device_adopt(name, e);
	ret = ret ? ret : volume_create(NULL, name, &c, &v, e);
	if (ret)
		return err_context(e, "volume");
	*d = (struct target_device){xstrdup(volume_path(&v)), xstrdup(name), xstrdup(v.service),
				    v.group != NULL, 1};
	volume_release(&v);
	return 0;
}

int device_begin(struct target_device *d, const struct target *t, const char *name, struct err *e)
{
	*d = (struct target_device){.path = NULL};
	if (t->volume)
		return volume_begin(d, t, name, e);
	uint64_t n_bytes;
	bool refused;
	int ret = t->device ? device_look(t, &n_bytes, &refused, e) : 0;
	if (!ret && t->device)
		d->path = xstrdup(t->device);
	return ret;
}

int device_slow(struct target_device *d, double factor, struct err *e)
{
	struct volume v;
	if (factor == d->factor)
		return 0;
	int ret = volume_find(NULL, d->volume, &v, e);
	ret = ret ? ret : volume_slow(&v, factor, e);
	if (!ret)
		d->factor = factor;
	volume_release(&v);
	return ret;
}

int device_restart(const struct target_device *d, struct err *e)
{
	struct volume v;
	if (!d->volume || d->throttled)
		return 0;
	int ret = volume_find(NULL, d->volume, &v, e);
	ret = ret ? ret : volume_restart(&v, e);
	volume_release(&v);
	return ret;
}

bool device_served(const struct target_device *d, int64_t from_ns, struct run_served *served)
{
	struct volume_log log;
	struct volume v;
	*served = (struct run_served){0};
	if (!d->volume || d->throttled || volume_find(NULL, d->volume, &v, NULL))
		return false;
	int ret = volume_log_open(&log, v.log, false, NULL);
	volume_release(&v);
	if (ret)
		return false;
	const bool whole = !atomic_load(&log.head->n_lost);
	for (uint64_t i = 0; whole && i < atomic_load(&log.head->n); i++) {
		const struct volume_entry *x = &log.entry[i];
		if (x->op == SERVICE_FLUSH || x->arrival_ns < from_ns)
			continue;
		served->n++;
		served->programmed_ns += (double)(x->due_ns - x->arrival_ns);
		served->delivered_ns += (double)(x->end_ns - x->arrival_ns + x->lead_ns);
	}
	volume_log_close(&log);
	if (served->n) {
		served->programmed_ns /= (double)served->n;
		served->delivered_ns /= (double)served->n;
	}
	return served->n;
}

int device_end(struct target_device *d, struct err *e)
{
	struct volume v;
	bool refused;
	int ret = 0;
	if (d->volume && !volume_find(NULL, d->volume, &v, NULL)) {
		ret = volume_remove(&v, &refused, e);
		volume_release(&v);
	}
	return ret;
}

void device_release(struct target_device *d)
{
	FREE_EACH(d->path, d->volume, d->service);
	*d = (struct target_device){.path = NULL};
}
