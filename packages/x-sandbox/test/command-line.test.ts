import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { runInMemory } from "@toolpact/cli/testing";
import { describe, expect, test } from "vitest";
import { program } from "../src/cli/program.ts";
import { startProgram } from "./program.ts";

/** In this process, stopped once it has started. */
function run(words: readonly string[], hasColor = false) {
  const stop = new AbortController();
  const now = () => Date.UTC(2026, 8, 1);
  return runInMemory(program, words, { now }, { hasColor, signal: stop.signal, onOut: () => stop.abort() });
}

const anyStart = "an ISO time such as 2026-09-01T12:00:00Z, from 2019-01-01 to 2080-01-01";

describe("x-sandbox", () => {
  test("explains itself", async () => {
    const { code, out } = await run(["--help"]);
    expect(code).toBe(0);
    expect(out).toContain("x-sandbox --port 0 --seed 7 --plan self_serve");
    expect((await run(["--version"])).out).toMatch(/^x-sandbox \d+\.\d+\.\d+\n$/);
  });

  test("is started by its command, built or not", () => {
    const command = fileURLToPath(new URL("../bin/x-sandbox.js", import.meta.url));
    const { stdout } = spawnSync(process.execPath, [command, "--version"], { encoding: "utf8" });
    expect(stdout).toMatch(/^x-sandbox \d+\.\d+\.\d+\n$/);
  });

  test.each([
    [["--prot", "1"], "There is no option --prot here. Did you mean --port?"],
    [["--port"], "--port needs a value: --port PORT."],
    [["--port", "--frozen"], "--port needs a value: --port PORT."],
    [["--port", "70000"], '--port cannot be "70000". Give a whole number from 0 to 65535.'],
    [["--seed", "x"], '--seed cannot be "x". Give a whole number from 0 to 9999999999.'],
    [["--plan", "free"], '--plan cannot be "free". It is one of self_serve, enterprise.'],
    [["--credits", "many"], '--credits cannot be "many". Give a number from -1000000000 to 1000000000.'],
    [["--credits", ""], '--credits cannot be "". Give a number from -1000000000 to 1000000000.'],
    [["--start", "soon"], `--start takes ${anyStart}.`],
    [["--start", "1999-01-01"], `--start takes ${anyStart}.`],
    [["--redirect-uri", "here"], "--redirect-uri takes an absolute URL."],
    [["--output", "xml"], '--output cannot be "xml". It is one of text, json.'],
  ])("refuses %o in one line that says what it takes", async (args, words) => {
    expect(await run(args)).toMatchObject({
      code: 2,
      out: "",
      err: `x-sandbox: ${words} See x-sandbox --help.\n`,
    });
  });

  test("reports a port that is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, err } = await run(["--port", String(port)]);
    taken.close();
    expect(code).toBe(1);
    expect(err).toBe(`x-sandbox: Port ${port} is taken. Name another, or take any free one: --port 0.\n`);
  });

  test("prints an address and a token to paste, in color only if requested", async () => {
    const plain = (await run(["--port", "0"])).out;
    expect(plain).toMatch(/^ {2}URL=http:\/\/127\.0\.0\.1:\d+\n {2}TOKEN=\w{90}$/m);
    expect(plain).toMatch(/curl -H "Authorization: Bearer \$TOKEN" http:\/\/127\.0\.0\.1:\d+\/2\/users\/me/);
    expect(plain).not.toContain("\u001b");
    expect((await run(["--port", "0"], true)).out).toContain("\u001b[1mhttp://127.0.0.1:");
  });

  test("serves until Ctrl-C, the same world for the same seed and start, and then ends cleanly", async () => {
    const options = ["--seed", "7", "--start", "2026-09-01T12:00:00Z", "--plan", "enterprise"];
    const [first, second] = await Promise.all([startProgram(...options), startProgram(...options)]);
    expect(first.greeting.digest).toBe(second.greeting.digest);
    const me = await fetch(`${first.greeting.url}/2/users/me`, {
      headers: { authorization: `Bearer ${first.greeting.access_token}` },
    });
    expect(await me.json()).toMatchObject({ data: first.greeting.user });
    expect(await Promise.all([first.stop(), second.stop()])).toEqual([0, 0]);
    await expect(fetch(`${first.greeting.url}/2/users/me`)).rejects.toThrow("fetch failed");
  });
});
