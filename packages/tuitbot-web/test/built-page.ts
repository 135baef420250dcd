import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withFileLock } from "@toolpact/file-lock";
import { build } from "vite";

const folder = join(import.meta.dirname, "..");
const stamp = join(folder, "../../node_modules/.cache/tuitbot-web/built");

/** Builds the web app once for all parallel test files, and again when a source has changed. */
export async function buildPage(): Promise<void> {
  mkdirSync(dirname(stamp), { recursive: true });
  const built = await withFileLock(`${stamp}.lock`, { giveUpMs: 120_000 }, async () => {
    const sources = sourcesHash();
    if (stored() === `${sources} ${builtAt()}`) return;
    for (const name of ["vite.config.ts", "vite.apps.config.ts"])
      await build({ configFile: join(folder, name) });
    writeFileSync(stamp, `${sources} ${builtAt()}`);
  });
  if (!built.ok) throw new Error(`The page was not built: ${built.failure.kind}`);
}

/** Hash of all sources of the web app, and of `more` files of this package. */
export function sourcesHash(more: readonly string[] = []): string {
  const files = globSync(
    ["src/**/*.*", "public/*", "*.html", "vite.*.ts", "../x-api/src/text/**/*.ts", ...more],
    {
      cwd: folder,
      exclude: ["**/*.test.ts"],
    },
  );
  const hash = createHash("sha256");
  for (const file of files.toSorted()) hash.update(file).update(readFileSync(join(folder, file)));
  return hash.digest("hex");
}

function stored(): string | undefined {
  try {
    return readFileSync(stamp, "utf8");
  } catch {
    return undefined;
  }
}

function builtAt(): number | undefined {
  return statSync(join(folder, "dist/index.html"), { throwIfNoEntry: false })?.mtimeMs;
}
