import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { planClientChange, writeClientChange } from "./client-config.ts";
import { type ClientMachine, type Launch, type McpClient, mcpClients } from "./mcp-clients.ts";

const launch: Launch = { kind: "stdio", command: "hello", args: ["mcp", "serve"] };
let machine: ClientMachine;

beforeEach(() => {
  machine = { home: mkdtempSync(join(tmpdir(), "clients-")), platform: "linux", env: {} };
});

afterEach(() => rmSync(machine.home, { recursive: true }));

function client(id: string): McpClient {
  const found = mcpClients.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`no client ${id}`);
  return found;
}

function give(id: string, content: string): string {
  const file = client(id).file(machine);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

async function plan(id: string, as: Launch = launch) {
  const planned = await planClientChange(client(id), "hello", as, machine);
  if (!planned.ok) throw new Error(planned.failure);
  return planned.value;
}

test.each(mcpClients)("$title: created, then found to be as it should", async ({ id }) => {
  const first = await plan(id);
  expect(first.change).toBe("create");
  await writeClientChange(first);
  expect(readFileSync(first.file, "utf8")).toContain('"hello"');
  expect((await plan(id)).change).toBe("none");
  const other = await plan(id, { ...launch, args: ["mcp", "serve", "--profile", "admin"] });
  expect(other.change).toBe("replace");
  await writeClientChange(other);
  const text = readFileSync(other.file, "utf8");
  expect(text.match(/admin/g)).toHaveLength(1);
  expect(readFileSync(`${other.file}.bak`, "utf8")).not.toContain("admin");
});

describe("existing content", () => {
  test("stays in JSON, with the file's indentation and mode", async () => {
    const file = give(
      "cursor",
      '{\n    "mcpServers": {\n        "other": { "command": "x" }\n    },\n    "a": 1\n}\n',
    );
    const planned = await plan("cursor");
    expect(planned.change).toBe("add");
    await writeClientChange(planned);
    expect(readFileSync(file, "utf8")).toBe(
      [
        '{\n    "mcpServers": {\n        "other": { "command": "x" },\n        "hello": {\n            "command": "hello",',
        '            "args": [\n                "mcp",\n                "serve"\n            ]\n        }\n    },\n    "a": 1\n}\n',
      ].join("\n"),
    );
  });

  test("stays in TOML, including comments", async () => {
    const file = give(
      "codex",
      '# mine\nmodel = "m"\n\n[mcp_servers.hello]\ncommand = "old"\n\n[mcp_servers.hello.env]\nA = "1"\n\n[mcp_servers.hello2]\ncommand = "x" # keep\n',
    );
    await writeClientChange(await plan("codex"));
    expect(readFileSync(file, "utf8")).toBe(
      '# mine\nmodel = "m"\n\n[mcp_servers.hello]\ncommand = "hello"\nargs = ["mcp","serve"]\n\n[mcp_servers.hello2]\ncommand = "x" # keep\n',
    );
  });

  test("stays in TOML if the next table has a comment", async () => {
    const file = give(
      "codex",
      '[mcp_servers.hello]\ncommand = "old"\n# mine\n[mcp_servers.x]\ncommand = "x"\n',
    );
    await writeClientChange(await plan("codex"));
    expect(readFileSync(file, "utf8")).toBe(
      '[mcp_servers.hello]\ncommand = "hello"\nargs = ["mcp","serve"]\n# mine\n[mcp_servers.x]\ncommand = "x"\n',
    );
  });

  test.each([
    ["vscode", '{ "servers": { "a": ', "is neither JSON nor JSON with comments"],
    ["vscode", '{ "servers": {}, "servers": {} }', "names servers or hello twice"],
    ["vscode", '{ "servers": { "hello": 1, "hello": {} } }', "names servers or hello twice"],
    ["vscode", "[]", "does not hold its servers as an object in servers"],
    ["vscode", '{ "servers": [] }', "does not hold its servers as an object in servers"],
    ["codex", 'model = "x', "is not TOML"],
    ["codex", '[mcp_servers]\nhello = { command = "old" }\n', "does not hold hello as a separate table"],
    ["codex", 'mcp_servers.hello.command = "old"\n', "does not hold hello as a separate table"],
    ["codex", '[mcp_servers."hello"]\ncommand = "old"\n', "does not hold hello as a separate table"],
    ["codex", "mcp_servers = {}\n", "does not hold hello as a separate table"],
    ["codex", 'a = """\n[mcp_servers.hello]\n"""\n', "does not hold hello as a separate table"],
  ])(
    "is unchanged if an edit would be unsafe, and the user gets the lines to add: %s %j",
    async (id, content, why) => {
      give(id, content);
      const planned = await planClientChange(client(id), "hello", launch, machine);
      expect(planned).toMatchObject({ ok: false, failure: expect.stringContaining(why) });
      expect(planned).toMatchObject({ failure: expect.stringMatching(/by hand:\n.*serve/s) });
    },
  );

  test("counts as done if it is equivalent", async () => {
    give("codex", '[mcp_servers]\nhello = { args = ["mcp", "serve"], command = "hello" }\n');
    expect((await plan("codex")).change).toBe("none");
  });

  test("stays whole if it cannot be written", async () => {
    const file = give("cursor", "{}");
    const planned = await plan("cursor");
    // A folder blocks the copy.
    mkdirSync(`${file}.bak`);
    expect(await writeClientChange(planned)).toMatchObject({
      ok: false,
      failure: expect.stringContaining(`${file} cannot be written (`),
    });
    expect(readFileSync(file, "utf8")).toBe("{}");
    expect(readdirSync(dirname(file)).toSorted()).toEqual(["mcp.json", "mcp.json.bak"]);
  });

  test.each([undefined, "{}"])(
    "stays if it was written after the plan was made, and was %s before",
    async (was) => {
      const file = was === undefined ? client("cursor").file(machine) : give("cursor", was);
      const planned = await plan("cursor");
      give("cursor", '{"theme":"dark"}');
      expect(await writeClientChange(planned)).toEqual({
        ok: false,
        failure: `${file} has changed meanwhile, so it was left alone. Run this again.`,
      });
      expect(readFileSync(file, "utf8")).toBe('{"theme":"dark"}');
    },
  );

  test("a link stays a link", async () => {
    const real = join(machine.home, "dotfiles.json");
    writeFileSync(real, "{}", { mode: 0o640 });
    symlinkSync(real, join(machine.home, ".claude.json"));
    await writeClientChange(await plan("claude-code"));
    expect(JSON.parse(readFileSync(real, "utf8")).mcpServers.hello.type).toBe("stdio");
    expect(statSync(real).mode & 0o777).toBe(0o640);
  });
});

const jsonClients = mcpClients.filter(({ format }) => format === "json");

/** `·` is the client's member. */
const JSON_TEXTS: readonly (readonly [what: string, before: string, after: string])[] = [
  ["an empty file", "", '{\n  "·": {\n    "hello": ENTRY4\n  }\n}\n'],
  [
    "comments",
    '// mine\n{\n  /* a */ "a": 1, // b\n  "·": {\n    // c\n    "x": {} // d\n  } // e\n}\n',
    '// mine\n{\n  /* a */ "a": 1, // b\n  "·": {\n    // c\n    "x": {}, // d\n    "hello": ENTRY4\n  } // e\n}\n',
  ],
  [
    "trailing commas",
    '{\n  "·": {\n    "x": {}, // d\n  },\n}\n',
    '{\n  "·": {\n    "x": {}, // d\n    "hello": ENTRY4,\n  },\n}\n',
  ],
  [
    "only a comment",
    '{\n  "·": {\n    // none yet\n  }\n}\n',
    '{\n  "·": {\n    // none yet\n    "hello": ENTRY4\n  }\n}\n',
  ],
  [
    "no servers",
    '{\n  // theme\n  "theme": "dark" // of mine\n}\n',
    '{\n  // theme\n  "theme": "dark", // of mine\n  "·": {\n    "hello": ENTRY4\n  }\n}\n',
  ],
  [
    "an old entry",
    '{\n  "·": {\n    "hello": { "command": "old" }, // h\n    "x": {}\n  }\n}',
    '{\n  "·": {\n    "hello": ENTRY4, // h\n    "x": {}\n  }\n}',
  ],
  [
    "one line",
    '{"a":[1,{"·":{}}],"·":{"x":{"y":"}, //"}}}',
    '{"a":[1,{"·":{}}],"·":{"x":{"y":"}, //"}, "hello": ENTRY}}',
  ],
  ["one line without servers", '{"·":{}}', '{"·":{"hello": ENTRY}}'],
  [
    "Windows line ends, a mark and tabs",
    '\uFEFF{\r\n\t"·": {\r\n\t\t"x": {}\r\n\t}\r\n}\r\n',
    '\uFEFF{\r\n\t"·": {\r\n\t\t"x": {},\r\n\t\t"hello": ENTRYTAB\r\n\t}\r\n}\r\n',
  ],
  [
    "strings that look like comments",
    '{\n  "u": "https://x/*", // y\n  "·": { "x": "*/ // \\" " }\n}\n',
    '{\n  "u": "https://x/*", // y\n  "·": { "x": "*/ // \\" ", "hello": ENTRY }\n}\n',
  ],
];

describe.each(jsonClients)("the file of $title", ({ id, member, entry }) => {
  test.each(JSON_TEXTS)("keeps every other byte: %s", async (_what, before, after) => {
    const added = entry(launch) ?? {};
    const indented = (unit: string, newline: string, indent: string) =>
      JSON.stringify(added, null, unit).replaceAll("\n", `${newline}${indent}`);
    const file = give(id, before.replaceAll("·", member));
    await writeClientChange(await plan(id));
    expect(readFileSync(file, "utf8")).toBe(
      after
        .replaceAll("·", member)
        .replace("ENTRYTAB", indented("\t", "\r\n", "\t\t"))
        .replace("ENTRY4", indented("  ", "\n", "    "))
        .replace("ENTRY", JSON.stringify(added)),
    );
    expect((await plan(id)).change).toBe("none");
  });
});

const TABLE = '[mcp_servers.hello]\ncommand = "hello"\nargs = ["mcp","serve"]\n';

test.each([
  ["an empty file", "", TABLE],
  ["comments", '# mine\nmodel = "m" # m\n', `# mine\nmodel = "m" # m\n\n${TABLE}`],
  ["no line end", 'model = "m"', `model = "m"\n\n${TABLE}`],
  ["empty lines at the end", 'model = "m"\n\n\n', `model = "m"\n\n\n\n${TABLE}`],
  ["Windows line ends", 'model = "m"\r\n', `model = "m"\r\n\r\n${TABLE.replaceAll("\n", "\r\n")}`],
  [
    "an old table at the end",
    'a = 1\n\n[mcp_servers.hello]\ncommand = "old"\n\n# the end\n',
    `a = 1\n\n${TABLE}\n# the end\n`,
  ],
  [
    "an old table with parts",
    '[mcp_servers.hello]\ncommand = "old"\n\n# its own\n[mcp_servers.hello.env]\nA = "1"\n\n# x\n[x]\nb = 0x10 # hex\n',
    `${TABLE}\n# x\n[x]\nb = 0x10 # hex\n`,
  ],
])("the file of Codex keeps every other byte: %s", async (_what, before, after) => {
  const file = give("codex", before);
  await writeClientChange(await plan("codex"));
  expect(readFileSync(file, "utf8")).toBe(after);
  expect((await plan("codex")).change).toBe("none");
});

test.runIf(existsSync("/proc"))("a folder in which none can be made is said to be one", async () => {
  const nowhere = { ...machine, home: "/proc/nobody" };
  const planned = await planClientChange(client("cursor"), "hello", launch, nowhere);
  expect(planned.ok && (await writeClientChange(planned.value))).toMatchObject({
    failure: expect.stringContaining("/proc/nobody/.cursor/mcp.json cannot be written (ENOENT)"),
  });
});

test("each client gets an HTTP server in its own format, or reports that it supports none", async () => {
  const http: Launch = {
    kind: "http",
    url: "http://127.0.0.1:1/mcp",
    headers: { Authorization: "Bearer t" },
  };
  expect((await plan("claude-code", http)).snippet).toContain('"type": "http"');
  expect((await plan("codex", http)).snippet).toBe(
    '[mcp_servers.hello]\nurl = "http://127.0.0.1:1/mcp"\n\n[mcp_servers.hello.http_headers]\nAuthorization = "Bearer t"\n',
  );
  expect(JSON.parse((await plan("opencode", http)).content).mcp.hello).toEqual({
    type: "remote",
    url: "http://127.0.0.1:1/mcp",
    headers: { Authorization: "Bearer t" },
    oauth: false,
    enabled: true,
  });
  expect(JSON.parse((await plan("qwen-code", http)).content).mcpServers.hello).toEqual({
    httpUrl: "http://127.0.0.1:1/mcp",
    headers: { Authorization: "Bearer t" },
  });
  const refused = await planClientChange(client("claude-desktop"), "hello", http, machine);
  expect(refused).toEqual({ ok: false, failure: "Claude Desktop takes only servers that it starts itself." });
});

test("files are in each system's usual folder", () => {
  const at = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}) =>
    client("claude-desktop").file({ home: "/h", platform, env });
  expect(at("darwin")).toBe("/h/Library/Application Support/Claude/claude_desktop_config.json");
  expect(at("linux")).toBe("/h/.config/Claude/claude_desktop_config.json");
  expect(at("win32", { APPDATA: "/h/Roaming" })).toBe("/h/Roaming/Claude/claude_desktop_config.json");
  const moved = {
    home: "/h",
    platform: "linux" as const,
    env: { CLAUDE_CONFIG_DIR: "/c", CODEX_HOME: "/x" },
  };
  expect(client("claude-code").file(moved)).toBe("/c/.claude.json");
  expect(client("codex").file(moved)).toBe("/x/config.toml");
});
