import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test.each([
  { code: 0, ending: "process.exit()" },
  { code: 3, ending: "process.exit()" },
  { code: 3, ending: "" },
])("a process that has used a PostgreSQL ends with its own code $code $ending", ({ code, ending }) => {
  const server = new URL("server.ts", import.meta.url);
  const script = `const { startOwnPostgres } = await import(${JSON.stringify(server)});
    await (await startOwnPostgres()).stop();
    process.exitCode = ${code};
    ${ending}`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: code, stderr: "" });
});
