import { DAY_MS } from "@toolpact/contract/internal";
import { snapshotFollowers } from "../analytics/followers.ts";
import { measurePublications } from "../analytics/measure.ts";
import { deleteOldRows } from "../storage/retention.ts";
import { broken, completed, type Loop, skipped } from "./pass.ts";

export const analytics: Loop = {
  name: "analytics",
  does: "counts followers, and measures what has been out for a day, or as long as configured",
  // Where posts are measured soon, such as in the sandbox, nobody waits another hour for their figures.
  everyMs: ({ analytics: { measure_after_hours } }) => Math.min(1, measure_after_hours / 4) * 3_600_000,
  keepsHours: false,
  publishes: false,
  async run(pass) {
    if (pass.isDryRun) return skipped("dry run");
    const { client } = pass.x;
    const now = pass.now();
    const followers = await snapshotFollowers(pass, client, now, pass.signal);
    if (!followers.ok) return broken(followers);
    const measured = await measurePublications({ ...pass, client, now });
    if (!measured.ok) return broken(measured);
    return completed({ followers: followers.value.follower_count, ...measured.value });
  },
};

export const retention: Loop = {
  name: "retention",
  does: "deletes history that is older than storage.retention_days",
  everyMs: () => DAY_MS,
  keepsHours: false,
  publishes: false,
  async run({ store, config, now, isDryRun }) {
    if (isDryRun) return skipped("dry run");
    const deleted = await deleteOldRows(store, { now: now(), days: config.storage.retention_days });
    return completed({ deleted: Object.values(deleted).reduce((sum, count) => sum + count, 0) });
  },
};
