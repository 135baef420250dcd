import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { commandLine } from "../src/command-line.ts";
import { source, startProgram } from "./program.ts";

function run(...args: readonly string[]) {
  return spawnSync(process.execPath, [...source, ...args], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
}

describe("x-sandbox", () => {
  test("explains itself", () => {
    const { stdout, status } = run("--help");
    expect(status).toBe(0);
    expect(stdout).toContain("x-sandbox --port 0 --seed 7 --plan self_serve");
  });

  test("is started by its command, built or not", () => {
    const command = fileURLToPath(new URL("../bin/x-sandbox.js", import.meta.url));
    const { stdout } = spawnSync(process.execPath, [command, "--version"], { encoding: "utf8" });
    expect(stdout).toMatch(/^x-sandbox \d+\.\d+\.\d+\n$/);
  });

  test.each([
    [["--prot", "1"], "Unknown option '--prot'"],
    [["--port", "70000"], "--port takes a number from 0 to 65535"],
    [["--seed", "x"], "--seed takes a whole number"],
    [["--plan", "free"], "--plan is self_serve or enterprise"],
    [["--credits", "many"], "--credits takes an amount in US dollars"],
    [["--start", "soon"], "--start takes an ISO time such as 2026-09-01T12:00:00Z"],
    [["--redirect-uri", "here"], "--redirect-uri takes a whole URL"],
    [["--output", "xml"], "--output is text or json"],
  ])("refuses %o", (args, words) => {
    const { stderr, status } = run(...args);
    expect(status).toBe(2);
    expect(stderr).toBe(`x-sandbox: ${words}\nTry x-sandbox --help.\n`);
  });

  test("serves until Ctrl-C, the same world for the same seed and start, and then ends cleanly", async () => {
    const options = ["--seed", "7", "--start", "2026-09-01T12:00:00Z", "--plan", "enterprise"];
    const [first, second] = [await startProgram(...options), await startProgram(...options)];
    expect(first.greeting.digest).toBe(second.greeting.digest);
    const me = await fetch(`${first.greeting.url}/2/users/me`, {
      headers: { authorization: `Bearer ${first.greeting.access_token}` },
    });
    expect(await me.json()).toMatchObject({ data: first.greeting.user });
    expect(await first.stop()).toBe(0);
    expect(await second.stop()).toBe(0);
    await expect(fetch(`${first.greeting.url}/2/users/me`)).rejects.toThrow("fetch failed");
  });

  test("says when the port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const { stderr, status } = run("--port", String(port));
    taken.close();
    expect(status).toBe(1);
    expect(stderr).toBe(`x-sandbox: port ${port} cannot be used (EADDRINUSE). Try --port 0.\n`);
  });

  test("greets in colour only where that is wanted", async () => {
    const greet = async (isColored: boolean): Promise<string> => {
      let said = "";
      const code = await commandLine(["--port", "0"], {
        out: (text) => {
          said += text;
        },
        error: () => {},
        now: () => Date.UTC(2026, 8, 1),
        isColored,
        version: async () => "0",
        untilAsked: async () => {},
      });
      expect(code).toBe(0);
      return said;
    };
    expect(await greet(false)).not.toContain("\u001b");
    expect(await greet(true)).toContain("\u001b[1mhttp://127.0.0.1:");
    expect(await greet(false)).toMatch(
      /curl -H "Authorization: Bearer \$TOKEN" http:\/\/127\.0\.0\.1:\d+\/2\/users\/me/,
    );
  });
});
