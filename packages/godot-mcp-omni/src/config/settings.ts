import path from "node:path";
import { nearest, type SchemaStyle } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import type { NamedProject } from "./find-project.ts";
import type { Gates } from "./gates.ts";

/** The server's configuration. Flags override the environment, which overrides the file. */
export interface Settings extends Gates {
  /** As given; by default the nearest `project.godot` at or above the working folder. */
  readonly project: string | undefined;
  /** Several projects by name, from the command line only; empty for one. */
  readonly projects: readonly NamedProject[];
  /** The Godot binary. An empty text means none: only files and editors are used. */
  readonly godotPath: string | undefined;
  readonly readOnly: boolean;
  /** Trusts this server's project, whichever it is: Godot may open it and run its code. */
  readonly trust: boolean;
  /** Games run without network; they can write only to the project and their own folders. */
  readonly sandboxGames: boolean;
  /** Empty for the default toolsets. */
  readonly toolsets: readonly string[];
  readonly schemaStyle: SchemaStyle;
  readonly noOutputSchemas: boolean;
  /** Answers repeat their result as `details`, for clients of older servers. */
  readonly legacyFields: boolean;
  /** The token of HTTP callers; required beyond loopback, generated on loopback if there is none. */
  readonly token: string | undefined;
  /** Origins of web pages that may call over HTTP. */
  readonly allowedOrigins: readonly string[];
  /** Folders outside the project that assets may be copied from. */
  readonly assetFolders: readonly string[];
  readonly auditMaxBytes: number;
  readonly auditBackups: number;
}

interface SettingRow {
  readonly key: keyof Settings;
  readonly flag: string;
  readonly env: string;
  readonly kind: "text" | "switch" | "list" | "number" | SchemaStyle[];
  /** The placeholder of the value in the help; absent for a switch. */
  readonly placeholder?: string;
  readonly describe: string;
  /** The reason the settings file must not contain it; flag and environment apply to one server. */
  readonly notInFile?: string;
}

/** Every setting with its three names; source of the help and the documentation. */
export const SETTINGS: readonly SettingRow[] = [
  {
    key: "project",
    flag: "project",
    env: "GODOT_MCP_PROJECT",
    kind: "text",
    placeholder: "FOLDER",
    describe: "Folder of the project; for several, NAME=FOLDER each",
  },
  {
    key: "godotPath",
    flag: "godot",
    env: "GODOT_PATH",
    kind: "text",
    placeholder: "FILE",
    describe: "Godot 4 to start; empty for none",
  },
  {
    key: "toolsets",
    flag: "toolsets",
    env: "GODOT_MCP_TOOLSETS",
    kind: "list",
    placeholder: "NAMES",
    describe: "Tools to offer: default, all, or names such as scene,docs",
  },
  {
    key: "readOnly",
    flag: "read-only",
    env: "GODOT_MCP_READ_ONLY",
    kind: "switch",
    describe: "Refuse whatever changes something",
  },
  {
    key: "trust",
    flag: "trust",
    env: "GODOT_MCP_TRUST",
    kind: "switch",
    describe: "Trust the project: Godot may open it and run its plugins, extensions and scripts",
    notInFile: "it would trust every project of every server",
  },
  {
    key: "sandboxGames",
    flag: "sandbox-games",
    env: "GODOT_MCP_SANDBOX_GAMES",
    kind: "switch",
    describe: "Run games under bubblewrap: no network, and nothing writable but the project (Linux)",
  },
  {
    key: "allowDangerousOps",
    flag: "allow-dangerous-ops",
    env: "ALLOW_DANGEROUS_OPS",
    kind: "switch",
    describe: "Let tools delete files and change settings of the editor",
  },
  {
    key: "allowExternalTools",
    flag: "allow-external-tools",
    env: "ALLOW_EXTERNAL_TOOLS",
    kind: "switch",
    describe: "Let tools start programs other than Godot",
  },
  {
    key: "allowGameCode",
    flag: "allow-game-code",
    env: "ALLOW_GAME_CODE",
    kind: "switch",
    describe: "Let tools evaluate any GDScript in running games, which is as much as a shell",
  },
  {
    key: "assetFolders",
    flag: "asset-folders",
    env: "GODOT_MCP_ASSET_FOLDERS",
    kind: "list",
    placeholder: "FOLDERS",
    describe: "Folders that tools may copy assets from into the project",
  },
  {
    key: "schemaStyle",
    flag: "schema-style",
    env: "GODOT_MCP_SCHEMA_STYLE",
    kind: ["flat", "oneOf"],
    placeholder: "STYLE",
    describe:
      "How input schemas are written: flat (all clients) or oneOf (exact; Claude Code drops such tools, and Codex their arguments)",
  },
  {
    key: "noOutputSchemas",
    flag: "no-output-schemas",
    env: "GODOT_MCP_NO_OUTPUT_SCHEMAS",
    kind: "switch",
    describe: "Leave output schemas out of the list of tools, which makes it shorter",
  },
  {
    key: "legacyFields",
    flag: "legacy-fields",
    env: "GODOT_MCP_LEGACY_FIELDS",
    kind: "switch",
    describe: "Repeat each result as details, for clients that read only the older fields",
  },
  {
    key: "token",
    flag: "token",
    env: "GODOT_MCP_TOKEN",
    kind: "text",
    placeholder: "SECRET",
    describe: "Secret that HTTP callers show; needed beyond loopback, made on loopback if not set",
  },
  {
    key: "allowedOrigins",
    flag: "allowed-origins",
    env: "GODOT_MCP_ALLOWED_ORIGINS",
    kind: "list",
    placeholder: "ORIGINS",
    describe: "Web pages that may call over HTTP, such as http://localhost:3000",
  },
  {
    key: "auditMaxBytes",
    flag: "audit-max-bytes",
    env: "GODOT_MCP_AUDIT_MAX_BYTES",
    kind: "number",
    placeholder: "BYTES",
    describe: "Size at which the audit log is rotated",
  },
  {
    key: "auditBackups",
    flag: "audit-backups",
    env: "GODOT_MCP_AUDIT_BACKUPS",
    kind: "number",
    placeholder: "NUMBER",
    describe: "How many rotated audit logs are kept",
  },
];

const DEFAULTS: Settings = {
  project: undefined,
  projects: [],
  godotPath: undefined,
  allowDangerousOps: false,
  allowExternalTools: false,
  allowGameCode: false,
  readOnly: false,
  trust: false,
  sandboxGames: false,
  toolsets: [],
  schemaStyle: "flat",
  noOutputSchemas: false,
  legacyFields: false,
  token: undefined,
  allowedOrigins: [],
  assetFolders: [],
  auditMaxBytes: 5 * 1024 * 1024,
  auditBackups: 3,
};

export interface SettingSources {
  /** Flags by name, from the command line; `true` for one without a value. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file?: Readonly<Record<string, unknown>>;
}

export function readSettings({
  flags,
  env,
  file = {},
}: SettingSources): Result<Settings, "E_SCHEMA_VALIDATION"> {
  const barred = SETTINGS.find(({ key, notInFile }) => notInFile !== undefined && key in file);
  if (barred !== undefined)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `The settings file must not have ${barred.key}: ${barred.notInFile}.`,
      {
        suggestedFix: `Take it out, and give --${barred.flag} or ${barred.env} to the one server that it is for.`,
        fixBy: "operator",
      },
    );
  const known = SETTINGS.filter(({ notInFile }) => notInFile === undefined).map(({ key }) => key);
  const stray = Object.keys(file).find((key) => !known.some((name) => name === key));
  if (stray !== undefined) {
    const guess = nearest(stray, known);
    return errors.fail("E_SCHEMA_VALIDATION", `The settings file has an unknown setting: ${stray}.`, {
      suggestedFix: guess === undefined ? `It may have ${known.join(", ")}.` : `Did you mean ${guess}?`,
      details: { known },
    });
  }
  const read: Partial<Record<keyof Settings, unknown>> = {};
  for (const row of SETTINGS) {
    const [name, given] =
      flags[row.flag] !== undefined
        ? [`--${row.flag}`, flags[row.flag]]
        : env[row.env] !== undefined
          ? [row.env, env[row.env]]
          : [row.key, file[row.key]];
    if (given === undefined) continue;
    const value = typed(row, given);
    if (value === undefined) {
      return errors.fail("E_SCHEMA_VALIDATION", `${name} must be ${expected(row)}.`, {
        suggestedFix: row.describe,
        fixBy: "operator",
      });
    }
    read[row.key] = value;
  }
  // `typed` converts each key to its row's kind, which is the kind the interface declares.
  return ok({ ...DEFAULTS, ...(read as Partial<Settings>) });
}

/**
 * The user's own settings file. One inside a project is not read: a cloned project must not open gates or
 * name programs to start.
 */
export function settingsFile(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const base = env.XDG_CONFIG_HOME ?? env.APPDATA ?? (env.HOME && path.join(env.HOME, ".config"));
  return base === undefined || base === "" ? undefined : path.join(base, "godot-mcp-omni", "config.json");
}

/** The file of the token for HTTP callers that `serve` makes, next to the settings. */
export function tokenFile(env: Readonly<Record<string, string | undefined>>, home: string): string {
  return path.join(path.dirname(settingsFile({ HOME: home, ...env }) ?? home), "http.token");
}

function typed({ kind }: SettingRow, given: unknown): unknown {
  if (kind === "switch") return switchOf(given);
  if (kind === "number") {
    const number = typeof given === "string" && given.trim() !== "" ? Number(given) : given;
    return typeof number === "number" && Number.isInteger(number) && number >= 0 ? number : undefined;
  }
  if (kind === "list") {
    const items = typeof given === "string" ? given.split(",") : given;
    if (!Array.isArray(items) || !items.every((item) => typeof item === "string")) return undefined;
    return items.map((item) => item.trim()).filter((item) => item !== "");
  }
  if (typeof given !== "string") return undefined;
  if (kind === "text") return given;
  return kind.find((choice) => choice.toLowerCase() === given.toLowerCase());
}

function switchOf(given: unknown): boolean | undefined {
  if (typeof given === "boolean") return given;
  if (given === "true" || given === "1") return true;
  if (given === "false" || given === "0" || given === "") return false;
  return undefined;
}

function expected({ kind }: SettingRow): string {
  if (kind === "switch") return "true or false";
  if (kind === "number") return "a whole number of at least 0";
  if (kind === "list") return "a list of names separated by commas";
  if (kind === "text") return "a text";
  return kind.join(" or ");
}
