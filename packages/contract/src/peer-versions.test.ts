import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { defineServer, ok } from "./index.ts";
import { checkSdk, SDK_MIN } from "./peer-versions.ts";

const ours = `${z.core.version.major}.${z.core.version.minor}.${z.core.version.patch}`;
const server = defineServer({ name: "peers", version: "1" });
const toolWith = (input: z.ZodObject) =>
  server.tool({
    name: "look",
    description: "Look.",
    effect: "none",
    input,
    output: z.object({}),
    handler: () => ok({}),
  });

test("a schema of a second copy of zod is rejected with both versions and the fix", () => {
  const schema = z.strictObject({});
  const copy = Object.create(schema, {
    _zod: { value: { ...schema._zod, version: { major: 4, minor: 1, patch: 3 } } },
  });
  expect(() => toolWith(copy)).toThrow(
    `look: its schema was made with zod 4.1.3, and @toolpact/contract uses zod ${ours}. Install one version that both accept, for example with: npm install zod@${ours} && npm dedupe`,
  );
});

test("a schema of zod 3 is rejected with the required version", () => {
  const old = { _def: {}, shape: {}, safeParse: () => ({ success: true }) };
  expect(() => toolWith(old as unknown as z.ZodObject)).toThrow(
    `made with zod 3 or another library, and @toolpact/contract uses zod ${ours}`,
  );
});

test("an installed SDK that is out of range is rejected with both versions and the fix", () => {
  expect(() => checkSdk(appWithSdk("2.3.9"))).toThrow(
    `@modelcontextprotocol/server 2.3.9 is installed, and @toolpact/contract needs ${SDK_MIN} or a later 2.x.`,
  );
  expect(() => checkSdk(appWithSdk("3.0.0"))).toThrow(`npm install @modelcontextprotocol/server@^${SDK_MIN}`);
  expect(() => checkSdk(appWithSdk("2.9.1"))).not.toThrow();
  expect(() => checkSdk()).not.toThrow();
});

test("the range of the SDK in package.json is the one that is checked", () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
  expect(manifest.peerDependencies["@modelcontextprotocol/server"]).toBe(`^${SDK_MIN}`);
});

function appWithSdk(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-peers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sdk = join(folder, "node_modules/@modelcontextprotocol/server");
  mkdirSync(sdk, { recursive: true });
  writeFileSync(join(sdk, "package.json"), JSON.stringify({ version }));
  return pathToFileURL(join(folder, "src/app.ts")).href;
}
