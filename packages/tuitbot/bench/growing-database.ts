import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { median } from "../../bench/src/measure/statistics.ts";
import { configInForce } from "../src/config/config-in-force.ts";
import { configSchema } from "../src/config/schema.ts";
import { catalogFor } from "../src/server/catalog.ts";
import { type Core, createCore } from "../src/server/core.ts";
import { persistenceOf } from "../src/server/persistence.ts";
import { openStore } from "../src/storage/open-store.ts";
import type { Store } from "../src/storage/store.ts";
import { sandboxWorld } from "../src/x/sandbox-account.ts";

/** The whole server in this process, on a made-up X and a database with a history. */
export interface FilledServer {
  readonly core: Core;
  readonly sandbox: Sandbox;
}

export interface Growth<T> {
  /** So many rows, one database after the other. */
  readonly counts: readonly number[];
  readonly config?: JsonObject;
  readonly fill: (store: Store, account: string, count: number) => Promise<void>;
  readonly measure: (server: FilledServer) => Promise<T>;
}

/** What the same costs as the rows behind it add up. */
export async function asItGrows<T>({ counts, config, fill, measure }: Growth<T>): Promise<readonly T[]> {
  const folder = mkdtempSync(join(tmpdir(), "tuitbot-growth-"));
  try {
    const measured: T[] = [];
    for (const count of counts) {
      const db_path = join(folder, `${count}.db`);
      const { sandbox, account } = sandboxWorld("enterprise");
      const store = await openStore({ path: db_path }, { now: Date.now });
      if (!store.ok) throw store.failure;
      await fill(store.value, sandbox.person(cast.owner).id, count);
      await store.value.close();
      const values = configSchema.parse({ ...config, storage: { db_path } });
      const core = createCore({
        profile: "write",
        catalog: catalogFor("write"),
        config: configInForce(
          { values, file: undefined, fromEnvironment: [] },
          { env: {}, home: "/", cwd: "/" },
        ),
        account,
        persistence: persistenceOf(values),
      });
      measured.push(await measure({ core, sandbox }));
      await core.close();
    }
    return measured;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Milliseconds of a call through the pipeline, p50, after as many calls that fill the caches. */
export async function costOfCall(
  { pipeline }: Core,
  tool: string,
  calls: number,
  argsOf: (nth: number) => JsonObject,
): Promise<number> {
  const took: number[] = [];
  for (let nth = 0; nth < 2 * calls; nth++) {
    const args = argsOf(nth);
    const started = performance.now();
    const answer = await pipeline.call({ tool, args, caller: { transport: "stdio" } });
    if (nth >= calls) took.push(performance.now() - started);
    if (answer.kind !== "rendered" || answer.failed) throw new Error(JSON.stringify(answer));
  }
  return median(took);
}
