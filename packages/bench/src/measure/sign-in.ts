import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { atMost, type Figure, figure } from "../figure.ts";
import { REVISION } from "../wire/era.ts";
import { HttpSocket } from "../wire/http-socket.ts";
import { median } from "./statistics.ts";

interface SignInBenchOptions {
  readonly calls?: number;
  readonly warmUp?: number;
}

/** Alternates with a static token. */
export async function benchSignIn({
  calls = 2_000,
  warmUp = 500,
}: SignInBenchOptions = {}): Promise<readonly Figure[]> {
  const script = join(import.meta.dirname, "../servers/two-tokens.ts");
  const server = spawn(process.execPath, ["--conditions=toolpact-source", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    const [line] = await once(server.stdout, "data");
    const { token, ...urls } = JSON.parse(String(line)) as Record<Kind | "token", string>;
    const open = (url: string) => HttpSocket.open(Number(new URL(url).port));
    const sockets = { static: await open(urls.static), signIn: await open(urls.signIn) };
    const took: Record<Kind, number[]> = { static: [], signIn: [] };
    for (let round = 0; round < warmUp + calls; round++)
      for (const kind of round % 2 === 0 ? KINDS : KINDS.toReversed()) {
        const began = performance.now();
        const { status } = await sockets[kind].post("/mcp", headers(token), body(round));
        if (status !== 200) throw new Error(`A call with the ${kind} token was answered with ${status}.`);
        if (round >= warmUp) took[kind].push(performance.now() - began);
      }
    for (const socket of Object.values(sockets)) socket.close();
    const [withStatic, withSignIn] = [median(took.static), median(took.signIn)];
    return [
      figure("a call with a static token, p50", withStatic, "ms"),
      figure("a call with a token of a sign-in, p50", withSignIn, "ms"),
      atMost("a call with a token of a sign-in against a static token", withSignIn / withStatic, "×", 1.1),
    ];
  } finally {
    server.stdin.end();
    await once(server, "exit");
  }
}

type Kind = "static" | "signIn";
const KINDS = ["static", "signIn"] as const satisfies readonly Kind[];

function headers(token: string): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${token}`,
    "mcp-protocol-version": REVISION.modern,
    "mcp-method": "tools/call",
    "mcp-name": "echo",
  };
}

function body(round: number): string {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": REVISION.modern,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "echo", arguments: { text: `${round}` }, _meta };
  return JSON.stringify({ jsonrpc: "2.0", id: round + 1, method: "tools/call", params });
}

if (import.meta.main) console.table(await benchSignIn());
