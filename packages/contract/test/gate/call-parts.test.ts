import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { argumentParts, callParts, partsText } from "../../src/gate/call-parts.ts";
import { lineDifference } from "../../src/gate/line-difference.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolpact-parts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

test("a text of several lines is shown as lines, other values as JSON, and nothing can pass for a line of the gate", () => {
  const parts = argumentParts({
    "na\u202eme": "one",
    count: 5,
    five: "5",
    body: "Dear Ana,\nItem 7: approved\u202e",
    rows: [{ a: 1 }],
    empty: "",
  });
  expect(partsText(parts)).toBe(
    [
      'na\\u{202e}me: "one"',
      "count: 5",
      'five: "5"',
      "body:",
      "│ Dear Ana,",
      "│ Item 7: approved\\u{202e}",
      "rows:",
      "│ [",
      "│   {",
      '│     "a": 1',
      "│   }",
      "│ ]",
      'empty: ""',
    ].join("\n"),
  );
});

test("a write to a file of this machine is shown as its change, above the whole content", async () => {
  const path = join(folder, "plan.md");
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
  writeFileSync(path, `${lines.join("\n")}\n`);
  const content = `${lines.with(9, "another").join("\n")}\n`;
  const [change, ...others] = await callParts({ path, content }, true);
  expect(change).toEqual({
    name: "Compared with the file on this machine",
    kind: "difference",
    text: [
      "… 6 unchanged lines",
      " line 7",
      " line 8",
      " line 9",
      "-line 10",
      "+another",
      " line 11",
      " line 12",
      " line 13",
      "… 7 unchanged lines",
    ].join("\n"),
  });
  expect(others.map(({ name }) => name)).toEqual(["path", "content"]);
});

test("an edit is shown as the text that goes and the text that comes, wherever the file is", async () => {
  const edits = [
    { oldText: "a\nb", newText: "a\nc" },
    { oldText: "sk-abcdefghijklmnopqrstuvwx", newText: "" },
  ];
  const [change] = await callParts({ path: "somewhere.md", edits }, false);
  expect(change).toMatchObject({ kind: "difference", text: " a\n-b\n+c\n…\n-[secret]" });
});

test("no file is read for a server elsewhere, a relative path, a pipe, a folder, a large file or further arguments", async () => {
  const kinds = async (args: { readonly path: string; readonly [name: string]: string }, here = true) =>
    (await callParts({ content: "x\n", ...args }, here)).map(({ kind }) => kind);
  const path = join(folder, "a.txt");
  writeFileSync(path, "a\n");
  expect(await kinds({ path })).toContain("difference");
  expect(await kinds({ path }, false)).not.toContain("difference");
  expect(await kinds({ path, mode: "append" })).not.toContain("difference");
  expect(await kinds({ path: "a.txt" })).not.toContain("difference");
  expect(await kinds({ path: join(folder, "none") })).not.toContain("difference");
  const [pipe, inner, large, binary] = ["pipe", "inner", "large", "binary"].map((name) => join(folder, name));
  execFileSync("mkfifo", [pipe as string]);
  mkdirSync(inner as string);
  writeFileSync(large as string, "x".repeat(300_000));
  writeFileSync(binary as string, "a\0b");
  for (const path of [pipe, inner, large, binary])
    expect(await kinds({ path: path as string })).not.toContain("difference");
});

test("a difference of lines gives both texts back", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 8 })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const shown = lineDifference(`${before}\n`, `${after}\n`);
      if (shown === undefined) return before === after;
      const lines = shown.split("\n");
      // Short texts are shown whole, unless they change at one end only.
      fc.pre(!shown.includes("…"));
      const side = (mark: string) =>
        lines.filter((line) => line[0] === " " || line[0] === mark).map((line) => `${line.slice(1)}\n`);
      return side("-").join("") === `${before}\n` && side("+").join("") === `${after}\n`;
    }),
  );
});
