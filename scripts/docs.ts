import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeLlmsText } from "./llms-text.ts";
import { root } from "./packages.ts";
import { run } from "./run.ts";

/**
 * Builds this version into its own folder. The first page links to the newest version, and `versions.html`
 * lists all.
 */
export async function buildSite(
  outdir: string,
  prefix: string = process.env.DOCS_BASE ?? "/",
): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(root, "packages/tuitbot/package.json"), "utf8"));
  const name = `v${version}`;
  mkdirSync(outdir, { recursive: true });
  // A broken link fails the build.
  const built = await run("vitepress", [
    "build",
    "--outDir",
    join(outdir, name),
    "--base",
    `${prefix}${name}/`,
  ]);
  if (!built.ok) throw new Error(`The site does not build:\n${built.output}`);
  writeLlmsText(join(outdir, name));
  const newestFirst = readdirSync(outdir)
    .filter((entry) => /^v\d/.test(entry))
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  writeFileSync(join(outdir, "index.html"), toNewest(newestFirst[0] ?? name));
  writeFileSync(join(outdir, "versions.html"), versionList(newestFirst));
  return name;
}

function toNewest(name: string): string {
  return page(
    "Toolpact",
    `<a href="./${name}/">${name}</a>`,
    `<meta http-equiv="refresh" content="0; url=./${name}/">`,
  );
}

function versionList(names: readonly string[]): string {
  const items = names.map((name) => `<li><a href="./${name}/">${name}</a></li>`);
  return page("Versions of Toolpact", `<ul>${items.join("")}</ul>`);
}

function page(title: string, body: string, head = ""): string {
  return `<!doctype html>
<html lang="en-US">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>body { font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }</style>
${head}
<h1>${title}</h1>
${body}
</html>
`;
}

if (import.meta.main) {
  const outdir = join(root, "dist/docs");
  console.log(`Built ${await buildSite(outdir)} into ${outdir}.`);
}
