import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, normalize } from "node:path";
import { Ajv, type AnySchemaObject } from "ajv";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { packageNamed, root } from "../packages.ts";
import { clientFiles } from "./client-files.ts";
import { type Publisher, publisherOf } from "./publisher.ts";
import { serverJson } from "./server-json.ts";
import { shippedServers } from "./servers.ts";

const publisher: Publisher = {
  repository: "https://github.com/example/toolpact",
  homepage: "https://toolpact.example",
  bugs: "https://github.com/example/toolpact/issues",
  mcpNamespace: "io.github.example",
};
const files = Object.entries(clientFiles(publisher)).map(([path, text]) => [path, JSON.parse(text)] as const);
const require = createRequire(import.meta.url);

/** Returns violations of a JSON schema. */
function problems(schema: AnySchemaObject, value: unknown): readonly string[] {
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  const isValid = ajv.compile(schema);
  isValid(value);
  return (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const mcpbSchema: AnySchemaObject = require("@anthropic-ai/mcpb/mcpb-manifest-v0.3.schema.json");
const registrySchema: AnySchemaObject = JSON.parse(
  readFileSync(join(root, "scripts/distribution/server.schema.gen.json"), "utf8"),
);

/** Names and paths that escape their folder, imitate others, or are special in a shell. */
const HOSTILE = [
  "../evil",
  "/etc/passwd",
  "a/../../b",
  "a\\b",
  "x; rm -rf ~",
  "$(id)",
  "`id`",
  "a b",
  "a\nb",
  "tu\u202Etob",
  "t\u0443itbot",
  "",
];

describe("the files that clients install plugins from", () => {
  test("stay inside their folders, and reference only existing files", () => {
    for (const [path, file] of files) {
      expect(path).toBe(normalize(path));
      expect(path).toMatch(/^(packages\/[a-z-]+\/|\.(claude|cursor)-plugin\/)[\w./-]+\.json$/);
      for (const { name, source } of file.plugins ?? []) {
        expect(source).toBe(`./packages/${name}`);
        expect(existsSync(join(root, source, "package.json")), source).toBe(true);
        expect(Object.fromEntries(files)[`packages/${name}/.claude-plugin/plugin.json`]).toMatchObject({
          name,
        });
      }
    }
    expect(files.filter(([, { plugins }]) => plugins !== undefined)).toHaveLength(2);
  });

  test("have names without capitals, spaces or marks, and start a program without a shell", () => {
    for (const [path, file] of files) {
      if (file.name !== undefined) expect(file.name, path).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      for (const [name, { command, args }] of Object.entries<{ command: string; args: string[] }>(
        file.mcpServers ?? {},
      )) {
        expect([name, command]).toEqual([expect.stringMatching(/^[a-z0-9-]+$/), "npx"]);
        for (const argument of args) expect(argument).toMatch(/^[\w@.-]+$/);
      }
    }
  });

  test.each(shippedServers)(
    "have a bundle of $name that its schema takes, without a hole in its form",
    ({ name }) => {
      const manifest = Object.fromEntries(files)[`packages/${name}/mcpb/manifest.json`];
      expect(problems(mcpbSchema, manifest)).toEqual([]);
      const filled = [...JSON.stringify(manifest).matchAll(/\$\{([^}]+)\}/g)].map(([, variable]) => variable);
      const known = ["__dirname", ...Object.keys(manifest.user_config).map((key) => `user_config.${key}`)];
      expect(known).toEqual(expect.arrayContaining(filled));
      expect(existsSync(join(root, "packages", name, manifest.server.entry_point))).toBe(true);
      // Check that the schema detects mistakes.
      expect(
        problems(mcpbSchema, { ...manifest, server: { ...manifest.server, type: "shell" } }),
      ).not.toEqual([]);
    },
  );

  test.each(HOSTILE)("are not valid for the registry with the name %j", (name) => {
    for (const server of shippedServers) {
      expect(problems(registrySchema, serverJson(server, packageNamed(server.name), publisher))).toEqual([]);
      expect(
        problems(registrySchema, serverJson({ ...server, name }, packageNamed(server.name), publisher)),
      ).not.toEqual([]);
    }
  });
});

describe("a publisher", () => {
  const ADDRESSES = [
    "javascript:alert(1)",
    "http://example.org",
    "https://a@example.org",
    'https://example.org/")',
    "file:///etc",
  ];

  test.each(["repository", "homepage", "bugs"] as const)(
    "is rejected with a %s that is not a plain URL",
    (part) => {
      for (const value of [...ADDRESSES, ...HOSTILE.map((path) => `https://example.org/${path}x y`)])
        expect(publisherOf({ publisher: { ...publisher, [part]: value } }), value).toMatchObject({
          missing: expect.stringContaining(`publisher.${part}`),
        });
      expect(publisherOf({ publisher })).toEqual(publisher);
    },
  );

  test.each([...HOSTILE, "example", "org.example/x"])("is rejected with the namespace %j", (mcpNamespace) => {
    expect(publisherOf({ publisher: { ...publisher, mcpNamespace } })).toMatchObject({
      missing: expect.stringContaining("publisher.mcpNamespace"),
    });
  });
});
