import * as z from "zod";

/** As in package.json: the next major version may not work. */
export const SDK_MIN = "2.4.0";
const SDK = "@modelcontextprotocol/server";
const FIX = "Install one version that both accept, for example with";

/** Throws for a schema of another zod version, whose types, descriptions or checks would be lost. */
export function checkZod(tool: string, schema: unknown): void {
  const ours = versionText(z.core.version);
  const theirs = zodVersionOf(schema);
  if (theirs === ours) return;
  throw new Error(
    `${tool}: its schema was made with zod ${theirs ?? "3 or another library"}, and @toolpact/contract uses zod ${ours}. ` +
      `${FIX}: npm install zod@${ours} && npm dedupe`,
  );
}

function zodVersionOf(schema: unknown): string | undefined {
  // zod 4 marks its schemas with `_zod`.
  const marked = schema as { readonly _zod?: { readonly version?: Version } } | undefined;
  const version = marked?._zod?.version;
  return version === undefined ? undefined : versionText(version);
}

interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

function versionText({ major, minor, patch }: Version): string {
  return `${major}.${minor}.${patch}`;
}

/** Throws if the installed SDK is out of range. Does nothing where packages cannot be looked up, as in a bundle. */
export function checkSdk(from: string = import.meta.url): void {
  const installed = installedVersion(from);
  if (installed === undefined || isInRange(installed)) return;
  throw new Error(
    `${SDK} ${installed} is installed, and @toolpact/contract needs ${SDK_MIN} or a later 2.x. ` +
      `${FIX}: npm install ${SDK}@^${SDK_MIN} && npm dedupe`,
  );
}

function installedVersion(from: string): string | undefined {
  const { readFileSync } = globalThis.process?.getBuiltinModule?.("node:fs") ?? {};
  if (readFileSync === undefined || !from.startsWith("file:")) return undefined;
  for (let folder = new URL(".", from); ; folder = new URL("..", folder)) {
    try {
      const manifest = readFileSync(new URL(`node_modules/${SDK}/package.json`, folder), "utf8");
      return (JSON.parse(manifest) as { readonly version?: string }).version;
    } catch {
      // Node looks in the parent folder next.
      if (folder.pathname === new URL("..", folder).pathname) return undefined;
    }
  }
}

function isInRange(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minMajor = 0, minMinor = 0] = SDK_MIN.split(".").map(Number);
  return major === minMajor && minor >= minMinor;
}
