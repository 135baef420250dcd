import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { generatedFiles as godotFiles } from "../packages/godot-mcp-omni/src/server/generate.ts";
import { generatedFiles as tuitbotFiles } from "../packages/tuitbot/src/server/generate.ts";
import { generate as generateXTable } from "../packages/x-api/src/operations/generate.ts";
import { root } from "./packages.ts";
import { withSnippets } from "./snippets.ts";

const { values } = parseArgs({
  options: { check: { type: "boolean", default: false }, "x-openapi": { type: "string" } },
});

// The full OpenAPI file of X is not in the repository, so its table is rewritten only when the file is given.
if (values["x-openapi"] !== undefined) {
  const written = await generateXTable({ openApiFile: values["x-openapi"] });
  if (!written.ok) throw new Error(written.failure);
  const { file, operations, specVersion } = written.value;
  console.log(`wrote ${file}: ${operations} operations of X's specification ${specVersion}`);
}

/** Every generated file that is made from the repository alone: its path, and what it must hold. */
const files: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["README.md", "ARCHITECTURE.md", "packages/contract/README.md", "packages/x-api/README.md"].map(
      (page) => [page, withSnippets(page)],
    ),
  ),
  ...(await tuitbotFiles()),
  ...godotFiles(),
};

const stale = Object.entries(files).filter(([file, content]) => {
  const path = join(root, file);
  return !existsSync(path) || readFileSync(path, "utf8") !== content;
});
for (const [file, content] of stale) {
  if (values.check) {
    console.log(`${file} is stale: run npm run generate.`);
    process.exitCode = 1;
    continue;
  }
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
  console.log(`wrote ${file}`);
}
