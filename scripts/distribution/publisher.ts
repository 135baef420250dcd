import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../packages.ts";

/** The publisher of the packages, from `publisher` in the root package.json. All public names derive from it. */
export interface Publisher {
  /** Repository URL, such as https://example.org/toolpact. */
  readonly repository: string;
  readonly homepage: string;
  /** URL for bug reports. */
  readonly bugs: string;
  /** The part of the servers' registry names before the slash, such as org.example. */
  readonly mcpNamespace: string;
}

const PARTS = ["repository", "homepage", "bugs", "mcpNamespace"] as const satisfies (keyof Publisher)[];

/** The publisher, or the settings that are missing. */
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

/** These values are copied verbatim into manifests, badges and pages. */
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
