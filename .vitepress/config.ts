import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { defineConfig } from "vitepress";
import { flowchartSvg } from "./flowchart.ts";

const root = join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(root, "packages/tuitbot/package.json"), "utf8"));

const title = (page: string) =>
  /^# (.*)$/m.exec(readFileSync(join(root, page), "utf8"))?.[1] ?? basename(page);
const item = (page: string) => ({ text: title(page), link: `/${page.replace(/\.md$/, "")}` });
const items = (pages: readonly string[]) => pages.map(item);
/** The pages of a generated reference, under the name of their category. */
const categories = (folder: string) =>
  readdirSync(join(root, folder)).map((name) => {
    const text = basename(name, ".md");
    return { text: text.replaceAll("_", " "), link: `/${folder}/${text}` };
  });

/** The anchor that GitHub gives a heading, for links that work on both. */
const githubAnchor = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "")
    .replaceAll(" ", "-");

const readmeOf = (name: string) => `packages/${name}/README.md`;

/** The documentation of the repository as a site: its Markdown as it is, at the paths that it has here. */
export default defineConfig({
  title: "Toolpact",
  description: "Let AI agents act, and stay in charge.",
  lang: "en-US",
  // No icon: a browser would ask for one at the root of the host.
  head: [["link", { rel: "icon", href: "data:," }]],
  srcExclude: [
    "**/node_modules/**",
    "**/dist/**",
    "**/test/**",
    "packages/*/src/**",
    "packages/*/template/**",
    "roadmap/**",
    ".changeset/**",
  ],
  outDir: join(root, "dist/docs"),
  cacheDir: join(root, "node_modules/.cache/vitepress"),
  rewrites: { "README.md": "index.md" },
  metaChunk: true,
  transformPageData(page) {
    // The README begins with a sentence, a picture and a door for each kind of reader.
    if (page.relativePath === "index.md")
      Object.assign(page.frontmatter, { pageClass: "start-page", sidebar: false, aside: false });
  },
  // Examples of addresses on this machine.
  ignoreDeadLinks: "localhostLinks",
  markdown: {
    anchor: { slugify: githubAnchor },
    // Braces at the end of a text are an example of JSON here, not attributes of its element.
    attrs: { disable: true },
    config(md) {
      const { fence } = md.renderer.rules;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info, content } = tokens[index] ?? {};
        const drawing = info === "mermaid" ? flowchartSvg(content ?? "") : undefined;
        return drawing ?? fence?.(tokens, index, ...rest) ?? "";
      };
      md.core.ruler.push("links-in-the-repository", ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet("href");
          if (token.type !== "link_open" || href === null) continue;
          const target = targetOf(href, env.path);
          // Sources are not on the site: links to them become text.
          if (target === undefined) token.attrs = null;
          else token.attrSet("href", target);
        }
      });
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: { level: [2, 3] },
    nav: [
      { text: "Docs", link: "/docs/README" },
      { text: "tuitbot", link: "/packages/tuitbot/README" },
      { text: "Godot", link: "/packages/godot-mcp-omni/README" },
      { text: "Gate", link: "/docs/gate" },
      { text: "Library", link: "/packages/contract/README" },
      {
        text: `v${version}`,
        items: [
          { text: "Changes", link: "/CHANGELOG" },
          // Next to the folder of this version.
          { text: "All versions", link: "/../versions.html", target: "_self" },
        ],
      },
    ],
    sidebar: [
      {
        text: "Start",
        items: items(["docs/README.md", "docs/install.md", "docs/faq.md", "docs/troubleshooting.md"]),
      },
      {
        text: "X account",
        items: items([
          "packages/tuitbot/README.md",
          "docs/x-api-access.md",
          "docs/first-week.md",
          "docs/concepts.md",
          "docs/policy.md",
          "docs/budgets.md",
          "docs/several-agents.md",
          "docs/sign-in.md",
          "docs/web-app.md",
          "docs/approve-anywhere.md",
          "docs/learned-rules.md",
          "docs/operating.md",
          "docs/scaling.md",
          "docs/from-tuitbot.md",
        ]),
      },
      {
        text: "Godot games",
        items: items([
          "packages/godot-mcp-omni/README.md",
          "docs/godot-first-game.md",
          "docs/godot-play.md",
          "docs/godot-content.md",
          "docs/godot-versions.md",
          "docs/from-godot-mcp-omni.md",
        ]),
      },
      {
        text: "Any MCP server",
        items: items([
          "docs/gate.md",
          "docs/storm.md",
          "packages/toolpact/README.md",
          "packages/contract/README.md",
          "docs/build-a-server.md",
          "docs/develop-a-server.md",
          "docs/openapi.md",
          "packages/create-toolpact/README.md",
        ]),
      },
      {
        text: "Reference",
        items: [
          { ...item("docs/tools.md"), collapsed: true, items: categories("docs/tools") },
          ...items(["docs/cli.md", "docs/configuration.md"]),
          { ...item("docs/godot-tools.md"), collapsed: true, items: categories("docs/godot-tools") },
          ...items(["docs/godot-scenes.md", "docs/godot-settings.md"]),
          ...items(["x-api", "x-sandbox", "cli", "outcome", "file-lock"].map(readmeOf)),
        ],
      },
      {
        text: "Background",
        items: items([
          "docs/specification.md",
          "docs/security.md",
          "docs/injection.md",
          "docs/performance.md",
          "docs/compared.md",
          "docs/compared-products.md",
          "docs/compared-godot.md",
          "docs/decisions/README.md",
        ]),
      },
      {
        text: "Contribute",
        items: items(["CONTRIBUTING.md", "AGENTS.md", "ARCHITECTURE.md", "SECURITY.md"]),
      },
    ],
  },
});

const START_PAGE = join(root, "README.md");

/** Resolves a link of the repository for the site: a page, or the README of a folder; undefined for other files. */
function targetOf(href: string, page: string): string | undefined {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const [path = "", hash] = href.split("#");
  const file = join(dirname(page), path);
  // The README of the repository is the start page.
  if (file === START_PAGE) return `./${relative(dirname(page), join(root, "index.md"))}`;
  if (!existsSync(file) || !statSync(file).isDirectory()) return /\.md$/.test(path) ? href : undefined;
  if (path.startsWith(".changeset")) return undefined;
  const first = existsSync(join(file, "README.md")) ? "README.md" : readdirSync(file).sort()[0];
  return `./${relative(dirname(page), join(file, first ?? ""))}${hash === undefined ? "" : `#${hash}`}`;
}
