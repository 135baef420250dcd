import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtPackage } from "../../../scripts/build.ts";
import type { Profile } from "../src/profiles.ts";
import { type MadeUpX, openMadeUpX } from "./made-up-x.ts";

/** tuitbot as people have it: built, with a configuration, and signed in; to a made-up X on this machine. */
export interface SignedInTuitbot extends AsyncDisposable {
  readonly x: MadeUpX;
  /** Node's arguments that serve a profile over stdio. */
  readonly serve: (profile: Profile) => readonly string[];
  /** A home in which nothing else is configured. */
  readonly env: NodeJS.ProcessEnv;
}

export async function signedInTuitbot(): Promise<SignedInTuitbot> {
  building ??= build();
  const bin = await building;
  const x = await openMadeUpX(bin);
  const home = mkdtempSync(join(tmpdir(), "tuitbot-bench-"));
  mkdirSync(join(home, ".tuitbot"));
  writeFileSync(join(home, ".tuitbot/tokens.json"), JSON.stringify(x.signIn), { mode: 0o600 });
  writeFileSync(join(home, ".tuitbot/config.toml"), configFor(x));
  const env = { PATH: process.env.PATH, HOME: home };
  return {
    x,
    env,
    serve: (profile) => [bin, "mcp", "serve", "--profile", profile],
    async [Symbol.asyncDispose]() {
      await x.close();
      rmSync(home, { recursive: true });
    },
  };
}

let building: Promise<string> | undefined;

async function build(): Promise<string> {
  const { folder } = await builtPackage("tuitbot");
  return join(folder, "bin/tuitbot.js");
}

function configFor({ url, clientId }: MadeUpX): string {
  return `mode = "autopilot"
approval_mode = true

[x_api]
client_id = ${JSON.stringify(clientId)}
plan = "enterprise"
base_url = ${JSON.stringify(url)}

[business]
product_name = "Bread club"
product_keywords = ["sourdough", "rye", "starter"]
`;
}
