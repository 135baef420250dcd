import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@toolpact/contract";
import { expect, onTestFinished, test } from "vitest";
import { type FakeEditor, fakeEditor, tokenIn } from "../../../test/fake-editor.ts";
import type { RawGodotDriver } from "../../operations/driver.ts";
import { openBridge } from "./bridge.ts";

test("an editor with the right token is accepted, and each answer reaches its request", async () => {
  const { bridge, folder } = await open();
  const editor = await fakeEditor(folder);
  const driver = await found(bridge);
  const first = driver.request("uid", { path: "res://a" });
  const second = driver.request("uid", { path: "res://b" });
  const [a, b] = [await editor.next(), await editor.next()];
  editor.send({ id: b.id, ok: true, result: { path: "res://b", uid: null } });
  editor.send({ id: a.id, ok: false, error: { code: "E_NOT_FOUND", message: "No.", suggestedFix: "Look." } });
  expect(await first).toEqual({
    ok: false,
    failure: { code: "E_NOT_FOUND", message: "No.", suggestedFix: "Look." },
  });
  expect(await second).toEqual({ ok: true, value: { path: "res://b", uid: null } });
});

test("a wrong token ends the connection, and the server proves itself first without telling the token", async () => {
  const { bridge, folder } = await open();
  const editor = await fakeEditor(folder, "wrong");
  await editor.closed;
  expect(bridge.editors()).toEqual([]);
  expect(JSON.stringify(editor.heard)).not.toContain(tokenIn(folder));
});

test.each([
  ["another protocol", { protocol: 2 }],
  ["another role", { role: "thief" }],
  ["no nonce", { nonce: undefined }],
])("%s in the greeting ends the connection", async (_, change) => {
  const { bridge, folder } = await open();
  const editor = await fakeEditor(folder, undefined, change);
  await editor.closed;
  expect(bridge.editors()).toEqual([]);
});

test("a long greeting is not read", async () => {
  const { folder } = await open();
  const editor = await fakeEditor(folder, undefined, { project: "x".repeat(9000) });
  await editor.closed;
});

test("a connection that sends nothing is closed", async () => {
  const clock = handClock();
  const { bridge } = await open(clock);
  const silent = connect(bridge.port, "127.0.0.1");
  const closed = new Promise((resolve) => silent.on("close", resolve));
  await expect.poll(() => clock.waiting()).toBeGreaterThan(0);
  clock.forward(10_000);
  await closed;
});

test("an editor that stops answering pings is disconnected", async () => {
  const clock = handClock();
  const { bridge, folder } = await open(clock);
  const dead = await fakeEditor(folder);
  const alive = await fakeEditor(folder);
  await expect.poll(() => bridge.editors()).toHaveLength(2);
  for (let beat = 0; beat < 5; beat++) {
    clock.forward(5_000);
    const { ping } = await alive.next();
    alive.send({ pong: ping });
    // When a later question is answered, this answer has arrived.
    await roundTrip(bridge.editors().at(-1), alive);
  }
  await dead.closed;
  expect(bridge.editors()).toHaveLength(1);
});

test("a request times out, and its late answer is ignored", async () => {
  const clock = handClock();
  const { bridge, folder } = await open(clock);
  const editor = await fakeEditor(folder);
  const driver = await found(bridge);
  const asked = driver.request("uid", { path: "res://a" }, { timeoutMs: 700 });
  const { id } = await editor.next();
  clock.forward(700);
  expect(await asked).toMatchObject({ failure: { code: "E_TIMEOUT", details: { timeoutMs: 700 } } });
  editor.send({ id, ok: true, result: {} });
  await roundTrip(driver, editor);
});

test("pending requests fail when the connection ends", async () => {
  const { bridge, folder } = await open();
  const editor = await fakeEditor(folder);
  const driver = await found(bridge);
  const asked = driver.request("uid", { path: "res://a" });
  await editor.next();
  editor.socket.destroy();
  expect(await asked).toMatchObject({ failure: { code: "E_NOT_CONNECTED" } });
  expect(await driver.request("uid", { path: "res://a" })).toMatchObject({
    failure: { code: "E_NOT_CONNECTED" },
  });
  expect(bridge.editorOf("/project")).toBeUndefined();
});

test("waiting for an editor ends at the timeout or when the caller cancels", async () => {
  const clock = handClock();
  const { bridge } = await open(clock);
  const waiting = bridge.waitForEditor("/project", { timeoutMs: 100 });
  clock.forward(100);
  expect(await waiting).toMatchObject({ failure: { code: "E_NOT_CONNECTED" } });
  expect(
    await bridge.waitForEditor("/project", { timeoutMs: 100, signal: AbortSignal.abort() }),
  ).toMatchObject({ ok: false });
});

test("a server announces itself to its own user only, and removes notes of dead servers", async () => {
  const folder = temporary();
  writeFileSync(join(folder, "1-1.json"), JSON.stringify({ port: 1, token: "t", pid: 2 ** 30 }));
  const bridge = await openBridge({ folder });
  const [file, ...rest] = readdirSync(folder);
  expect(rest).toEqual([]);
  expect(file).toBe(`${process.pid}-${bridge.port}.json`);
  if (process.platform !== "win32") expect(statSync(join(folder, file ?? "")).mode & 0o777).toBe(0o600);
  await bridge.close();
  expect(readdirSync(folder)).toEqual([]);
});

async function open(clock?: Clock) {
  const folder = temporary();
  const bridge = await openBridge({ folder, ...(clock && { clock }) });
  onTestFinished(() => bridge.close());
  return { bridge, folder };
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function found(bridge: Awaited<ReturnType<typeof openBridge>>) {
  const editor = await bridge.waitForEditor("/project", { timeoutMs: 10_000 });
  if (!editor.ok) throw new Error("no editor");
  return editor.value;
}

async function roundTrip(driver: RawGodotDriver | undefined, editor: FakeEditor): Promise<void> {
  const asked = driver?.request("uid", { path: "res://probe" });
  for (;;) {
    const message = await editor.next();
    if (message.id === undefined) continue;
    editor.send({ id: message.id, ok: true, result: { path: "res://probe", uid: null } });
    break;
  }
  expect(await asked).toMatchObject({ ok: true, value: { path: "res://probe" } });
}

/** A clock that tests move by hand. */
function handClock(): Clock & { forward(ms: number): void; waiting(): number } {
  let now = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    waiting: () => timers.size,
    forward(ms) {
      now += ms;
      for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.callback();
    },
  };
}
