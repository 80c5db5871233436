# SPDX-License-Identifier: GPL-3.0-or-later
# %% Results of a campaign in Python. Make the database first:
#    validate report DIR --format sqlite >results.sqlite
import math, sqlite3, statistics, sys

db = sqlite3.connect(sys.argv[1] if len(sys.argv) > 1 else "results.sqlite")
units = {(t, c): u for t, c, u in db.execute("SELECT table_name, column_name, unit FROM columns")}

# %% Runs: number and mean response time of each role
for role, n, mean in db.execute(
    "SELECT role, count(*), avg(mean_ns) FROM runs WHERE state = 'ok' AND block > 0 "
    "GROUP BY role ORDER BY role"):
    print(f"{role}: {n} runs, mean {mean:.6g} {units['runs', 'mean_ns']}")

# %% Pairs: the bias of each case, computed again, beside the bias of the report
for scenario, replayer, bias, limit, decision in db.execute(
    "SELECT scenario, replayer, estimate, \"limit\", decision FROM components "
    "WHERE component = 'bias'").fetchall():
    pairs = db.execute("SELECT program_ns, replay_ns FROM pairs WHERE scenario = ? AND "
                       "replayer = ?", (scenario, replayer)).fetchall()
    again = math.expm1(statistics.fmean(math.log(x / r) for r, x in pairs))
    print(f"{scenario}, {replayer}: bias {again:.6f} of {len(pairs)} pairs, "
          f"report {bias:.6f}, limit {limit}: {decision}")

# %% Components: numbers that are unknown, and why
for component, reason in db.execute(
    "SELECT DISTINCT component, unknown.reason FROM unknown JOIN components "
    "ON components.rowid = \"row\" WHERE table_name = 'components' AND column_name = 'estimate'"):
    print(f"{component}: {reason}")
