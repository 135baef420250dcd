import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { expect, onTestFinished } from "vitest";
import { FrameReader, frame } from "../src/godot/link.ts";
import { proof } from "../src/godot/listener.ts";

function announced(folder: string): { port: number; token: string } {
  const file = readdirSync(folder).find((name) => name.endsWith(".json")) ?? "";
  return JSON.parse(readFileSync(join(folder, file), "utf8"));
}

export function tokenIn(folder: string): string {
  return announced(folder).token;
}

export interface FakeEditor {
  readonly socket: Socket;
  readonly heard: JsonObject[];
  readonly closed: Promise<unknown>;
  next(): Promise<JsonObject>;
  send(message: JsonObject): void;
}

/** An editor that connects to the server of a meeting place, in the few words of the protocol. */
export async function fakeEditor(folder: string, token?: string, change: object = {}): Promise<FakeEditor> {
  const server = announced(folder);
  const socket = connect(server.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const reader = new FrameReader(1 << 20);
  const heard: JsonObject[] = [];
  const inbox: JsonObject[] = [];
  const waiting: ((message: JsonObject) => void)[] = [];
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    for (const message of reader.push(chunk) ?? []) {
      heard.push(message);
      const taker = waiting.shift();
      if (taker) taker(message);
      else inbox.push(message);
    }
  });
  const closed = new Promise((resolve) => socket.on("close", resolve));
  const next = () => {
    const message = inbox.shift();
    return message ? Promise.resolve(message) : new Promise<JsonObject>((resolve) => waiting.push(resolve));
  };
  const send = (message: JsonObject) => void socket.write(frame(message));
  const nonce = "aa";
  send({
    hello: { protocol: 1, role: "editor", project: "/project", version: "4.6", pid: 1, nonce, ...change },
  });
  const greeting = await Promise.race([next(), closed.then(() => undefined)]);
  if (greeting !== undefined) {
    const theirs = String(greeting.nonce);
    expect(greeting.proof).toBe(proof(server.token, "server", nonce, theirs));
    send({ proof: proof(token ?? server.token, "client", nonce, theirs) });
    if (token === undefined) expect(await next()).toEqual({ ready: true });
  }
  return { socket, heard, closed, next, send };
}
