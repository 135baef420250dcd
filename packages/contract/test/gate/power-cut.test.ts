import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { canWatchDisk, fragileDisk } from "../../../tuitbot/test/chaos/storage-power-cut.ts";
import { openStore } from "../../src/gate/open-store.ts";
import { loadPolicy } from "../../src/gate/policy.ts";
import { connectTo, published } from "./lab.ts";

const HOUR = 3_600_000;

test.runIf(canWatchDisk)(
  "a call that was sent is still known after a power failure, which loses no more than the end of the last one",
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolpact-gate-")));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "gate.toml");
    writeFileSync(file, '[tools]\necho = "read_only"\nget-sum = "allow"\n');
    const disk = await fragileDisk(folder);
    onTestFinished(disk.remove);
    const gate = await connectTo(file, published("server-everything"), disk.env);
    for (const a of [1, 2, 3])
      expect(await gate.call("get-sum", { a, b: 1 })).toMatchObject({ isError: false });
    await gate.kill();
    await disk.cutPower();

    const policy = await loadPolicy(file, {});
    if (!policy.ok) throw new Error(policy.failure);
    const storage = await openStore(policy.value);
    if (!storage.ok) throw new Error(storage.failure);
    onTestFinished(() => storage.value.close());
    expect(await storage.value.inDoubt(Date.now() + HOUR)).toMatchObject([{ args: { a: 3, b: 1 } }]);
    const known = await storage.value.records(10);
    expect(known.map(({ input }) => input)).toEqual([
      { a: 2, b: 1 },
      { a: 1, b: 1 },
    ]);
  },
);
