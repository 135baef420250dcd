import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanEnv, tuitbotCommand } from "../live-server.ts";
import { Browser, newHome, type Served, serve } from "./served.ts";

const { home, remove } = newHome();
let served: Served;

beforeAll(async () => {
  served = await serve(home);
}, 60_000);

afterAll(async () => {
  await served?.stop();
  remove();
});

/** The output of a server that fails to start at this address. */
function failedStart(address: string, settings: Record<string, string> = {}): Promise<string> {
  const { command, args } = tuitbotCommand;
  const words = ["mcp", "serve", "--sandbox", "--http", address];
  return new Promise((resolve, reject) =>
    execFile(command, [...args, ...words], { env: cleanEnv(home, settings), cwd: home }, (error, out, err) =>
      error === null ? reject(new Error("It has started.")) : resolve(out + err),
    ),
  );
}

test("a second start says where the first server is, and how to sign in there", async () => {
  const { port } = new URL(served.url);
  const printed = await failedStart(port);
  expect(printed).toContain(`tuitbot is already running at http://127.0.0.1:${port}/`);
  expect(printed).toContain("npx tuitbot web");
});

test("a wrong address is reported as wrong while a server runs at the configured port", async () => {
  const printed = await failedStart("not a port", { TUITBOT_SERVER__PORT: new URL(served.url).port });
  expect(printed).toContain('"not a port" is not an address');
});

test("a start at the port of another program says that the port is taken", async () => {
  const other = createServer((_, response) => response.end("something else")).listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as AddressInfo;
  expect(await failedStart(String(port))).toContain(`Port ${port} is taken.`);
  other.close();
});

test("a sandbox that is started again knows its browsers, after Ctrl-C and after a crash", async () => {
  const place = newHome();
  let again = await serve(place.home);
  const owner = new Browser(again.url);
  await owner.signIn(again.link);
  const { port } = new URL(again.url);
  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    await again.stop(signal);
    again = await serve(place.home, { words: ["mcp", "serve", "--sandbox", "--http", port] });
    const session = await (await owner.request("/api/session")).json();
    expect(session, signal).toMatchObject({ signed_in: true, role: "owner" });
    expect((await owner.command("pending")).status).toBe(200);
  }
  await again.stop();
  place.remove();
}, 60_000);
