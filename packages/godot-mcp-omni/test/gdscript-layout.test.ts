import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";

const PACKAGE = join(import.meta.dirname, "..");
const ADDON = "addons/godot_mcp_bridge";
const SHARED = `${ADDON}/shared`;

/** The scripts that each folder may load. The engine and the addon both run the shared ones; nothing is copied. */
const MAY_LOAD: Readonly<Record<string, readonly string[]>> = {
  [SHARED]: [SHARED],
  [ADDON]: [ADDON, SHARED],
  engine: ["engine", SHARED],
};

const scripts = Object.keys(MAY_LOAD).flatMap((folder) =>
  readdirSync(join(PACKAGE, folder))
    .filter((name) => name.endsWith(".gd"))
    .map((name) => ({ folder, name, text: readFileSync(join(PACKAGE, folder, name), "utf8") })),
);

test.each(Object.keys(MAY_LOAD))("scripts in %s load only scripts that ship with them", (folder) => {
  const loads = scripts
    .filter((script) => script.folder === folder)
    .flatMap(({ name, text }) =>
      [...text.matchAll(/(?:preload\(|^extends )"([^"]+\.gd)"/gm)].map(([, path = ""]) => ({
        name,
        target: posix.join(folder, path),
      })),
    );
  const known = new Set(scripts.map((script) => `${script.folder}/${script.name}`));
  const wrong = loads.filter(
    ({ target }) => !known.has(target) || !MAY_LOAD[folder]?.includes(posix.dirname(target)),
  );
  expect(wrong).toEqual([]);
});

test("a shared script exists once: neither the engine nor the addon has a file of the same name or text", () => {
  const shared = scripts.filter((script) => script.folder === SHARED);
  const copies = scripts.filter(
    (script) =>
      script.folder !== SHARED &&
      shared.some(({ name, text }) => name === script.name || text === script.text),
  );
  expect(copies.map(({ folder, name }) => `${folder}/${name}`)).toEqual([]);
});

test("every shared script is reachable from the engine's worker", () => {
  const reached = new Set<string>();
  const visit = (name: string) => {
    if (reached.has(name)) return;
    reached.add(name);
    const text = scripts.find((script) => script.folder === SHARED && script.name === name)?.text ?? "";
    for (const [, next = ""] of text.matchAll(/(?:preload\(|path_join\()"(\w+\.gd)"/g)) visit(next);
  };
  for (const { folder, text } of scripts)
    if (folder === "engine")
      for (const [, next = ""] of text.matchAll(/(?:shared\/|shared\.path_join\(")(\w+\.gd)"/g)) visit(next);
  const shared = scripts.filter((script) => script.folder === SHARED).map(({ name }) => name);
  expect(shared.filter((name) => !reached.has(name))).toEqual([]);
});
