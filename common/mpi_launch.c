/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/mpi_launch.h"

#include "common/files.h"
#include "common/processors.h"

static void words_add(struct words_list *w, const char *const *word)
{
	for (; *word; word++)
		words_list_add(w, *word);
}

/* All ranks run on this host: no resource manager and no remote shell. Copies between processes are
 * disabled, because many containers forbid them and OpenMPI then prints warnings. */
static void mpirun_words(struct words_list *w, unsigned int n_ranks, unsigned int n_threads)
{
	static const char *const always[] = {"mpirun", "--oversubscribe", "--mca", "plm",
	    "isolated", "--mca", "pml", "ob1", "--mca", "btl", "self,vader", "--mca",
	    "btl_vader_single_copy_mechanism", "none", NULL};
	static const char *const unbound[] = {"--bind-to", "none", NULL};
	static const char *const crowded[] = {"--mca", "mpi_yield_when_idle", "1", NULL};
	const unsigned int n_processors = (unsigned int)processors_allowed();
	words_add(w, always);
	if (geteuid() == 0)
		words_list_add(w, "--allow-run-as-root");
	if (n_threads > n_ranks || n_ranks > n_processors)
		words_add(w, unbound);
	if (n_threads > n_processors)
		words_add(w, crowded);
}

static int launcher_words(struct words_list *w, const char *launcher, const char *number,
			  struct err *e)
{
	SCOPED(words_list_release) struct words_list given;
	SCOPED(placeholders_release) struct placeholders known = {NULL, 0, 0};
	bool told = false;
	int ret = words_parse_value(&given, launcher, e);
	placeholders_set(&known, "n", number);
	for (size_t i = 0; i < given.n && !ret; i++) {
		char *word;
		ret = placeholders_replace(&known, given.v[i], &word, e);
		told |= strstr(given.v[i], "{n}") != NULL;
		if (!ret)
			words_list_take(w, word);
	}
	if (ret)
		return err_context(e, "launcher");
	if (!told) {
		words_list_add(w, "-n");
		words_list_add(w, number);
	}
	return 0;
}

int mpi_launch_words(struct words_list *w, const char *launcher, unsigned int n_ranks,
		     struct err *e)
{
	return mpi_launch_words_threads(w, launcher, n_ranks, n_ranks, e);
}

int mpi_launch_words_threads(struct words_list *w, const char *launcher, unsigned int n_ranks,
			     unsigned int n_threads, struct err *e)
{
	*w = (struct words_list){NULL, 0, 0};
	SCOPED_FREE char *number = xasprintf("%u", n_ranks);
	int ret = 0;
	if (launcher) {
		ret = launcher_words(w, launcher, number, e);
	} else {
		mpirun_words(w, n_ranks, n_threads);
		words_list_add(w, "-n");
		words_list_add(w, number);
	}
	SCOPED_FREE char *file = ret ? NULL : command_path(w->v[0]);
	if (!ret && !file && launcher)
		ret = err_set(e, ENOENT, "launcher: cannot find the program %s", w->v[0]);
	else if (!ret && !file)
		ret = err_set(e, ENOENT, "%s is not installed: install OpenMPI (Debian: apt-get "
			"install openmpi-bin libopenmpi-dev), and build validate again", w->v[0]);
	if (ret)
		words_list_release(w);
	return ret;
}
