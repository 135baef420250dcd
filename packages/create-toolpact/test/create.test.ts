import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { validate } from "dockerfile-utils";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import packageJson from "../package.json" with { type: "json" };
import { run } from "../src/program.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "create-toolpact-")));
afterAll(() => rmSync(folder, { recursive: true }));
const create = (name: string) => run([join(folder, name)]);

test("first steps: create, test, serve, call", async () => {
  const created = await create("weather-notes");
  expect(created).toMatchObject({ code: 0, out: expect.stringContaining("npm install") });
  const place = join(folder, "weather-notes");
  const read = (path: string) => readFileSync(join(place, path), "utf8");

  const { name, dependencies } = JSON.parse(read("package.json"));
  expect(name).toBe("weather-notes");
  expect(dependencies["@toolpact/contract"]).toBe(`^${packageJson.devDependencies["@toolpact/contract"]}`);
  for (const path of ["package.json", "README.md", "Dockerfile", "src/app.ts", ".gitignore"])
    expect(read(path)).not.toMatch(/my-server|\{\{/);
  expect(validate(read("Dockerfile"))).toEqual([]);
  expect(parse(read(".github/workflows/ci.yml"))).toMatchObject({ jobs: { test: {} } });

  // Links what `npm install` would install.
  symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(place, "node_modules"));
  const fromSource = "--conditions=toolpact-source";
  const tested = execFileSync(process.execPath, [fromSource, "--test", "--test-reporter=tap"], {
    cwd: place,
    encoding: "utf8",
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  expect(tested).toMatch(/# pass 5\n# fail 0/);

  const client = new Client({ name: "stranger", version: "1" });
  const args = [fromSource, join(place, "src/server.ts")];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  expect(client.getServerVersion()).toMatchObject({ name: "weather-notes" });
  const { structuredContent } = await client.callTool({ name: "add_note", arguments: { text: "Rain." } });
  expect(structuredContent).toMatchObject({ success: true, data: { count: 1 } });
  await client.close();
});

test("only an empty folder is accepted", async () => {
  mkdirSync(join(folder, "empty"));
  expect((await create("empty")).code).toBe(0);
  const again = await create("empty");
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining("is not an empty folder") });
  writeFileSync(join(folder, "file"), "mine");
  expect(await create("file")).toMatchObject({
    code: 1,
    err: expect.stringContaining("is not an empty folder"),
  });
  expect(readFileSync(join(folder, "file"), "utf8")).toBe("mine");
  expect(await create("no/parent")).toMatchObject({ code: 1, err: expect.stringContaining("ENOENT") });
});

test.each(["My Server", ".hidden", "a".repeat(101), "Ünicode"])(
  "%j is not a valid package name",
  async (name) => {
    expect(await create(name)).toMatchObject({
      code: 1,
      err: expect.stringContaining("cannot be the name of a package"),
    });
  },
);

test.each([[[]], [["a", "b"]], [["--force"]]])("%j is answered with how to use it", async (words) => {
  expect(await run(words)).toMatchObject({
    code: 2,
    err: expect.stringContaining("Usage: npm create toolpact"),
  });
});
