import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { builtPackage } from "../build.ts";
import { freePort } from "../free-port.ts";
import { type Package, packageNamed, packages, root } from "../packages.ts";
import { clientFiles } from "./client-files.ts";
import { installLinks } from "./install-links.ts";
import { manifestOf } from "./manifests.ts";
import { otlpCollector } from "./otlp-collector.ts";
import { stagePackage, withAbsoluteLinks } from "./pack.ts";
import { knownPublisher, type Publisher, publisherOf } from "./publisher.ts";
import { serverJson } from "./server-json.ts";
import { defaultEnvironment, type ShippedServer, shippedServers } from "./servers.ts";

const publisher: Publisher = {
  repository: "https://github.com/example/toolpact",
  homepage: "https://toolpact.example",
  bugs: "https://github.com/example/toolpact/issues",
  mcpNamespace: "io.github.example",
};
test("the hosted CI runs what .ci/run runs, and a release is tested before it is published", () => {
  const steps = (file: string): string[] =>
    Object.values<{ steps: { run?: string }[] }>(parse(read(`.github/workflows/${file}`)).jobs)
      .flatMap(({ steps }) => steps)
      .flatMap(({ run }) => run ?? []);
  expect(steps("ci.yml")).toContain(".ci/run");
  expect(steps("release.yml")).toEqual([".ci/run", "npm run release -- --dry-run", "npm run release"]);
  expect(statSync(join(root, ".ci/run")).mode & 0o111).not.toBe(0);
});

test.each(
  globSync(["**/.github/workflows/*.yml"], { cwd: root, exclude: ["**/node_modules/**", "dist/**"] }),
)("%s pins every action to a commit, with the version as a comment", (file) => {
  const uses = [...read(file).matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
  expect(uses).not.toEqual([]);
  for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

const published = packages().filter(({ isPrivate }) => !isPrivate);
const read = (path: string) => readFileSync(join(root, path), "utf8");

describe("without a publisher", () => {
  test("nothing is released, and one line reports the missing settings", () => {
    expect(publisherOf({})).toEqual({
      missing:
        "package.json has no publisher.repository, publisher.homepage, publisher.bugs, publisher.mcpNamespace: nothing can be released before there is an address to release it from.",
    });
    expect(publisherOf({ publisher })).toEqual(publisher);
  });

  test.each(published)("the manifest of $name names none", (pkg) => {
    const manifest = manifestOf(pkg, undefined);
    for (const name of ["repository", "homepage", "bugs", "mcpName"])
      expect(manifest).not.toHaveProperty(name);
    expect(manifest).toMatchObject({
      license: "MIT",
      description: expect.any(String),
      keywords: expect.arrayContaining(["mcp"]),
    });
  });
});

test.each(published)("with a publisher, $name is published with its repository, which npm signs", (pkg) => {
  expect(manifestOf(pkg, publisher)).toMatchObject({
    repository: {
      type: "git",
      url: "git+https://github.com/example/toolpact.git",
      directory: `packages/${basename(pkg.folder)}`,
    },
    homepage: publisher.homepage,
    bugs: publisher.bugs,
  });
});

test.runIf(knownPublisher() === undefined)(
  "while nothing is published, no page and no plugin fetches one of our names from a registry",
  () => {
    const names = ["toolpact", ...published.map(({ name }) => name)].join("|");
    const fetches = [
      `npx (-y|--yes) (${names})\\b`,
      `"npx", "args": \\[ ?"(-y|--yes)", "(${names})\\b`,
      `npm (create|install|i) [^\`\\n]*\\b(${names})\\b`,
      "vscode.dev/redirect/mcp",
      "/install-mcp\\?",
    ].map((pattern) => new RegExp(pattern));
    const files = globSync(
      [
        "*.md",
        "docs/*.md",
        "packages/*/README.md",
        "packages/*/skills/*/SKILL.md",
        "packages/*/{mcp,plugin,gemini-extension}.json",
        "{.,packages/*}/.{claude,cursor}-plugin/*.json",
      ],
      { cwd: root },
    );
    expect(files).toContain("packages/tuitbot/README.md");
    const found = files.flatMap((file) => {
      const lines = file.endsWith(".json") ? [read(file).replace(/\s+/g, " ")] : read(file).split("\n");
      const json = [...read(file).matchAll(/```json\n([\s\S]*?)```/g)].map(([, block = ""]) =>
        block.replace(/\s+/g, " "),
      );
      return [...lines, ...json].flatMap((text) =>
        fetches.flatMap((pattern) => pattern.exec(text)?.[0] ?? []).map((match) => `${file}: ${match}`),
      );
    });
    expect(found).toEqual([]);
  },
);

describe.each(shippedServers)("$name", (server) => {
  const pkg = packageNamed(server.name);

  test("has a valid registry entry, with the name repeated in the package", () => {
    const entry = serverJson(server, pkg, publisher);
    const ajv = new Ajv({ strict: false, allErrors: true });
    formats.default(ajv);
    const isValid = ajv.compile(JSON.parse(read("scripts/distribution/server.schema.gen.json")));
    isValid(entry);
    expect(isValid.errors).toBeNull();
    expect(isValid({ ...entry, description: "x".repeat(101) })).toBe(false);
    expect(manifestOf(pkg, publisher)).toMatchObject({ mcpName: entry.name, version: entry.version });
    expect(entry.version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test("is started the same way by the files of all clients, in the package's version", () => {
    const texts = Object.entries(clientFiles(publisher)).filter(([path]) =>
      path.startsWith(`packages/${server.name}/`),
    );
    const launches = texts.flatMap(([, text]) => {
      const { mcpServers } = JSON.parse(text);
      return mcpServers === undefined ? [] : [mcpServers[server.name]];
    });
    expect(launches).toHaveLength(4);
    for (const launch of launches)
      expect(launch).toMatchObject({
        command: "npx",
        args: ["-y", `${server.name}@${pkg.version}`, ...server.args],
      });
    // One click must be enough, without setting a variable first.
    for (const launch of launches) expect(launch.env ?? {}).toEqual(defaultEnvironment(server));
    for (const [path, text] of texts) expect(JSON.parse(text).version ?? pkg.version, path).toBe(pkg.version);
  });

  test("the badges start the published package, with documented settings only", () => {
    const [vscode, cursor] = [...installLinks(server).matchAll(/\]\((https:[^)]+install[^)]+)\)/g)].map(
      ([, url = ""]) => new URL(url).searchParams,
    );
    const launch = JSON.parse(vscode?.get("config") ?? "");
    expect(JSON.parse(Buffer.from(cursor?.get("config") ?? "", "base64").toString())).toEqual(launch);
    expect([vscode?.get("name"), cursor?.get("name")]).toEqual([server.name, server.name]);
    expect(launch).toMatchObject({ command: "npx", args: ["-y", server.name, ...server.args] });
    const known = server.settings.map(({ env }) => env);
    for (const name of Object.keys(launch.env)) expect(known).toContain(name);
  });

  test("every setting that clients prompt for is documented in the reference", () => {
    const pages = ["docs/configuration.md", "docs/godot-settings.md"].map(read).join("\n");
    for (const { env } of server.settings) expect(pages).toMatch(new RegExp(`\`${env}(=true)?\``));
  });
});

describe("packed files", () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "toolpact-packed-"));
    for (const { name } of shippedServers) await builtPackage(name);
  }, 120_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(shippedServers)(
    "$name sends telemetry once its SDK is installed next to it, and reports the missing package until then",
    { timeout: 120_000 },
    async (server) => {
      const modules = join(folder, server.name, "node_modules");
      await stagePackage(packageNamed(server.name), publisher, join(modules, server.name));
      const launch = {
        command: process.execPath,
        args: [join(modules, server.name, "bin", `${server.name}.js`), ...server.args],
      };
      const collector = await otlpCollector();
      const port = await freePort();
      const env = {
        ...trying(server),
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_METRICS_EXPORTER: "otlp,prometheus",
        OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
        OTEL_BSP_SCHEDULE_DELAY: "20",
        // An export that exceeds its timeout is lost, including the last one.
        OTEL_METRIC_EXPORT_INTERVAL: "2000",
        OTEL_METRIC_EXPORT_TIMEOUT: "2000",
      };
      try {
        expect(await answers(launch, env)).toContain(
          `OTEL_EXPORTER_OTLP_ENDPOINT is set, but there is no telemetry without OpenTelemetry's SDK: install @opentelemetry/api and @opentelemetry/sdk-node next to ${server.name}.`,
        );
        expect(collector.paths()).toEqual([]);

        symlinkSync(join(root, "node_modules/@opentelemetry"), join(modules, "@opentelemetry"));
        await answers(launch, env, async () => {
          await collector.received("/v1/traces", ["tools/list", "mcp.method.name", server.name]);
          await collector.received("/v1/metrics", ["mcp.server.operation.duration", server.name]);
          const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
          expect(page).toMatch(/^mcp_server_operation_duration_count\{.*tools\/list.*\} 1$/m);
          expect(page).not.toContain("mcp_server_session_duration");
        });
        // Known when the client disconnects, and sent before the server exits.
        await collector.received("/v1/metrics", ["mcp.server.session.duration", server.name]);
      } finally {
        await collector.close();
      }
    },
  );

  test.each(published)("the README of $name leads to the repository from outside of it", (pkg) => {
    const page = withAbsoluteLinks(readFileSync(join(pkg.folder, "README.md"), "utf8"), pkg, publisher);
    const targets = page.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g);
    for (const [, target, attribute] of targets) expect(target ?? attribute).toMatch(/^(https:\/\/|#)/);
    const ours = page.matchAll(/toolpact\/(?:blob|raw)\/main\/([^)\s#]+)/g);
    for (const [, path = ""] of ours) expect(existsSync(join(root, path)), path).toBe(true);
  });

  test("pictures point to the file, links to its page, even if nested", () => {
    const tuitbot = published.find(({ name }) => name === "tuitbot") as Package;
    const page = withAbsoluteLinks(
      "[![p](../../docs/pictures/a.svg)](skills/a.md#b) [t](../../docs/tools.md) [x](https://x.com) [h](#here)",
      tuitbot,
      publisher,
    );
    const main = (kind: string) => `https://github.com/example/toolpact/${kind}/main`;
    expect(page).toBe(
      `[![p](${main("raw")}/docs/pictures/a.svg)](${main("blob")}/packages/tuitbot/skills/a.md#b) [t](${main("blob")}/docs/tools.md) [x](https://x.com) [h](#here)`,
    );
  });

  /** The environment of a client. */
  function trying(server: ShippedServer): Record<string, string> {
    return server.name === "tuitbot" ? { TUITBOT_SANDBOX: "true" } : { GODOT_MCP_PROJECT: gameIn(folder) };
  }

  async function answers(
    launch: { readonly command: string; readonly args: string[] },
    env: Record<string, string>,
    meanwhile: () => Promise<void> = async () => undefined,
  ): Promise<string> {
    const client = new Client({ name: "stranger", version: "1" });
    const transport = new StdioClientTransport({
      ...launch,
      env: { PATH: process.env.PATH ?? "", HOME: folder, ...env },
      stderr: "pipe",
    });
    let said = "";
    transport.stderr?.on("data", (part) => {
      said += part;
    });
    await client.connect(transport);
    try {
      const { tools } = await client.listTools();
      expect(tools.length).toBeGreaterThan(5);
      await meanwhile();
    } finally {
      await client.close();
    }
    return said;
  }
});

function gameIn(folder: string): string {
  const game = join(folder, "game");
  mkdirSync(game, { recursive: true });
  writeFileSync(join(game, "project.godot"), "config_version=5\n");
  return game;
}
