import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Failed, Failure } from "@toolpact/contract";
import { makeFolderSync } from "@toolpact/file-lock";
import { errors } from "../errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Refusal = Failed<Failure<"E_PERMISSION_DENIED">>;

/** The folder of the server's state for this user, outside every project. Undefined if there is no home folder. */
export function userStateFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  const home = env.HOME ?? env.USERPROFILE;
  const base =
    platform === "win32"
      ? (env.LOCALAPPDATA ?? (home && path.join(home, "AppData/Local")))
      : platform === "darwin"
        ? home && path.join(home, "Library/Application Support")
        : env.XDG_STATE_HOME || (home && path.join(home, ".local/state"));
  return base ? path.join(base, "godot-mcp-omni") : undefined;
}

/**
 * The projects that the user trusts, by the real path of their folder: a moved or copied project needs trust
 * again. One file each, because two concurrent commands must not overwrite each other.
 */
export class TrustedProjects {
  private readonly folder: string | undefined;

  constructor(env: Environment, platform: NodeJS.Platform = process.platform) {
    const state = userStateFolder(env, platform);
    this.folder = state && path.join(state, "trusted");
  }

  has(root: string): boolean {
    return this.folder !== undefined && readText(this.fileOf(root, this.folder)) === root;
  }

  /** False if there is no home folder to store it in. */
  add(root: string): boolean {
    if (this.folder === undefined) return false;
    makeFolderSync(this.folder);
    const file = this.fileOf(root, this.folder);
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, root, { mode: 0o600 });
    renameSync(draft, file);
    return true;
  }

  /** False if it was not trusted. */
  remove(root: string): boolean {
    const had = this.has(root);
    if (had && this.folder !== undefined) rmSync(this.fileOf(root, this.folder), { force: true });
    return had;
  }

  list(): readonly string[] {
    const { folder } = this;
    if (folder === undefined) return [];
    return namesIn(folder)
      .flatMap((name) => readText(path.join(folder, name)) ?? [])
      .filter((root) => this.has(root))
      .sort();
  }

  private fileOf(root: string, folder: string): string {
    return path.join(folder, createHash("sha256").update(root).digest("hex"));
  }
}

export interface TrustOptions {
  readonly root: string;
  readonly projects: TrustedProjects;
  /** The operator trusts the project of this server, whichever it is. */
  readonly always: boolean;
  readonly readOnly: boolean;
  /** The shell command that starts this program. */
  readonly program?: readonly string[] | undefined;
}

/**
 * Whether Godot may open the project. Opening one runs its autoloads, editor plugins, extensions and `@tool` scripts,
 * and even loading a scene runs static initializers, so only the files are used until the user trusts it.
 */
export class Trust {
  private readonly options: TrustOptions;
  private isOwn = false;

  constructor(options: TrustOptions) {
    this.options = options;
  }

  /** Read each time, so `trust` in a terminal needs no restart of the server. */
  get isTrusted(): boolean {
    const { root, projects, always } = this.options;
    return always || this.isOwn || projects.has(root);
  }

  /** The command that trusts the project. */
  get command(): string {
    return trustCommand(this.options.root, this.options.program);
  }

  /** The refusal to ask a Godot process that has this project open; undefined if it may be asked. */
  refuseProjectCode(): Refusal | undefined {
    if (this.isTrusted) return undefined;
    const { command } = this;
    return errors.fail(
      "E_PERMISSION_DENIED",
      "This project is not trusted yet, and opening it in Godot runs its plugins, extensions and scripts.",
      {
        details: { gate: "TRUST", command },
        suggestedFix: `Work on its files without mode. If the person knows the project, they run: ${command}`,
        fixBy: "operator",
      },
    );
  }

  /** The refusal to start Godot on this project. It writes `.godot` and `.uid` files, so read-only is enough. */
  refuseStart(): Refusal | undefined {
    if (!this.options.readOnly) return this.refuseProjectCode();
    return errors.fail(
      "E_PERMISSION_DENIED",
      "This server is read-only, and Godot writes into a project that it opens and runs its code.",
      {
        details: { gate: "READ_ONLY_ENGINE" },
        suggestedFix: "The operator can start the server without --read-only.",
        fixBy: "operator",
      },
    );
  }

  /** Trusts a project that this server has just created in a folder without code for Godot to run. */
  trustOwn(): void {
    this.isOwn = true;
    this.options.projects.add(this.options.root);
  }
}

/** The command that trusts a project, for a shell. */
export function trustCommand(
  root: string,
  program: readonly string[] = ["godot-mcp-omni"],
  platform: NodeJS.Platform = process.platform,
): string {
  return [...program, "trust", root].map((word) => shellWord(word, platform)).join(" ");
}

function shellWord(word: string, platform: NodeJS.Platform): string {
  if (/^[\w@%+=:,./\\-]+$/.test(word)) return word;
  return platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Whether a folder contains nothing that Godot would run if it became a project. */
export function holdsNoCode(root: string): boolean {
  return namesIn(root).every((name) => name !== ".godot" && (name.startsWith(".") || name.endsWith(".md")));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It does not exist yet.
    return [];
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It does not exist, so the project is not trusted.
    return undefined;
  }
}
