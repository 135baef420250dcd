import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newDesk } from "./command-line.ts";

const files: Readonly<Record<string, string>> = {
  "claude-code": ".claude.json",
  "claude-desktop": ".config/Claude/claude_desktop_config.json",
  cursor: ".cursor/mcp.json",
  vscode: ".config/Code/User/mcp.json",
  codex: ".codex/config.toml",
};

test.each(Object.entries(files))("%s: shown first, written when the person agrees", async (id, path) => {
  await using desk = newDesk();
  const file = join(desk.home, path);
  const shown = await desk.run(["mcp", "setup", "--client", id], { typed: () => "n" });
  expect(shown.out).toContain(file);
  expect(shown.out).toContain('"mcp"');
  expect(shown.out).toContain("Nothing was written.");
  expect(existsSync(file)).toBe(false);

  const agreed = await desk.run(["mcp", "setup", "--client", id], { typed: () => "y" });
  expect(agreed.code).toBe(0);
  const written = readFileSync(file, "utf8");
  for (const word of ["tuitbot", "/usr/bin/node", "/opt/tuitbot/bin/tuitbot.js", "serve"])
    expect(written).toContain(word);
  expect((await desk.run(["mcp", "setup", "--client", id])).out).toContain("Nothing to do.");
});

test("without a person nothing is written unless --yes says so", async () => {
  await using desk = newDesk();
  mkdirSync(join(desk.home, ".cursor"));
  expect((await desk.run(["mcp", "setup"])).out).toContain("Add --yes to write it.");
  const ran = await desk.run([
    "mcp",
    "setup",
    "--yes",
    "--profile",
    "readonly",
    "--sandbox",
    "--output",
    "json",
  ]);
  expect(ran.json()).toMatchObject({ written: true, clients: [{ client: "cursor", change: "create" }] });
  const { mcpServers } = JSON.parse(readFileSync(join(desk.home, ".cursor/mcp.json"), "utf8"));
  expect(mcpServers.tuitbot.args.slice(1)).toEqual(["mcp", "serve", "--profile", "readonly", "--sandbox"]);
});

test("programs hear which of several clients could be written", async () => {
  await using desk = newDesk();
  mkdirSync(join(desk.home, ".cursor"));
  // In the way of the file that is written first.
  mkdirSync(join(desk.home, ".cursor/mcp.json.new"));
  const clients = ["--client", "cursor", "--client", "codex"];
  const ran = await desk.run(["mcp", "setup", ...clients, "--yes", "--output", "json"]);
  expect(ran.code).toBe(1);
  expect(ran.json()).toMatchObject({
    written: false,
    clients: [
      { client: "cursor", written: false },
      { client: "codex", written: true },
    ],
    problems: [expect.stringContaining("mcp.json cannot be written (EISDIR)")],
  });
});

test.each([
  {
    where: "installed",
    script: "/opt/lib/node_modules/tuitbot/bin/tuitbot.js",
    command: "/opt/bin/node",
    args: ["/opt/lib/node_modules/tuitbot/bin/tuitbot.js"],
  },
  {
    where: "run by npx",
    script: "/home/.npm/_npx/5f1c/node_modules/tuitbot/bin/tuitbot.js",
    command: "npx",
    args: ["-y", "tuitbot"],
  },
])(
  "$where, the client gets what it does not see by itself: the program, the file, the shell's settings, no secrets",
  async ({ script, command, args }) => {
    await using desk = newDesk();
    const env = { TUITBOT_X_API__CLIENT_ID: "mine", TUITBOT_LLM__API_KEY: "hunter2" };
    const how = { env, machine: { runtime: "/opt/bin/node", script } };
    await desk.run(["-c", "my.toml", "mcp", "setup", "--client", "cursor", "--yes", "--name", "x"], how);
    expect(JSON.parse(readFileSync(join(desk.home, ".cursor/mcp.json"), "utf8")).mcpServers.x).toEqual({
      command,
      args: [...args, "--config", join(desk.home, "my.toml"), "mcp", "serve"],
      env: { TUITBOT_X_API__CLIENT_ID: "mine" },
    });
  },
);

test("finding no client says which there are", async () => {
  await using desk = newDesk();
  const ran = await desk.run(["mcp", "setup"]);
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.err).toContain("claude-code|claude-desktop|cursor|vscode|codex");
});

test("a file that cannot be changed is left alone, and the person is told what to add", async () => {
  await using desk = newDesk();
  const file = join(desk.home, ".config/Code/User/mcp.json");
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "{ // mine\n}");
  const ran = await desk.run(["mcp", "setup", "--client", "vscode", "--yes"]);
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.err).toContain('"type": "stdio"');
  expect(readFileSync(file, "utf8")).toBe("{ // mine\n}");
});
