import { existsSync } from "node:fs";
import { extname, resolve } from "node:path";
import { type CommandContext, type CommandFailure, EXIT } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { InboxSource } from "../gate/inbox.ts";
import { type Policy, worksHere } from "../gate/policy.ts";
import type { UpstreamPlace } from "../gate/upstream-place.ts";
import type { GuardStorage } from "../guards/storage.ts";
import type { Machine } from "./globals.ts";

export const policyOption = {
  policy: {
    kind: "value",
    placeholder: "FILE",
    describe: "The policy, in TOML or JSON; gate.toml unless given",
  },
} as const;

export const placeOptions = {
  url: { kind: "value", placeholder: "URL", describe: "The address of a server, in place of -- COMMAND" },
  "token-env": {
    kind: "value",
    placeholder: "NAME",
    describe: "The environment variable with the token for the server at --url",
  },
} as const;

type Context = Pick<CommandContext<Machine, unknown>, "machine" | "terminal">;

export function placeOf(
  {
    url,
    "token-env": tokenEnv,
  }: { readonly url?: string | undefined; readonly "token-env"?: string | undefined },
  { machine: { server }, terminal }: Context,
): Outcome<UpstreamPlace, { message: string; fix?: string; exitCode: number }> {
  const [program, ...args] = server;
  if ((program === undefined) === (url === undefined))
    return failed({
      message: "Name one server: its command line after --, or its address with --url.",
      fix: "See toolpact gate --help.",
      exitCode: EXIT.usage,
    });
  if (program !== undefined) return ok({ command: program, args });
  if (url === undefined || !/^https?:\/\//.test(url) || !URL.canParse(url))
    return failed({
      message: `${JSON.stringify(url)} is not an HTTP address.`,
      exitCode: EXIT.usage,
    });
  const token = tokenEnv === undefined ? undefined : terminal.env[tokenEnv];
  if (tokenEnv !== undefined && !token)
    return failed({ message: `The environment variable ${tokenEnv} is not set.`, exitCode: EXIT.usage });
  return ok({ url, token });
}

/** The place of the only server; undefined if the policy has places. */
export function placeFor(
  { servers }: Policy,
  given: Parameters<typeof placeOf>[0],
  context: Context,
): Outcome<UpstreamPlace | undefined, { message: string; fix?: string; exitCode: number }> {
  if (servers.some(({ place }) => place === undefined)) return placeOf(given, context);
  if (context.machine.server.length === 0 && given.url === undefined) return ok(undefined);
  return failed({
    message: "The policy has its servers in [servers], so the command line names none.",
    fix: "Remove -- COMMAND or --url, or name another policy with --policy FILE.",
    exitCode: EXIT.usage,
  });
}

interface OpenPolicy {
  readonly policy: Policy;
  readonly storage: GuardStorage;
  readonly path: string;
}

export async function openPolicy(
  file: string | undefined,
  { terminal }: Pick<Context, "terminal">,
): Promise<Outcome<OpenPolicy, { message: string; fix?: string }>> {
  const { loadPolicy } = await import("../gate/policy.ts");
  const path = resolve(file ?? "gate.toml");
  const policy = await loadPolicy(path, terminal.env);
  if (!policy.ok)
    return failed({
      message: policy.failure,
      ...(!existsSync(path) && { fix: "Write one with: toolpact gate init -- COMMAND" }),
    });
  const { openStore } = await import("../gate/open-store.ts");
  const storage = await openStore(policy.value);
  if (!storage.ok) return failed({ message: storage.failure });
  return ok({ policy: policy.value, storage: storage.value, path });
}

export function gateSource(policy: Policy, storage: GuardStorage): InboxSource {
  const { name, path } = policy;
  return { name, storage, readsFiles: (tool) => worksHere(policy, tool), policy: path };
}

/** Sends waiting calls to the policy's approvers until the returned function is called. */
export async function notifierFor(
  policy: Policy,
  storage: GuardStorage,
  log: (message: string) => void,
): Promise<() => Promise<void>> {
  const { notify } = policy;
  if (notify === undefined) return async () => {};
  if (!notify.ok) {
    log(notify.failure);
    return async () => {};
  }
  const { keyFor, openDatabase } = await import("../gate/open-store.ts");
  const { startNotifier } = await import("../gate/gate-notifier.ts");
  return startNotifier({
    settings: notify.value,
    storage,
    database: await openDatabase(policy),
    key: await keyFor("buttons of messages", policy),
    command: "toolpact gate approve",
    readsFiles: (tool) => worksHere(policy, tool),
    policy: policy.path,
    log,
  });
}

export async function policyIn(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Outcome<Policy, CommandFailure>> {
  const { loadPolicy } = await import("../gate/policy.ts");
  const policy = await loadPolicy(file ?? "gate.toml", env);
  return policy.ok ? policy : failed({ message: policy.failure });
}

export function besidePolicy(path: string, ending: string): string {
  return path.slice(0, -extname(path).length).concat(ending);
}
