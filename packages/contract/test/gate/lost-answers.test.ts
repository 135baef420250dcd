import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { type ConnectOptions, type Leg, lab, listening, lossy, patience, published, twoLegs } from "./lab.ts";
import { lossyProxy } from "./lossy-proxy.ts";

const POLICY = `
[tools]
add_line = { rule = "allow", same_call_seconds = 600 }
edit_file = { rule = "allow", same_call_seconds = 600 }
`;

/** Each client leg, each server leg, and each pair of transports. */
const ways: readonly { readonly client: Leg; readonly server: Leg }[] = [
  { client: { transport: "stdio", era: "modern" }, server: { transport: "http", era: "legacy" } },
  { client: { transport: "stdio", era: "legacy" }, server: { transport: "stdio", era: "modern" } },
  { client: { transport: "http", era: "modern" }, server: { transport: "stdio", era: "legacy" } },
  { client: { transport: "http", era: "legacy" }, server: { transport: "http", era: "modern" } },
];

/** Writes to a file, over a connection that loses answers. */
interface Server {
  readonly options: Pick<ConnectOptions, "server" | "url">;
  readonly tool: string;
  /** Arguments that write this letter. */
  readonly writes: (letter: string) => JsonObject;
  /** Per letter, from the server's own file. */
  readonly effects: () => Readonly<Record<string, number>>;
  /** Loses the next answer; resolves once the server has given it. */
  readonly keepsAnswer: () => Promise<void>;
  /** Kills the server once it has answered. */
  readonly diesAnswering: () => Promise<void>;
}

async function startServer({ transport, era }: Leg, folder: string): Promise<Server> {
  const file = join(folder, "files", "effects.txt");
  mkdirSync(join(folder, "files"));
  writeFileSync(file, era === "legacy" ? "#" : "");
  const script = (name: string, ...args: string[]) => [
    process.execPath,
    join(import.meta.dirname, name),
    ...args,
  ];
  const onStdio =
    era === "legacy"
      ? published("server-filesystem", join(folder, "files"))
      : script("lines-server.ts", "stdio", file);
  const tool = era === "legacy" ? "edit_file" : "add_line";
  const known = {
    tool,
    writes: (letter: string) =>
      era === "legacy" ? { path: file, edits: [{ oldText: "#", newText: `#${letter}` }] } : { text: letter },
    effects() {
      const counts: Record<string, number> = {};
      for (const letter of readFileSync(file, "utf8").replaceAll(/[^a-z]/g, ""))
        counts[letter] = (counts[letter] ?? 0) + 1;
      return counts;
    },
  };
  if (transport === "stdio") {
    const marker = join(folder, "server");
    const lose = async (what: string) => {
      writeFileSync(marker, what);
      await vi.waitFor(() => expect(existsSync(marker)).toBe(false), patience);
    };
    return {
      ...known,
      options: { server: lossy(marker, onStdio) },
      keepsAnswer: () => lose(`hold ${tool}`),
      diesAnswering: () => lose(tool),
    };
  }
  const onHttp =
    era === "legacy" ? script("stdio-over-http.ts", ...onStdio) : script("lines-server.ts", "http", file);
  const proxy = await lossyProxy();
  let running = await listening(onHttp);
  proxy.port = running.port;
  return {
    ...known,
    options: { url: proxy.url },
    keepsAnswer: async () => void (await proxy.loseNext(tool)),
    async diesAnswering() {
      const cut = await proxy.loseNext(tool);
      await running.kill();
      running = await listening(onHttp);
      proxy.port = running.port;
      cut();
    },
  };
}

/** Loses answers to the client. */
async function clientWay({ transport }: Leg, tool: string, folder: string) {
  if (transport === "http") {
    const proxy = await lossyProxy();
    return {
      options: { through: proxy.through },
      loseAnswer: async () => (await proxy.loseNext(tool))(),
    };
  }
  const marker = join(folder, "client");
  return {
    options: { wrap: (gate: readonly string[]) => lossy(marker, gate) },
    async loseAnswer() {
      writeFileSync(marker, `hold ${tool}`);
      await vi.waitFor(() => expect(existsSync(marker)).toBe(false), patience);
    },
  };
}

test.each(ways)(
  "$client.era client over $client.transport, $server.era server over $server.transport: whatever is killed or lost, one effect and one record",
  async ({ client: leg, server: behind }) => {
    const { folder, connect, storage } = await lab(POLICY);
    const { tool, writes, effects, options, keepsAnswer, diesAnswering } = await startServer(behind, folder);
    const receipts = async () => new Set((await storage.records(100)).map(({ receiptId }) => receiptId));

    // Killed between sending and the answer.
    const killed = await connect(leg, options);
    const kept = keepsAnswer();
    const lost = killed.call(tool, writes("a")).catch((error: Error) => error);
    await kept;
    await killed.kill();
    await killed.client.close();
    expect(await lost).toBeInstanceOf(Error);
    expect(effects()).toEqual({ a: 1 });

    const way = await clientWay(leg, tool, folder);
    const { client, call } = await connect(leg, { ...options, ...way.options });
    // Its lease has not expired, so it counts as running.
    expect(await call(tool, writes("a"))).toMatchObject({ gate: { code: "still_running" } });
    expect(await storage.inDoubt(Date.now() + 60_000)).toHaveLength(1);
    expect(await call(tool, writes("a"))).toMatchObject({ gate: { code: "in_doubt" } });

    // Killed after the effect, and restarted.
    const dies = diesAnswering();
    expect(await call(tool, writes("b"))).toMatchObject({ gate: { code: "in_doubt" } });
    await dies;
    expect(await call(tool, writes("b"))).toMatchObject({ gate: { code: "in_doubt" } });

    // Lost between gate and client, which repeats the call with its key or without one.
    for (const [letter, key] of [
      ["c", { "io.toolpact/idempotency-key": "c" }],
      ["d", undefined],
    ] as const) {
      const ended = new AbortController();
      const unheard = client
        .callTool(
          { name: tool, arguments: writes(letter), ...(key && { _meta: key }) },
          { signal: ended.signal },
        )
        .catch((error: Error) => error);
      await way.loseAnswer();
      ended.abort();
      expect(await unheard).toBeInstanceOf(Error);
      const again = await call(tool, writes(letter), key);
      expect(again).toMatchObject({ isError: false, gate: { from_receipt: true } });
    }

    expect(effects()).toEqual({ a: 1, b: 1, c: 1, d: 1 });
    expect((await receipts()).size).toBe(4);
    expect(await storage.inDoubt(Date.now())).toHaveLength(2);
  },
);

test.each(twoLegs)(
  "over $transport, $era: a call whose client disconnects while the server works on it has an unknown outcome for the next caller",
  async (leg) => {
    const { folder, connect, storage } = await lab(POLICY);
    const behind = { transport: "stdio", era: "modern" } as const;
    const { tool, writes, effects, options, keepsAnswer } = await startServer(behind, folder);
    const gone = await connect(leg, options);
    const kept = keepsAnswer();
    const lost = gone.call(tool, writes("a")).catch((error: Error) => error);
    await kept;
    await gone.client.close();
    expect(await lost).toBeInstanceOf(Error);
    await vi.waitFor(async () => expect(await storage.inDoubt(Date.now())).toHaveLength(1), patience);
    const { call } = await connect(leg, options);
    expect(await call(tool, writes("a"))).toMatchObject({ gate: { code: "in_doubt" } });
    expect(effects()).toEqual({ a: 1 });
  },
);
