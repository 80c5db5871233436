# SPDX-License-Identifier: GPL-3.0-or-later
# %% Results of a campaign in R. Make the database first:
#    validate report DIR --format sqlite >results.sqlite
library(DBI)
file <- commandArgs(trailingOnly = TRUE)
db <- dbConnect(RSQLite::SQLite(), if (length(file)) file[1] else "results.sqlite")
unit <- function(t, c)
  dbGetQuery(db, "SELECT unit FROM columns WHERE table_name = ? AND column_name = ?", list(t, c))[[1]]

# %% Runs: number and mean response time of each role
runs <- subset(dbReadTable(db, "runs"), state == "ok" & block > 0)
for (role in sort(unique(runs$role))) {
  x <- runs$mean_ns[runs$role == role]
  cat(sprintf("%s: %d runs, mean %.6g %s\n", role, length(x), mean(x), unit("runs", "mean_ns")))
}

# %% Pairs: the bias of each case, computed again, beside the bias of the report
components <- dbReadTable(db, "components")
pairs <- dbReadTable(db, "pairs")
for (i in which(components$component == "bias")) {
  k <- components[i, ]
  p <- subset(pairs, scenario == k$scenario & replayer == k$replayer)
  again <- expm1(mean(log(p$replay_ns / p$program_ns)))
  cat(sprintf("%s, %s: bias %.6f of %d pairs, report %.6f, limit %s: %s\n", k$scenario, k$replayer,
              again, nrow(p), k$estimate, k$limit, k$decision))
}

# %% Components: numbers that are unknown, and why
unknown <- subset(dbReadTable(db, "unknown"), table_name == "components" & column_name == "estimate")
print(unique(data.frame(component = components$component[unknown$row], reason = unknown$reason)))
