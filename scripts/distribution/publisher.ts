import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../packages.ts";

/** Who publishes the packages, from `publisher` in the root's package.json. Everything public that names it follows. */
export interface Publisher {
  /** Address of the repository, such as https://example.org/toolpact. */
  readonly repository: string;
  readonly homepage: string;
  /** Address for bug reports. */
  readonly bugs: string;
  /** The part of the servers' names in the MCP registry before the slash, such as org.example. */
  readonly mcpNamespace: string;
}

const PARTS = ["repository", "homepage", "bugs", "mcpNamespace"] as const satisfies (keyof Publisher)[];

/** The publisher, or what has to be set first. */
export function publisherOf(
  manifest: { readonly publisher?: Partial<Publisher> } = rootManifest(),
): Publisher | { readonly missing: string } {
  const { publisher = {} } = manifest;
  const missing = PARTS.filter((part) => !publisher[part]);
  if (missing.length > 0)
    return {
      missing: `package.json has no publisher.${missing.join(", publisher.")}: nothing can be released before there is an address to release it from.`,
    };
  const wrong = PARTS.filter((part) => !isSound(part, publisher[part]));
  if (wrong.length > 0)
    return {
      missing: `publisher.${wrong.join(", publisher.")} of package.json cannot be published: use https addresses, and a namespace such as org.example.`,
    };
  // Every part was found above.
  return publisher as Publisher;
}

/** These values go into manifests, badges and pages of clients and registries as they are. */
function isSound(part: keyof Publisher, value: unknown): boolean {
  if (typeof value !== "string") return false;
  return part === "mcpNamespace"
    ? /^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$/.test(value)
    : /^https:\/\/[a-z0-9.-]+(:\d+)?(\/[\w.~-]+)*\/?$/i.test(value) && !value.includes("/../");
}

/** The publisher, or undefined while nothing can be published. */
export function knownPublisher(): Publisher | undefined {
  const publisher = publisherOf();
  return "missing" in publisher ? undefined : publisher;
}

function rootManifest() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
}
