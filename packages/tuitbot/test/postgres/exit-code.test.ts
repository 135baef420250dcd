import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("a process that has started a PostgreSQL keeps its exit code", () => {
  const server = new URL("server.ts", import.meta.url);
  const script = `const { startOwnPostgres } = await import(${JSON.stringify(server)});
    await (await startOwnPostgres()).stop();
    process.exitCode = 3;`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
  });
  expect(status, stderr).toBe(3);
});
