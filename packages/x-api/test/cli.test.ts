import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { runInMemory } from "@toolpact/cli/testing";
import { describe, expect, it } from "vitest";
import { program } from "../src/cli/program.ts";
import { specDataFile } from "../src/operations/generate.ts";
import { specVersion } from "../src/operations/index.ts";

const source = ["--conditions=toolpact-source", join(import.meta.dirname, "../src/main.ts")];
const id = { name: "id", in: "path", required: true, schema: { type: "string", pattern: "^[0-9]{1,19}$" } };
const small = {
  openapi: "3.0.0",
  info: { version: "9.9" },
  servers: [{ url: "https://api.x.com" }],
  paths: {
    "/2/tweets/{id}": {
      delete: {
        operationId: "deletePosts",
        tags: ["Posts"],
        security: [{ OAuth2UserToken: ["tweet.read", "tweet.write"] }, { UserToken: [] }],
        parameters: [id, { name: "reason", in: "query", schema: { type: "string" } }],
        responses: {
          200: { content: { "application/json": { schema: { properties: { data: { type: "object" } } } } } },
        },
      },
    },
    "/2/new": { get: { operationId: "getNew", tags: ["New"], responses: {} } },
  },
};

function run(words: readonly string[], files: Readonly<Record<string, unknown>> = {}, hasColor = false) {
  const readFile = async (path: string) => {
    const file = files[path];
    if (file === undefined) throw new Error("no such file");
    return typeof file === "string" ? file : JSON.stringify(file);
  };
  return runInMemory(program, words, { readFile }, { hasColor });
}

describe("x-api spec diff", () => {
  it("lists added, removed and changed operations with details", async () => {
    const { code, out } = await run(["spec", "diff", "new.json"], { "new.json": small });
    expect(code).toBe(1);
    expect(out).toContain(
      `X API ${specVersion} → 9.9: 1 added, 177 removed, 1 changed\n+ GET /2/new  getNew\n`,
    );
    expect(out).toContain("- POST /2/tweets  createPosts\n");
    expect(out.slice(out.indexOf("~ DELETE"))).toMatchInlineSnapshot(`
      "~ DELETE /2/tweets/{id}  deletePosts
          ~ auth: accepts [{"scheme":"oauth2","scopes":["tweet.read","tweet.write","users.read"]},{"scheme":"oauth1"}] → [{"scheme":"oauth2","scopes":["tweet.read","tweet.write"]},{"scheme":"oauth1"}]
          ~ answer: shows {"flags":["deleted"]} → none
          + query reason
      "
    `);
  });

  it("prints JSON on request", async () => {
    const { code, out } = await run(["spec", "diff", "new.json", "--json"], { "new.json": small });
    const diff = JSON.parse(out);
    expect(code).toBe(1);
    expect(diff.from.version).toBe(specVersion);
    expect(diff.to).toEqual({ version: "9.9", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(diff.added).toEqual([{ id: "getNew", method: "GET", path: "/2/new" }]);
    expect(diff.changed[0].changes.map((change: { what: string }) => change.what)).toEqual([
      "auth",
      "answer",
      "query reason",
    ]);
  });

  it("uses color only if requested", async () => {
    const plain = await run(["spec", "diff", "new.json"], { "new.json": small });
    const colored = await run(["spec", "diff", "new.json"], { "new.json": small }, true);
    const esc = String.fromCharCode(27);
    expect(plain.out).not.toContain(esc);
    expect(colored.out).toContain(`${esc}[32m+ GET /2/new`);
  });

  it.each([
    [["spec", "diff"], {}, "FILE is missing. See x-api spec diff --help."],
    [["spec", "diff", "a", "b"], {}, 'Unexpected argument "b". See'],
    [["spec", "diff", "gone.json"], {}, "Cannot read gone.json. Name a file that exists"],
    [["spec", "diff", "x"], { x: "<html>" }, "x: the file is not JSON"],
    [["spec", "diff", "x"], { x: {} }, "x: the file is not an OpenAPI document"],
    [
      ["spec", "diff", "x"],
      {
        x: {
          ...small,
          paths: { "/2/x": { get: { operationId: "x", parameters: [{ name: "a", in: "query" }] } } },
        },
      },
      "shape",
    ],
    [["spec", "list"], {}, 'There is no command "list". x-api spec has: diff.'],
    [["--yaml"], {}, "There is no option --yaml here. See x-api --help."],
    [["--json=yes"], {}, "--json takes no value. See"],
  ])("explains what is wrong with %j", async (args, files, words) => {
    const { code, out, err } = await run(args, files);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(words);
  });

  it("names a broken reference", async () => {
    const broken = {
      ...small,
      paths: {
        "/2/x": { get: { operationId: "getX", parameters: [{ $ref: "#/components/parameters/No" }] } },
      },
    };
    const { code, err } = await run(["spec", "diff", "x"], { x: broken });
    expect([code, err]).toEqual([
      2,
      "x-api: x: the OpenAPI file refers to #/components/parameters/No and does not define it. See x-api spec diff --help.\n",
    ]);
  });

  it("prints its help", async () => {
    const help = await run(["--help"]);
    expect(help.code).toBe(0);
    expect(help.out).toContain("Examples");
    expect(help.out).toContain("Exit codes");
    expect((await run([])).out).toBe(help.out);
    expect((await run(["--version"])).out).toMatch(/^x-api \d+\.\d+\.\d+ \(X API \d+\.\d+\)\n$/);
  });

  it("finds no change in the table's own source, run as a program", async () => {
    const args = [...source, "spec", "diff", specDataFile];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toBe(`X API ${specVersion} → ${specVersion}: 0 added, 0 removed, 0 changed\n`);
  });

  it("exits quietly when its reader disconnects", async () => {
    const child = spawn(process.execPath, [...source, "--help"]);
    child.stdout.destroy();
    const ended = once(child, "exit");
    expect((await child.stderr.setEncoding("utf8").toArray()).join("")).toBe("");
    expect(await ended).toEqual([0, null]);
  });

  it("starts by its command name", async () => {
    const bin = join(import.meta.dirname, "../bin/x-api.js");
    const { stdout } = await promisify(execFile)(process.execPath, [bin, "--version"]);
    expect(stdout).toMatch(/^x-api \d+\.\d+\.\d+ \(X API \d+\.\d+\)\n$/);
  });
});
