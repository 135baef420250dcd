import { spawn } from "node:child_process";
import { once } from "node:events";
import { cast } from "@toolpact/x-sandbox";
import pg from "pg";
import { scheduleDraft } from "../../src/drafts/edit-draft.ts";
import { createDraft } from "../../src/drafts/store-draft.ts";
import { openStore } from "../../src/storage/open-store.ts";
import { tuitbotCommand } from "../live-server.ts";
import type { Fleet } from "./fleet.ts";

/** `tuitbot run` as a process of a fleet. */
export interface Runner {
  readonly kill: () => Promise<void>;
  /** Its output to stderr. */
  readonly said: () => string;
  /** How often it has looked what is due. */
  readonly passes: () => number;
}

export function startRunner(fleet: Fleet): Runner {
  const child = spawn(tuitbotCommand.command, [...tuitbotCommand.args, "run", "--output", "json"], {
    env: fleet.env(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let printed = "";
  child.stdout.on("data", (part: Buffer) => (printed += String(part)));
  child.stderr.on("data", (part: Buffer) => (said += String(part)));
  return {
    said: () => said,
    passes: () => printed.split("\n").length - 1,
    async kill() {
      const ended = once(child, "exit");
      if (child.kill("SIGKILL")) await ended;
    },
  };
}

/** Who holds the lease of the runner. */
export async function runnerHolder(fleet: Fleet): Promise<string | undefined> {
  const [row] = await query(fleet, "select holder from leases where name = 'runner'");
  return row?.holder as string | undefined;
}

export async function query(
  { databaseUrl }: Fleet,
  text: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

/** Schedules a post that is due now. */
export async function schedule({ databaseUrl, sandbox }: Fleet, text: string): Promise<void> {
  const opened = await openStore({ url: databaseUrl, path: "" }, { now: Date.now });
  if (!opened.ok) throw opened.failure;
  const book = { store: opened.value, account: sandbox.person(cast.owner).id, now: Date.now };
  const { id } = await createDraft(book, { texts: [text], topic: "bread", framework: "tip", writer: "test" });
  await scheduleDraft(book, id, { dueAt: Date.now(), by: "test" });
  await opened.value.close();
}
