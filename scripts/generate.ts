import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { commandsMarkdown } from "../packages/cli/src/index.ts";
import { generatedFiles as godotFiles } from "../packages/godot-mcp-omni/src/server/generate.ts";
import { program as tuitbot } from "../packages/tuitbot/src/cli/program.ts";
import { generatedFiles as tuitbotFiles } from "../packages/tuitbot/src/server/generate.ts";
import { generatedTable, updateSpecData } from "../packages/x-api/src/operations/generate.ts";
import { withChannels } from "./distribution/channels.ts";
import { clientFiles } from "./distribution/client-files.ts";
import { withInstallLinks } from "./distribution/install-links.ts";
import { manifestFiles } from "./distribution/manifests.ts";
import { knownPublisher } from "./distribution/publisher.ts";
import { shippedServers } from "./distribution/servers.ts";
import { skillModules } from "./distribution/skills.ts";
import { root } from "./packages.ts";
import { withSnippets } from "./snippets.ts";

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    "x-openapi": { type: "string" },
    pictures: { type: "boolean", default: false },
  },
});

// The document is not in the repository, only an extract.
if (values["x-openapi"] !== undefined) {
  const written = await updateSpecData(values["x-openapi"]);
  if (!written.ok) throw new Error(written.failure);
  console.log(`wrote ${written.value}`);
}

const publisher = knownPublisher();

/** Every file generated from the repository alone, by path. */
const files: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "ARCHITECTURE.md",
      "packages/cli/README.md",
      "packages/contract/README.md",
      "docs/build-a-server.md",
      "packages/x-api/README.md",
    ].map((page) => [page, withSnippets(page)]),
  ),
  "docs/install.md": withChannels(readFileSync(join(root, "docs/install.md"), "utf8")),
  ...Object.fromEntries(
    shippedServers.map((server) => {
      const page = `packages/${server.name}/README.md`;
      return [page, withInstallLinks(readFileSync(join(root, page), "utf8"), server, publisher)];
    }),
  ),
  "packages/x-api/src/operations/table.gen.ts": await generatedTable(),
  "docs/cli.md": commandsMarkdown(tuitbot, "In a checkout, write `npx tuitbot` instead of `tuitbot`."),
  ...skillModules(),
  ...(await tuitbotFiles()),
  ...godotFiles(),
  ...clientFiles(publisher),
  ...manifestFiles(),
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

/** Folders with only generated pages: pages of removed categories are deleted. */
const orphans = ["docs/tools", "docs/godot-tools"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}`)
    .filter((file) => !(file in files)),
);
for (const file of orphans) {
  if (values.check) {
    console.log(`${file} is not generated any more: run npm run generate.`);
    process.exitCode = 1;
  } else rmSync(join(root, file));
}

if (values.check) await import(join(root, "packages/tuitbot-web/test/stale-pictures.ts"));

// They need Chromium and several minutes.
if (values.pictures) {
  await import(join(root, "packages/tuitbot-web/test/docs-pictures.ts"));
  await import(join(root, "packages/contract/test/gate/inbox-picture.ts"));
}
