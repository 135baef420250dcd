import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { JsonSchema } from "@toolpact/contract/internal";
import { sampleArguments } from "@toolpact/contract/testing";
import { expect, test } from "vitest";
import { profiles } from "../src/profiles.ts";
import { cleanEnv, tuitbotCommand } from "./live-server.ts";

/**
 * Names that every object inherits: as keys and as values of arguments they find what no table holds. The MCP SDK drops
 * a key `__proto__` before a tool could see it.
 */
const HOSTILE = ["__proto__", "constructor"] as const;

/** A table or an object that is asked for one of them fails as one of these, or not at all. */
const OWN_DEFECTS = /^(rpc .*|db_error|serialization_error|policy_error|x_api_error)$/;

test.each(profiles)(
  "every tool of %s refuses arguments that are named after what objects inherit, and finds nothing by such names",
  { timeout: 240_000 },
  async (profile) => {
    await using server = rawServer(profile);
    await server.ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "hostile", version: "1" },
    });
    const { tools } = (await server.ask("tools/list", {})).result as { tools: readonly ListedTool[] };
    const wrong: string[] = [];
    let calls = 0;
    for (const { name, inputSchema } of tools)
      for (const args of sampleArguments(inputSchema))
        for (const { what, json } of hostileForms(args, "arguments")) {
          calls += 1;
          const code = await server.call(name, json);
          if (OWN_DEFECTS.test(code) || (what === "key constructor" && code !== "invalid_input"))
            wrong.push(`${name}: ${what} ${json} → ${code}`);
        }
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(tools.length);
  },
);

test.each(["constructor:bread", "is:constructor", "has:__proto__", "__proto__:1"])(
  "a search for %s is refused by X, not failed",
  async (query) => {
    await using server = rawServer("readonly");
    expect(await server.call("x_search_tweets", JSON.stringify({ query }))).toBe("invalid_input");
  },
);

interface ListedTool {
  readonly name: string;
  readonly inputSchema: JsonSchema;
}

interface HostileForm {
  readonly what: string;
  /** As text: an object of JavaScript would take `__proto__` for something else. */
  readonly json: string;
}

/** The value with a hostile key added to one of its objects, or a hostile text in place of one of its texts. */
function* hostileForms(value: unknown, path: string): Generator<HostileForm> {
  if (typeof value === "string") {
    for (const name of HOSTILE) yield { what: `value of ${path}`, json: JSON.stringify(name) };
  } else if (Array.isArray(value)) {
    for (const item of value)
      for (const { what, json } of hostileForms(item, `${path}[]`)) yield { what, json: `[${json}]` };
  } else if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => [JSON.stringify(name), JSON.stringify(member)] as const,
    );
    const text = (all: readonly (readonly [string, string])[]) =>
      `{${all.map(([name, member]) => `${name}:${member}`).join(",")}}`;
    for (const name of HOSTILE)
      yield { what: `key ${name}`, json: text([...members, [JSON.stringify(name), '{"x":1}']]) };
    for (const [name, member] of Object.entries(value))
      for (const { what, json } of hostileForms(member, `${path}.${name}`))
        yield {
          what,
          json: text(members.map((one) => (one[0] === JSON.stringify(name) ? [one[0], json] : one))),
        };
  }
}

interface RpcAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** A server on the sandbox, and a client that sends exactly the text that it is given. */
function rawServer(profile: string) {
  const home = mkdtempSync(join(tmpdir(), "tuitbot-hostile-"));
  const { command, args } = tuitbotCommand;
  const child = spawn(command, [...args, "mcp", "serve", "--sandbox", "--profile", profile], {
    env: cleanEnv(home),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map<number, (answer: RpcAnswer) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as RpcAnswer;
    waiting.get(answer.id)?.(answer);
  });
  let id = 0;
  const send = (method: string, params: string) =>
    new Promise<RpcAnswer>((resolve) => {
      waiting.set(++id, resolve);
      child.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`);
    });
  return {
    ask: (method: string, params: object) => send(method, JSON.stringify(params)),
    /** How a call ended: `ok`, the code of its failure, or `rpc` and the code of the protocol. */
    async call(tool: string, json: string): Promise<string> {
      const { result, error } = await send("tools/call", `{"name":"${tool}","arguments":${json}}`);
      if (error !== undefined) return `rpc ${error.code}`;
      const { structuredContent } = result as {
        structuredContent: { success: boolean; error?: { code: string } };
      };
      return structuredContent.success ? "ok" : (structuredContent.error?.code ?? "no code");
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await new Promise((resolve) => child.once("close", resolve));
      rmSync(home, { recursive: true, force: true });
    },
  };
}
