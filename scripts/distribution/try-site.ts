import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join, relative } from "node:path";
import { buildSite } from "../docs.ts";
import { root } from "../packages.ts";
import type { Attempt } from "./channels.ts";
import type { Stranger } from "./stranger.ts";

/** Builds the documentation site, checks it for missing content, and reads it through a file server. */
export async function trySite({ folder }: Pick<Stranger, "folder">): Promise<Attempt> {
  const site = join(folder, "site");
  // An earlier version, which must stay.
  mkdirSync(join(site, "v0.0.9"), { recursive: true });
  writeFileSync(join(site, "v0.0.9/index.html"), "<title>earlier</title>");
  const version = await buildSite(site, "/");
  const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".html"),
  );
  const missing = [
    ...missingPages(pages, version),
    ...lostExamples(join(site, version)),
    ...deadLinks(site, pages),
  ];
  if (missing.length > 0) throw new Error(`The site lacks:\n${missing.join("\n")}`);
  await readSite(site, version);
  return { seen: `${pages.length} pages of ${version} next to an earlier one, no dead link, searchable` };
}

/** Checks every guide, the generated reference, published READMEs and decisions. */
function missingPages(pages: readonly string[], version: string): readonly string[] {
  const markdown = (folder: string) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name.replace(/md$/, "html")}`);
  const wanted = [
    "index.html",
    "packages/contract/README.html",
    ...markdown("docs"),
    ...markdown("docs/decisions"),
    ...markdown("docs/tools"),
    ...markdown("docs/godot-tools"),
  ];
  return wanted.map((page) => `${version}/${page}`).filter((page) => !pages.includes(page));
}

/** Examples with braces in the reference, which site generators may interpret as syntax. */
function lostExamples(site: string): readonly string[] {
  const pages = readdirSync(join(root, "docs/godot-tools"));
  const examples = pages.flatMap((page) => {
    const markdown = readFileSync(join(root, "docs/godot-tools", page), "utf8");
    const html = readFileSync(join(site, "docs/godot-tools", page.replace(/md$/, "html")), "utf8")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&");
    return [...markdown.matchAll(/\| ([^|`\n]*\{[^|`\n]*\}) \|$/gm)].map(([, text = ""]) => ({
      page,
      text,
      html,
    }));
  });
  if (examples.length === 0) throw new Error("The reference has no examples with braces any more.");
  return examples
    .filter(({ html, text }) => !html.includes(text))
    .map(({ page, text }) => `docs/godot-tools/${page}: ${text}`);
}

/** Broken links to pages, pictures and anchors. */
function deadLinks(site: string, pages: readonly string[]): readonly string[] {
  const texts = new Map<string, string>();
  const textOf = (file: string) => {
    const text = texts.get(file) ?? readFileSync(join(site, file), "utf8");
    texts.set(file, text);
    return text;
  };
  /** The file for a URL, as a file server resolves it. */
  const fileAt = (path: string, from: string) => {
    const file = path.startsWith("/") ? path.slice(1) : relative(site, join(site, dirname(from), path));
    return [file, `${file}.html`, join(file, "index.html")].find(
      (candidate) => /\.\w+$/.test(candidate) && existsSync(join(site, candidate)),
    );
  };
  return pages.flatMap((page) =>
    [...textOf(page).matchAll(/<(?:a|img)\b[^>]*?\s(?:href|src)="([^"]+)"/g)].flatMap(([, address = ""]) => {
      if (/^[a-z]+:/.test(address)) return [];
      const [path = "", hash = ""] = decodeURI(address.replaceAll("&amp;", "&")).split("#");
      const file = path === "" ? page : fileAt(path, page);
      const isThere = file !== undefined && (hash === "" || textOf(file).includes(`id="${hash}"`));
      return isThere ? [] : [`${page}: ${address}`];
    }),
  );
}

/** Reads the first page and the search index, like a browser. */
async function readSite(site: string, version: string): Promise<void> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://site").pathname;
    const file = join(site, path.endsWith("/") ? `${path}index.html` : path);
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on TCP has such an address.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const read = async (path: string) => (await fetch(`${url}${path}`)).text();
    if (!(await read("/")).includes(`url=./${version}/`))
      throw new Error("The first page does not lead to the newest version.");
    const versions = [...(await read("/versions.html")).matchAll(/href="\.\/(v[^"]+)\/"/g)];
    if (versions.map(([, name]) => name).join() !== `${version},v0.0.9`)
      throw new Error("The list of versions is not whole.");
    const first = await read(`/${version}/`);
    if (!first.includes("Let AI agents act")) throw new Error("The first page is not the README.");
    const listed = [...(await read(`/${version}/llms.txt`)).matchAll(/\]\(([^)]+)\)/g)];
    for (const [, page] of listed)
      if (!/^(?:# |<!--)/.test(await read(`/${version}/${page}`)))
        throw new Error(`llms.txt lists ${page}, which is not a page in Markdown.`);
    if (listed.length < 20) throw new Error("llms.txt does not list the documentation.");
    const index = readdirSync(join(site, version, "assets/chunks")).find((file) =>
      file.startsWith("@localSearchIndex"),
    );
    const searched = await read(`/${version}/assets/chunks/${index}`);
    if (!searched.includes("Stopping all agents")) throw new Error("The search does not find a heading.");
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
