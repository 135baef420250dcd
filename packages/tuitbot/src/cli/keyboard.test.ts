import { EventEmitter } from "node:events";
import type { ReadStream } from "node:tty";
import { expect, test, vi } from "vitest";
import { readKey } from "./keyboard.ts";

/** A keyboard that tells whether it is raw. */
function keyboard() {
  const keys = Object.assign(new EventEmitter(), {
    isRaw: false,
    setRawMode(isRaw: boolean) {
      keys.isRaw = isRaw;
    },
    resume: () => {},
    pause: () => {},
  });
  // The part of a terminal's input that is used.
  return { keys, stdin: keys as unknown as ReadStream };
}

const never = new AbortController().signal;

test("a key counts at once, and the terminal is as before", async () => {
  const { keys, stdin } = keyboard();
  const pressed = readKey(stdin, never);
  expect(keys.isRaw).toBe(true);
  keys.emit("data", Buffer.from("A"));
  expect(await pressed).toBe("a");
  expect(keys.isRaw).toBe(false);
  expect(keys.listenerCount("data")).toBe(0);
});

test("Ctrl-D is the end, and so is being stopped", async () => {
  const { keys, stdin } = keyboard();
  const ended = readKey(stdin, never);
  keys.emit("data", Buffer.from("\u0004"));
  expect(await ended).toBeUndefined();
  const stopping = new AbortController();
  const stopped = readKey(stdin, stopping.signal);
  stopping.abort();
  expect(await stopped).toBeUndefined();
  expect(keys.isRaw).toBe(false);
  expect(await readKey(stdin, stopping.signal)).toBeUndefined();
});

test("Ctrl-C interrupts the program", async () => {
  const { keys, stdin } = keyboard();
  const stopping = new AbortController();
  const kill = vi.spyOn(process, "kill").mockImplementation(() => {
    stopping.abort();
    return true;
  });
  const stopped = readKey(stdin, stopping.signal);
  keys.emit("data", Buffer.from("\u0003"));
  expect(await stopped).toBeUndefined();
  expect(kill).toHaveBeenCalledWith(process.pid, "SIGINT");
  kill.mockRestore();
});
