import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { lab, patience, published, twoLegs } from "./lab.ts";

test.each(twoLegs)(
  'over $transport, $era: with list = "search", a client sees find_tools alone, and every tool that it has found',
  async (leg) => {
    const { connect, folder, storage } = await lab((at) => {
      const [command, ...args] = published("server-filesystem", join(at, "files"));
      return [
        'list = "search"\nwait_seconds = 0',
        `[servers.files]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
        '[servers.files.tools]\n"read_*" = "read_only"\nmove_file = "deny"',
        `[servers.all]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(published("server-everything").slice(1))}`,
      ].join("\n");
    });
    mkdirSync(join(folder, "files"));
    writeFileSync(join(folder, "files", "a.txt"), "hello");
    const { client, call } = await connect(leg);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toEqual(["find_tools"]);
    expect(client.getInstructions()).toContain("find_tools");

    const changes: string[] = [];
    client.setNotificationHandler("notifications/tools/list_changed", () => void changes.push("changed"));
    const task = await call("find_tools", { query: "read a text file" });
    const found = JSON.parse(task.text).tools.map(({ name }: { readonly name: string }) => name);
    expect(found).toContain("files__read_text_file");
    expect(found.length).toBeLessThanOrEqual(5);
    if (leg.transport === "stdio") await vi.waitFor(() => expect(changes).toEqual(["changed"]), patience);
    expect(new Set(await names())).toEqual(new Set(["find_tools", ...found]));
    const path = join(folder, "files", "a.txt");
    expect(await call("files__read_text_file", { path })).toMatchObject({ text: "hello" });

    // A name gives the whole schema. The policy applies to unlisted tools too.
    const named = JSON.parse((await call("find_tools", { query: "all__echo" })).text);
    expect(named.tools).toMatchObject([{ name: "all__echo", input_schema: { required: ["message"] } }]);
    expect(await call("files__write_file", { path, content: "x" })).toMatchObject({
      gate: { code: "waiting_for_person" },
    });
    expect(await storage.items("waiting", Date.now())).toHaveLength(1);
    expect((await call("find_tools", { query: "move_file" })).text).not.toContain("files__move_file");
    expect(await call("find_tools", {})).toMatchObject({ isError: true });
    expect(JSON.parse((await call("find_tools", { query: "qqqq" })).text)).toEqual({
      tools: [],
      servers: { files: 13, all: expect.any(Number) },
    });
  },
);
