import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clientLines } from "./client-lines.ts";

const guide = readFileSync(join(import.meta.dirname, "../../../../../docs/sign-in.md"), "utf8");

test("a public server prints a line for each client of the guide, with the guide's commands", () => {
  const printed = clientLines("https://bot.example/mcp").join("\n");
  for (const client of ["Claude", "ChatGPT", "Claude Code", "Codex", "VS Code"]) {
    const [, row = ""] = new RegExp(`^\\| ${client}(?: \\(.*?\\))? \\| (.*) \\|$`, "m").exec(guide) ?? [];
    expect(row, client).toContain("https://bot.example/mcp");
    const [, command] = /`((?:claude|codex|code) [^`]*)`/.exec(row) ?? [];
    expect(printed).toContain(`     ${client.padEnd(12)} ${command ?? "Settings, "}`);
  }
});

test("a public server prints how an owner gets a passphrase, as the guide does", () => {
  const printed = clientLines("https://bot.example/mcp").join("\n");
  expect(printed).toContain("npx tuitbot people add NAME --role owner");
  expect(guide).toContain("npx tuitbot people add Ann --role owner");
});

test("a server of this machine prints no lines for clients on the web, which cannot reach it", () => {
  const printed = clientLines("http://127.0.0.1:3001/mcp").join("\n");
  expect(printed).toContain("codex mcp add tuitbot --url http://127.0.0.1:3001/mcp");
  expect(printed).not.toMatch(/ChatGPT|Connectors|passphrase/);
});
