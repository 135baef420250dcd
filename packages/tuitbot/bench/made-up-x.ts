import { spawn } from "node:child_process";
import { once } from "node:events";

/** The sandbox as a separate process, which keeps its cost out of the servers' cost. */
export interface MadeUpX {
  readonly url: string;
  readonly clientId: string;
  /** The record that `tuitbot auth login` would have stored. */
  readonly signIn: object;
  readonly accessToken: string;
  /** Opens the next window of every rate limit. */
  readonly nextWindow: () => Promise<void>;
  /** Path and query of the latest request for an operation. */
  readonly latestTarget: (operation: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

const WINDOW_MS = 900_000;

export async function openMadeUpX(bin: string): Promise<MadeUpX> {
  const child = spawn(process.execPath, [bin, "sandbox", "--output", "json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const { url } = JSON.parse(String(line));
  // The sandbox's own answers to its controls; `T` is what they are known to hold.
  const control = async <T>(path: string, change?: object): Promise<T> => {
    const sent = change && { method: "POST", body: JSON.stringify(change), headers: JSON_HEADERS };
    const response = await fetch(`${url}/_sandbox/${path}`, sent);
    if (!response.ok) throw new Error(`The sandbox refused ${path}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  await control("credits", { balance_usd: 1e6, monthly_post_cap: 1e9 });
  const { apps } = await control<{ apps: { clientId: string }[] }>("credentials");
  const { access_token, refresh_token, expires_in, scope } = await control<{
    access_token: string;
    refresh_token: string;
    expires_in: number;
    scope: string;
  }>("tokens", {});
  return {
    url,
    clientId: apps[0]?.clientId ?? "",
    accessToken: access_token,
    signIn: {
      version: 1,
      access_token,
      refresh_token,
      expires_at: Date.now() + expires_in * 1000,
      scopes: scope.split(" "),
    },
    async nextWindow() {
      await control("clock", { advance_ms: WINDOW_MS });
    },
    async latestTarget(operation) {
      const journal = await control<{ requests: { path: string; query: string }[] }>(
        `journal?operation=${operation}&last=1`,
      );
      const [latest] = journal.requests;
      if (latest === undefined) throw new Error(`Nobody has asked for ${operation}.`);
      return `${latest.path}?${latest.query}`;
    },
    async close() {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

const JSON_HEADERS = { "content-type": "application/json" };
