import { parseArgs, styleText } from "node:util";
import { type Channel, channels } from "./distribution/channels.ts";
import { type ShippedServer, shippedServers } from "./distribution/servers.ts";
import { newStranger, type Stranger } from "./distribution/stranger.ts";

const HELP = `Does what a stranger would with each way to install this, in empty folders with an empty home and npm cache,
and prints a table of what worked. Every server is asked by a real MCP client: a handshake, its tools, a call.

  npm run try-release -- [options]

  --short       start a line that several files share only once
  --only ID     try only this (may be given several times): ${channels.map(({ id }) => id).join(", ")}
  --help        show this

Nothing is published and no network but loopback is used. It ends with 1 where something does not work.`;

export interface Row {
  readonly channel: Channel;
  readonly server: string;
  readonly state: "ok" | "partly" | "failed";
  readonly text: string;
}

/** A channel without servers is tested once. */
export function serversOf({ servers }: Channel): readonly ShippedServer[] {
  return servers.length === 0
    ? shippedServers.slice(0, 1)
    : shippedServers.filter(({ name }) => servers.includes(name));
}

async function tried(channel: Channel, server: ShippedServer, stranger: Stranger): Promise<Row> {
  const about = { channel, server: channel.servers.length === 0 ? "" : server.name };
  try {
    const { seen, missing } = await channel.attempt(stranger, server);
    return missing === undefined
      ? { ...about, state: "ok", text: seen }
      : { ...about, state: "partly", text: `${seen}. NOT TRIED: ${missing}` };
  } catch (error) {
    return { ...about, state: "failed", text: (error as Error).message };
  }
}

const COLORS = { ok: "green", partly: "yellow", failed: "red" } as const;

function line({ channel, server, state, text }: Row): string {
  return [channel.id.padEnd(20), server.padEnd(16), styleText(COLORS[state], state.padEnd(8)), text].join("");
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      short: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const unknown = values.only.find((id) => !channels.some((channel) => channel.id === id));
  if (unknown !== undefined) {
    console.error(`There is no way to install that is called ${unknown}. See --help.`);
    return 2;
  }
  const stranger = await newStranger({ isShort: values.short });
  const rows: Row[] = [];
  try {
    for (const channel of channels.filter(({ id }) => values.only.length === 0 || values.only.includes(id)))
      for (const server of serversOf(channel)) {
        const row = await tried(channel, server, stranger);
        rows.push(row);
        console.log(line(row));
      }
  } finally {
    await stranger.close();
  }
  const count = (state: Row["state"]) => rows.filter((row) => row.state === state).length;
  console.log(`${count("ok")} ok, ${count("partly")} partly, ${count("failed")} failed`);
  return count("failed") === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
