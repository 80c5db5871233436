/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Libraries that a program loads, and functions that it looks up. Three mechanisms call functions
 * of the C library instead of the hooks: a library in its own namespace (dlmopen), a library that
 * prefers its own dependencies (RTLD_DEEPBIND), and dlsym() with the handle of the C library. The
 * collector reports such a program. */
#include <dlfcn.h>
#include <fcntl.h>
#include <gnu/libc-version.h>

#include "capture/preload/core.h"

/* The C library derives the search path, the namespace and RTLD_NEXT from the return address. So
 * the real function must return to the program. */
#if defined(__clang__)
#define TAIL_CALL
#define RETURN __attribute__((musttail)) return
#else
#define TAIL_CALL __attribute__((optimize("O2")))
#define RETURN return
#endif

static void past_note(const char *library)
{
	const uint64_t begin = clock_now(&capture_clock), end = begin;
	NOTE_RESULT(0, .op = LOG_OBJECT, .dir = AT_FDCWD, .path = library,
		    .flags = LOG_OBJECT_PAST);
}

/* The meaning of a path does not depend on the caller. The loaded objects are then recorded at
 * once, because the program may be killed. */
static bool is_plain_path(const char *name)
{
	return name && strchr(name, '/') && !strchr(name, '$');
}

TAIL_CALL EXPORT void *dlopen(const char *name, int flags)
{
	__typeof__(&dlopen) real = REAL(dlopen);
	if (capture_is_on() && flags & RTLD_DEEPBIND && name)
		past_note(name);
	if (capture_is_on() && is_plain_path(name)) {
		void *got = real(name, flags);
		const int saved = errno;
		if (got && !capture_confined)
			process_objects_note();
		errno = saved;
		return got;
	}
	RETURN real(name, flags);
}

TAIL_CALL EXPORT void *dlmopen(Lmid_t space, const char *name, int flags)
{
	__typeof__(&dlmopen) real = REAL(dlmopen);
	if (capture_is_on() && (space != LM_ID_BASE || flags & RTLD_DEEPBIND) && name)
		past_note(name);
	RETURN real(space, name, flags);
}

/* Whether `got` is the C library's own function with the name of a hook. */
static bool is_past(__typeof__(&dlsym) real, const char *name, void *got)
{
	static void *self;
	Dl_info own, its;
	if (!self)
		self = REAL(dlopen)(capture_library, RTLD_LAZY | RTLD_NOLOAD);
	void *hook = self ? real(self, name) : NULL;
	return hook && hook != got && dladdr(got, &its) &&
	       dladdr((void *)(uintptr_t)gnu_get_libc_version, &own) &&
	       its.dli_fbase == own.dli_fbase;
}

TAIL_CALL EXPORT void *dlsym(void *restrict handle, const char *restrict name)
{
	static bool noted;
	__typeof__(&dlsym) real = REAL(dlsym);
	/* RTLD_DEFAULT finds the hooks; libraries with hooks of their own use RTLD_NEXT */
	if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || !capture_is_on())
		RETURN real(handle, name);
	void *got = real(handle, name);
	if (!got)
		return NULL;
	if (!noted && is_past(real, name, got)) {
		Dl_info its;
		noted = true;
		past_note(dladdr(got, &its) ? its.dli_fname : "libc.so");
	}
	got = cause_looked_up(name, got);
	dlerror(); /* discards the errors of look-ups in this library */
	return got;
}
