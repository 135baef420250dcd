import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Package, packages, root } from "../packages.ts";
import { jsonText } from "./client-files.ts";
import { knownPublisher, type Publisher } from "./publisher.ts";
import { mcpName } from "./server-json.ts";
import { shippedServers } from "./servers.ts";

/** The package.json of every published package, by path, with the publisher's data. */
export function manifestFiles(): Readonly<Record<string, string>> {
  const publisher = knownPublisher();
  return Object.fromEntries(
    packages()
      .filter(({ isPrivate }) => !isPrivate)
      .map((pkg) => [`${relative(root, pkg.folder)}/package.json`, jsonText(manifestOf(pkg, publisher))]),
  );
}

/** A package's manifest with its publisher, if there is one. */
export function manifestOf(pkg: Package, publisher: Publisher | undefined): Record<string, unknown> {
  const { repository, homepage, bugs, mcpName: _old, ...own } = readManifest(pkg);
  if (publisher === undefined) return own;
  const server = shippedServers.find(({ name }) => name === pkg.name);
  return {
    ...own,
    repository: {
      type: "git",
      url: `git+${publisher.repository}.git`,
      directory: relative(root, pkg.folder),
    },
    homepage: publisher.homepage,
    bugs: publisher.bugs,
    ...(server !== undefined && { mcpName: mcpName(server, publisher) }),
  };
}

function readManifest({ folder }: Package): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
