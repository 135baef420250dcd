import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Clock, type Failure, type Outcome, systemClock } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import type { GodotDriver } from "../drivers/driver.ts";
import { meetingPlace } from "../drivers/editor/announcement.ts";
import { type Bridge, noEditor, openBridge } from "../drivers/editor/bridge.ts";
import { launchEditor } from "../drivers/editor/launch-editor.ts";
import { createEngine } from "../drivers/engine/engine.ts";
import { errors, type GodotCode } from "../errors.ts";
import { Games } from "../game/games.ts";
import { findGodot, type GodotBinary } from "../godot/binary.ts";
import { type Docs, openDocs } from "../godot/docs.ts";
import { cacheFolder, type Environment } from "../godot/environment.ts";
import type { GodotProcess } from "../godot/process.ts";

/** The three ways to do something to a project. */
export type Mode = "files" | "engine" | "editor";

/** The best way there is, and why a better one is not. */
export interface Way {
  readonly mode: Mode;
  /** Absent for `files`. */
  readonly driver?: GodotDriver;
  readonly warnings: readonly string[];
}

export interface GodotsOptions {
  readonly project: string;
  /** From the settings; empty for none. */
  readonly godotPath: string | undefined;
  readonly env: Environment;
  readonly clock?: Clock;
}

type Found<T> = Outcome<T, Failure<GodotCode>>;

/** How long a forced `editor` waits for one that is just about to connect. */
const EDITOR_GRACE_MS = 6_000;

/** Every Godot this server can reach for its project, found and started when it is first needed. */
export class Godots {
  readonly project: string;
  readonly env: Environment;
  /** The games this server runs. */
  readonly games: Games;
  private readonly options: GodotsOptions;
  private readonly clock: Clock;
  private searching: Promise<Found<GodotBinary>> | undefined;
  private opening: Promise<Bridge> | undefined;
  private opened: Bridge | undefined;
  private running: GodotDriver | undefined;
  /** An editor without a window that this server started, and ends. */
  private ownEditor: GodotProcess | undefined;
  private reference: Docs | undefined;

  constructor(options: GodotsOptions) {
    this.project = options.project;
    this.env = options.env;
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.games = new Games({
      project: options.project,
      env: options.env,
      clock: this.clock,
      binary: () => this.binary(),
    });
  }

  /** Lets editors dial in. Called at start, so that one that is open already is there for the first call. */
  bridge(): Promise<Bridge> {
    this.opening ??= openBridge({
      folder: meetingPlace(this.env, process.platform),
      clock: this.clock,
    }).then((bridge) => {
      this.opened = bridge;
      return bridge;
    });
    return this.opening;
  }

  /** The connected editor of this project. */
  editor(): GodotDriver | undefined {
    return this.opened?.editorOf(this.project);
  }

  /** Looked for once; a machine without Godot is asked again on the next call. */
  binary(): Promise<Found<GodotBinary>> {
    this.searching ??= this.search().then((found) => {
      if (!found.ok) this.searching = undefined;
      return found;
    });
    return this.searching;
  }

  async engine(): Promise<Found<GodotDriver>> {
    if (this.running !== undefined) return ok(this.running);
    const binary = await this.binary();
    if (!binary.ok) return binary;
    this.running ??= createEngine({
      binary: binary.value,
      project: this.project,
      env: this.env,
      clock: this.clock,
    });
    return ok(this.running);
  }

  /** An engine that knows nothing of before: what a warm one holds in memory may be why something went wrong. */
  async freshEngine(): Promise<Found<GodotDriver>> {
    const old = this.running;
    this.running = undefined;
    await old?.close();
    return this.engine();
  }

  async docs(signal: AbortSignal): Promise<Found<Docs>> {
    if (this.reference !== undefined) return ok(this.reference);
    const binary = await this.binary();
    if (!binary.ok) return binary;
    const opened = await openDocs({ binary: binary.value, env: this.env, clock: this.clock, signal });
    if (opened.ok) this.reference = opened.value;
    return opened;
  }

  /** The way that was asked for, or the best there is: the editor, else the engine, else the files alone. */
  async way(mode: Mode | undefined, signal: AbortSignal): Promise<Found<Way>> {
    if (mode === "files") return ok({ mode, warnings: [] });
    if (mode === "editor") {
      const editor = await this.waitForEditor(EDITOR_GRACE_MS, signal);
      return editor.ok ? ok({ mode, driver: editor.value, warnings: [] }) : editor;
    }
    const editor = mode === undefined ? this.editor() : undefined;
    if (editor !== undefined) return ok({ mode: "editor", driver: editor, warnings: [] });
    const engine = await this.engine();
    if (engine.ok) return ok({ mode: "engine", driver: engine.value, warnings: [] });
    return mode === "engine" ? engine : ok({ mode: "files", warnings: [] });
  }

  async waitForEditor(timeoutMs: number, signal: AbortSignal): Promise<Found<GodotDriver>> {
    const connected = this.editor();
    if (connected !== undefined) return ok(connected);
    const bridge = await this.bridge();
    return bridge.waitForEditor(this.project, { timeoutMs, signal });
  }

  /** An editor of this project, or the failure that says how to get one. */
  connectedEditor(): Found<GodotDriver> {
    const editor = this.editor();
    return editor === undefined ? noEditor(this.project) : ok(editor);
  }

  async launch(headless: boolean): Promise<Found<GodotProcess>> {
    const binary = await this.binary();
    if (!binary.ok) return binary;
    await this.bridge();
    const editor = launchEditor({
      binary: binary.value,
      project: this.project,
      env: this.env,
      bridgeFolder: meetingPlace(this.env, process.platform),
      headless,
      // A window belongs to the person; one without is this server's.
      outlive: !headless,
    });
    if (headless) this.ownEditor = editor;
    return ok(editor);
  }

  async close(): Promise<void> {
    await Promise.allSettled([
      this.games.close(),
      this.running?.close(),
      this.ownEditor?.kill(),
      this.opening?.then((bridge) => bridge.close()),
    ]);
  }

  private async search(): Promise<Found<GodotBinary>> {
    const { godotPath, env } = this.options;
    if (godotPath === "")
      return errors.fail("E_UNSUPPORTED", "Godot is switched off: its path is set to nothing.", {
        suggestedFix: "Set GODOT_PATH to a Godot 4.",
        fixBy: "operator",
      });
    const found = await findGodot({
      configured: godotPath,
      env,
      platform: process.platform,
      clock: this.clock,
    });
    if (found.ok || godotPath !== undefined) return found;
    const fetched = fetchedGodot(env);
    if (!existsSync(fetched)) return found;
    return findGodot({ configured: fetched, env, platform: process.platform, clock: this.clock });
  }
}

/** Where `get-godot` puts one. */
function fetchedGodot(env: Environment): string {
  return join(cacheFolder(env, process.platform), "godot", "root", "usr", "bin", "godot");
}
