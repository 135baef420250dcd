import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { type OptionValues, readArguments } from "@toolpact/cli";
import {
  type Handshake,
  handshakeOf,
  type PreloadedStdio,
  preloadStdio,
} from "@toolpact/contract/internal/preload";
import { atHome, configPath } from "../../config/paths.ts";
import { defaultProfile, isWorkflowProfile } from "../../profiles.ts";
import { loadSurface, shortSurface } from "../../server/load-surface.ts";
import { globalOptions } from "../machine.ts";
import { listOption, outputSchemasOption, servingOptions } from "../serving-options.ts";
import { listedTools, selectedTools, withShortList } from "../tool-selection.ts";

/**
 * Answers the handshake of `tuitbot mcp serve` before the command is loaded. Undefined if the answer depends on more than
 * the options, or nobody may be signed in. The command then loads, reads the configuration and takes over, or ends the process with its message.
 */
export async function preloadServe(
  words: readonly string[],
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<PreloadedStdio | undefined> {
  const handshake = await handshakeFor(words, { env, home: homedir(), cwd: process.cwd() });
  return handshake && preloadStdio(() => handshake);
}

interface Location {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
  readonly cwd: string;
}

const options = {
  ...globalOptions,
  ...servingOptions,
  list: listOption(""),
  "output-schemas": outputSchemasOption,
};

/** Returns the handshake of the server that the command line selects. */
export async function handshakeFor(
  words: readonly string[],
  location: Location,
): Promise<Handshake | undefined> {
  const read = readArguments(words, {}, options);
  if (!read.ok || !hasDefaultEnvironment(location.env)) return undefined;
  // The values of exactly these options.
  const given = withShortList(read.value as Partial<OptionValues<typeof options>>);
  if (given.help || given.version || given.output !== undefined) return undefined;
  const { path, text } = configText({ argument: given.config, ...location });
  // Several accounts change the tools.
  if (text.includes("accounts")) return undefined;
  const isSandbox = given.sandbox || given["sandbox-plan"] !== undefined || given.speed !== undefined;
  // A server that nobody is signed in to has to fail before anything is answered.
  if (!isSandbox && !hasTokens(text, dirname(path), location)) return undefined;
  const { profile = defaultProfile } = given;
  const selected = await selectedTools(given, profile);
  const listed = await listedTools(given, profile);
  if (!selected.ok || !listed.ok) return undefined;
  const surface = await loadSurface(profile, selected.value);
  const { value: shown } = listed;
  return handshakeOf(shown === undefined ? surface : shortSurface(surface, shown), {
    outputSchemas: !given["no-output-schemas"],
    toolsChange: shown !== undefined,
    hasTasks: isWorkflowProfile(profile),
  });
}

/** True if no agent's token narrows the list, and no telemetry has to see the handshake. */
export function hasDefaultEnvironment(env: Readonly<NodeJS.ProcessEnv>): boolean {
  return !env.TUITBOT_AGENT_TOKEN && !Object.keys(env).some((name) => name.startsWith("OTEL_"));
}

/** The configuration file, not parsed: reading it as TOML and checking it takes longer than the whole handshake. */
function configText(location: Location & { readonly argument: string | undefined }) {
  const { path } = configPath(location);
  // Without a file the defaults apply; the command reports a file that cannot be read.
  return { path, text: contentOf(path) };
}

/** Empty if the file cannot be read. */
function contentOf(path: string): string {
  try {
    // Reading a pipe or a device could block forever.
    return statSync(path).isFile() ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}

/** True if the file of the sign-in holds a token, as far as the text shows where it is. If it does not, the command decides. */
function hasTokens(text: string, folder: string, { env, home }: Location): boolean {
  const [, ofAuth = ""] = /^\s*\[auth\]([^[]*)/m.exec(text) ?? [];
  const [, configured] = /^\s*token_file\s*=\s*["']([^"'\\]+)["']/m.exec(ofAuth) ?? [];
  const file = env.TUITBOT_AUTH__TOKEN_FILE || configured || "~/.tuitbot/tokens.json";
  return contentOf(resolve(folder, atHome(file, home))).includes('"access_token"');
}
