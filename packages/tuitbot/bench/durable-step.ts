import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { openStore } from "../src/storage/open-store.ts";
import type { Store } from "../src/storage/store.ts";

/** What it costs that a step is on the disk before its request leaves, against a commit that a power cut may undo. */
export async function benchDurableStep({ steps = 300 } = {}): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "tuitbot-bench-disk-"));
  const opened = await openStore({ path: join(folder, "tuitbot.db") }, { now: Date.now });
  if (!opened.ok) throw opened.failure;
  const store = opened.value;
  const took = { transaction: [] as number[], durableTransaction: [] as number[] };
  for (let step = 0; step < steps; step++)
    for (const how of ["transaction", "durableTransaction"] as const) {
      const started = performance.now();
      await store[how]((db) => writeSomething(db, `${how} ${step}`));
      took[how].push(performance.now() - started);
    }
  await store.close();
  await rm(folder, { recursive: true, force: true });
  const [plain, durable] = [median(took.transaction), median(took.durableTransaction)];
  return [
    figure("a step in the database, p50", plain, "ms"),
    figure("a step on the disk before its request leaves, p50", durable, "ms"),
    figure("a step on the disk against one in the database, p50", durable / plain, "times"),
  ];
}

function writeSomething(db: Store["db"], period: string): Promise<unknown> {
  return db.insertInto("spend").values({ account: "1", period, micros: 1 }).execute();
}

if (import.meta.main) console.table(await benchDurableStep());
