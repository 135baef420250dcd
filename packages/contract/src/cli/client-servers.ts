import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { ServerSection } from "../gate/server-place.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { jsonIn } from "./edit-json.ts";
import { tomlIn } from "./edit-toml.ts";
import type { McpClient } from "./mcp-clients.ts";

export interface ClientServer {
  readonly name: string;
  readonly entry: JsonObject;
  /** How to start or reach it, or the reason a gate cannot. */
  readonly section: Outcome<ServerSection, string>;
}

/** Lists the servers in a client's file. Fails with the end of a sentence about the file. */
export async function clientServers(
  { format, member }: McpClient,
  text: string,
): Promise<Outcome<readonly ClientServer[], string>> {
  const root = format === "json" ? jsonIn(text) : await tomlIn(text);
  if (!isJsonObject(root))
    return failed(format === "json" ? "is neither JSON nor JSON with comments." : "is not TOML.");
  const servers = root[member] ?? {};
  if (!isJsonObject(servers)) return failed(`does not hold its servers as an object in ${member}.`);
  return ok(
    Object.entries(servers).flatMap(([name, entry]) =>
      isJsonObject(entry) ? [{ name, entry, section: sectionOf(entry) }] : [],
    ),
  );
}

/** Client settings that a gate does not need. */
const OWN = new Set([
  "type",
  "transport",
  "disabled",
  "enabled",
  "trust",
  "timeout",
  "tools",
  "autoApprove",
  "alwaysAllow",
  "description",
  "oauth",
  "source",
  "startup_timeout_sec",
  "startup_timeout_ms",
  "tool_timeout_sec",
]);

function sectionOf(entry: JsonObject): Outcome<ServerSection, string> {
  if (entry.disabled === true || entry.enabled === false) return failed("is switched off");
  const given: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entry)) {
    const name = NAMES[key];
    if (name !== undefined) given[name] = value;
    else if (!OWN.has(key))
      return failed(`has the setting ${JSON.stringify(key)}, which a gate does not have`);
  }
  if (Array.isArray(given.command)) {
    const [program, ...others]: unknown[] = given.command;
    given.command = program;
    given.args = others;
  }
  const { command, args = [], env = {}, cwd, url, headers = {}, token_env } = given;
  if (placeholder(JSON.stringify(given))) return failed("has a variable that only its client can fill in");
  if (typeof command === "string" && isTexts(args) && isTextTable(env))
    return ok({
      command,
      ...(args.length > 0 && { args }),
      ...(Object.keys(env).length > 0 && { env }),
      ...(typeof cwd === "string" && { cwd }),
    });
  if (typeof url === "string" && /^https?:\/\//.test(url) && isTextTable(headers))
    return ok({
      url,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(typeof token_env === "string" && { token_env }),
    });
  return failed("names neither a program nor an address");
}

const NAMES: Readonly<Record<string, keyof ServerSection>> = {
  command: "command",
  args: "args",
  env: "env",
  environment: "env",
  cwd: "cwd",
  url: "url",
  httpUrl: "url",
  serverUrl: "url",
  headers: "headers",
  http_headers: "headers",
  bearer_token_env_var: "token_env",
};

/** `${input:key}` and `${workspaceFolder}` of editors; `${NAME}` is an environment variable. */
function placeholder(text: string): boolean {
  return /\$\{(?:[^}]*:|workspaceFolder|userHome)[^}]*\}/.test(text);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isTextTable(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((one) => typeof one === "string");
}
