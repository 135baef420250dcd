import { existsSync } from "node:fs";
import { type CommandFailure, EXIT } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { LoadedConfig } from "../config/load.ts";
import { defaultProfile, type Profile } from "../profiles.ts";
import type { TuitbotServer } from "../server/server.ts";
import type { XAccount } from "../x/connect-x.ts";
import { type Context, configPlace, loadedConfig } from "./context.ts";
import type { ServingOptions } from "./serving-options.ts";

/** Builds the server that the options ask for. Nothing is sent to X yet. */
export async function openServer(
  options: ServingOptions,
  context: Context,
): Promise<Outcome<TuitbotServer, CommandFailure>> {
  const profile = options.profile ?? defaultProfile;
  const selected = await selectedTools(options, profile);
  if (!selected.ok) return selected;
  const place = configPlace(context, isSandbox(options) ? sandboxDefaults : undefined);
  const config = await loadedConfig(context, place);
  if (!config.ok) return config;
  const account = await openAccount(options, config.value, context);
  if (!account.ok) return account;
  const { createServer } = await import("../server/server.ts");
  return ok(
    await createServer({
      profile,
      selected: selected.value,
      outputSchemas: options["no-output-schemas"] !== true,
      config: config.value,
      place,
      account: account.value,
      isStored: !isSandbox(options),
    }),
  );
}

async function selectedTools(options: ServingOptions, profile: Profile) {
  const narrowing = {
    toolsets: options.toolsets,
    tools: options.tools,
    excludeTools: options["exclude-tools"],
  };
  if (Object.values(narrowing).every((names) => names === undefined)) return ok(undefined);
  const { selectTools } = await import("../server/selection.ts");
  const selected = selectTools(profile, narrowing);
  return selected.ok ? selected : failed({ message: selected.failure, exitCode: EXIT.usage });
}

function isSandbox(options: ServingOptions): boolean {
  return options.sandbox === true || options["sandbox-plan"] !== undefined;
}

/** The account to act for. Fails at once if nobody is signed in; everything else waits for the first call. */
async function openAccount(
  options: ServingOptions,
  { values }: LoadedConfig,
  { machine }: Context,
): Promise<Outcome<() => Promise<XAccount>, CommandFailure>> {
  if (isSandbox(options)) {
    return ok(async () => {
      const { sandboxWorld } = await import("../x/sandbox-account.ts");
      return sandboxWorld(options["sandbox-plan"] ?? "enterprise").account;
    });
  }
  const file = values.auth.token_file;
  if (!existsSync(file))
    return failed({
      message: "Nobody is signed in to X.",
      fix: "Run `tuitbot auth login`, or try it without: tuitbot mcp serve --sandbox.",
    });
  return ok(async () => {
    const { signedInAccount } = await import("../x/signed-in-account.ts");
    return signedInAccount(values, machine.fetch);
  });
}

/** In the sandbox nothing real is sent, so nobody has to approve unless the configuration says so. */
export const sandboxDefaults = {
  approval_mode: false,
  approvals: { allow_agent: true },
  mcp_policy: { require_approval_for: [] as string[] },
} as const;
