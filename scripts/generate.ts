import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { generate } from "../packages/x-api/src/operations/generate.ts";
import { packagePicture } from "./package-picture.ts";
import { root } from "./packages.ts";
import { withSnippets } from "./snippets.ts";

/** Every generated file of the repository that can be made without the network, and what makes it. */
const generators: Readonly<Record<string, () => string>> = {
  "docs/packages.svg": packagePicture,
  "packages/contract/README.md": () => withSnippets("packages/contract/README.md"),
};

const { values } = parseArgs({
  options: { check: { type: "boolean", default: false }, "x-openapi": { type: "string" } },
});

// X's OpenAPI file is not ours to keep, so its table is made anew only where the file is given.
if (values["x-openapi"] !== undefined) {
  const written = await generate({ openApiFile: values["x-openapi"] });
  if (!written.ok) throw new Error(written.failure);
  const { file, operations, specVersion } = written.value;
  console.log(`wrote ${file}: ${operations} operations of X's specification ${specVersion}`);
}

const stale = Object.entries(generators).filter(([file, generate]) => {
  const path = join(root, file);
  const content = generate();
  if (existsSync(path) && readFileSync(path, "utf8") === content) return false;
  if (!values.check) writeFileSync(path, content);
  return true;
});
for (const [file] of stale)
  console.log(values.check ? `${file} is stale: run npm run generate.` : `wrote ${file}`);
if (values.check && stale.length > 0) process.exitCode = 1;
