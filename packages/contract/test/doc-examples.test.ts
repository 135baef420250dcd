import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const folder = resolve(import.meta.dirname, "..");
const workspace = resolve(folder, "../..");
const sources = [join(folder, "src"), join(workspace, "packages/cli/src")];
const PATIENCE_MS = 120_000;

test(
  "every example in a doc comment and on the pages of the library compiles",
  async () => {
    const examples = [...docExamples(), ...pageExamples()];
    expect(examples.length).toBeGreaterThan(20);
    expect(await compile(examples)).toBe("");
  },
  1.5 * PATIENCE_MS,
);

interface DocExample {
  readonly name: string;
  readonly code: string;
}

function docExamples(): DocExample[] {
  return sources
    .flatMap((source) =>
      readdirSync(source, { recursive: true, encoding: "utf8" }).map((file) => join(source, file)),
    )
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap((file) =>
      blocksOf(readFileSync(file, "utf8"), / \* ```ts\n([\s\S]*?) \* ```/g, relative(workspace, file)).map(
        ({ name, code }) => ({ name, code: code.replaceAll(/^ \* ?/gm, "") }),
      ),
    );
}

const PAGES = ["packages/contract/README.md", "docs/openapi.md", "docs/develop-a-server.md"];

/** Examples that are whole files are compiled in `examples`. */
function pageExamples(): DocExample[] {
  return PAGES.flatMap((page) =>
    blocksOf(readFileSync(join(workspace, page), "utf8"), /(?<!-->\n)```ts\n([\s\S]*?)```/g, page),
  );
}

function blocksOf(text: string, fence: RegExp, file: string): DocExample[] {
  return [...text.matchAll(fence)].map(([, code = ""], index) => ({
    name: `${file.replaceAll(/\W/g, "-")}-${index + 1}`,
    code,
  }));
}

/** Each example is a function with the names it may use. */
function compile(examples: readonly DocExample[]): Promise<string> {
  const here = mkdtempSync(join(tmpdir(), "toolpact-examples-"));
  onTestFinished(() => rmSync(here, { recursive: true }));
  const config = {
    extends: join(workspace, "tsconfig.json"),
    compilerOptions: { noUnusedLocals: false, rewriteRelativeImportExtensions: false },
    include: ["*.ts"],
  };
  writeFileSync(join(here, "tsconfig.json"), JSON.stringify(config));
  writeFileSync(join(here, "package.json"), JSON.stringify({ type: "module" }));
  symlinkSync(join(workspace, "node_modules"), join(here, "node_modules"));
  for (const { name, code } of examples)
    writeFileSync(join(here, `${name}.ts`), `${KNOWN}\nexport async function example() {\n${code}\n}\n`);
  const compiler = join(workspace, "node_modules/.bin/tsc");
  return new Promise((resolve) => {
    const patience = { timeout: PATIENCE_MS, killSignal: "SIGKILL" } as const;
    execFile(compiler, ["-p", here], patience, (error, stdout) =>
      resolve(error?.killed ? "The compiler did not finish." : stdout || (error?.message ?? "")),
    );
  });
}

const KNOWN = `
import { ${exportsOf("index.ts")} } from "@toolpact/contract";
import { ${exportsOf("internal.ts")} } from "@toolpact/contract/internal";
import { ${exportsOf("../../cli/src/index.ts")} } from "@toolpact/cli";
import { runInMemory } from "@toolpact/cli/testing";
import { createHttpHandler, serveHttp } from "@toolpact/contract/http";
import { serveFetch } from "@toolpact/contract/fetch";
import { ${exportsOf("guards/index.ts")} } from "@toolpact/contract/guards";
import { ${exportsOf("guards/internal.ts")} } from "@toolpact/contract/internal/guards";
import { openPostgres } from "@toolpact/contract/guards/postgres";
import { openSignIn } from "@toolpact/contract/sign-in";
import { openTelemetry } from "@toolpact/contract/otel";
import { openApiApp, openApiErrors, openApiTools } from "@toolpact/contract/openapi";
import { serveStdio } from "@toolpact/contract/stdio";
import { readFile } from "node:fs/promises";
import { ${exportsOf("testing/index.ts")} } from "@toolpact/contract/testing";
import * as z from "zod";
import { errors, product } from ${JSON.stringify(join(import.meta.dirname, "notes-product.ts"))};
declare const app: McpApp;
declare const journal: Journal;
declare const key: Uint8Array;
declare const invoices: Map<string, { to: string; cents: number }>;
declare const tools: readonly Tool[];
declare const reads: BoundStack;
declare const writes: BoundStack;
declare const surface: Surface;
declare const pipeline: Pipeline;
declare const program: Program<{ now: () => number }>;
`;

function exportsOf(entry: string): string {
  const text = readFileSync(join(folder, "src", entry), "utf8");
  return [...text.matchAll(/export (type )?\{([^}]*)\}/g)]
    .flatMap(([, type = "", names = ""]) => names.split(",").map((name) => name.trim() && type + name.trim()))
    .filter(Boolean)
    .join(", ");
}
