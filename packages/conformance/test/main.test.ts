import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";

function start(...args: string[]) {
  const main = new URL("../src/main.ts", import.meta.url).pathname;
  const server = spawn(process.execPath, ["--conditions=toolpact-source", main, ...args]);
  onTestFinished(() => void server.kill());
  return server;
}

test("the conformance server prints its address, serves there, and exits cleanly on Ctrl-C", async () => {
  const server = start();
  const [printed] = await once(server.stdout.setEncoding("utf8"), "data");
  const url = /http:\S+\/mcp/.exec(printed)?.[0] ?? "";
  expect(printed.replaceAll(url, "URL")).toMatchInlineSnapshot(`
    "Toolpact's conformance server is running: the tools, resources and prompts that the official MCP
    conformance suite calls, over HTTP, for clients of both eras of the protocol.

      URL          URL
      Claude Code  claude mcp add --transport http toolpact-conformance URL

    Ctrl-C ends it.
    "
  `);
  expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(415);
  server.kill("SIGINT");
  expect(await once(server, "exit")).toEqual([0, null]);
});

test.each([[["--port", "many"]], [["--port", "70000"]], [["--prot", "1"]]])(
  "the conformance server rejects %s with one line about its options",
  async (args) => {
    const server = start(...args);
    const [[said], [code]] = await Promise.all([
      once(server.stderr.setEncoding("utf8"), "data"),
      once(server, "exit"),
    ]);
    expect(said).toBe("Give at most --port with a number from 0 to 65535; 0 takes any free one.\n");
    expect(code).toBe(1);
  },
);
