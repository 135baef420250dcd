import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Clock, type Failure, type Outcome, once, type Progress, systemClock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type GodotCode, type Result } from "../errors.ts";
import { type BinaryCode, findGodot, type GodotBinary, whyTooOld } from "../godot/binary.ts";
import { cacheFolder, type Environment } from "../godot/environment.ts";
import type { GodotProcess } from "../godot/process.ts";
import {
  BY_FILES,
  cannotDo,
  type Driver,
  type GodotDriver,
  isCannotDo,
  type Mode,
} from "../operations/driver.ts";
import type { Project } from "../project/project.ts";
import type { Trust } from "../project/trust.ts";
import { meetingPlace } from "./editor/announcement.ts";
import { type Bridge, type ConnectedEditor, noEditor, openBridge } from "./editor/bridge.ts";
import { launchEditor } from "./editor/launch-editor.ts";
import { createEngine, importState, importText, isHeavy } from "./engine/engine.ts";
import { FilesDriver } from "./files/files-driver.ts";

export interface DriversOptions {
  readonly project: Project;
  readonly godotPath: string | undefined;
  readonly env: Environment;
  readonly trust: Trust;
  /** Whether games run in a sandbox; anything that would run them outside it is refused. */
  readonly sandboxGames?: boolean;
  readonly clock?: Clock;
}

type Found<T, Code extends GodotCode = GodotCode> = Result<T, Code>;

/** How long a call in editor mode waits for an editor to connect. */
const EDITOR_GRACE_MS = 6_000;

export interface UseOptions {
  /** Read-only: the files may answer while Godot imports the project. */
  readonly isRead?: boolean;
  readonly progress?: ((progress: Progress) => void) | undefined;
}

/** Interval of import progress reports. */
const REPORT_MS = 500;

/** The drivers of one project. Godot is found and started on first use, once the project is trusted. */
export class Drivers {
  readonly env: Environment;
  readonly trust: Trust;
  protected readonly clock: Clock;
  private readonly root: string;
  private readonly godotPath: string | undefined;
  private readonly files: FilesDriver;
  private opening: Promise<Bridge> | undefined;
  private opened: Bridge | undefined;
  private running: GodotDriver | undefined;
  /** An editor without a window that this server started and will end. */
  private ownEditor: GodotProcess | undefined;
  private readonly found = once(() => this.search());

  constructor(options: DriversOptions) {
    this.env = options.env;
    this.trust = options.trust;
    this.clock = options.clock ?? systemClock;
    this.root = options.project.root;
    this.godotPath = options.godotPath;
    this.files = new FilesDriver(options.project);
  }

  /**
   * Runs work on a driver: the one of the requested mode, else the best available. If a driver cannot do it, the next
   * one is tried; if Godot would lose something, the files driver. Then `warnings` say why.
   */
  async use<T, Notes = never>(
    mode: Mode | undefined,
    signal: AbortSignal,
    work: (driver: Driver, warnings: readonly string[]) => Promise<Outcome<T, Failure<GodotCode>, Notes>>,
    options: UseOptions = {},
  ): Promise<Outcome<T, Failure<GodotCode>, Notes>> {
    const quick = mode === undefined && options.isRead ? await this.duringImport() : undefined;
    const read = quick === undefined ? undefined : await work(this.files, [quick]);
    if (read !== undefined && (read.ok || !isCannotDo(read.failure))) return read;
    const stopReports = mode === "files" ? undefined : this.reportImport(options.progress);
    try {
      return await this.useBest(mode, signal, work);
    } finally {
      stopReports?.();
    }
  }

  /** Returns a warning for an answer given before a long first import has finished. */
  private async duringImport(): Promise<string | undefined> {
    if (this.editor() !== undefined || this.running?.isReady) return undefined;
    const engine = await this.engine();
    const state = engine.ok ? await importState(this.root) : undefined;
    if (!engine.ok || state === undefined || !isHeavy(state)) return undefined;
    engine.value.warm?.();
    return `${importText(state)}. This was read from the files meanwhile.`;
  }

  /** Reports import progress until the engine is ready or the caller stops it. */
  private reportImport(progress: UseOptions["progress"]): (() => void) | undefined {
    if (progress === undefined || this.editor() !== undefined || this.running?.isReady) return undefined;
    let stop = () => {};
    let isOver = false;
    let last = -1;
    const report = async () => {
      const state = await importState(this.root);
      if (isOver || this.running?.isReady) return;
      if (state.done > last && state.done < state.total) {
        last = state.done;
        progress({ ...state, message: importText(state) });
      }
      stop = this.clock.after(REPORT_MS, () => void report());
    };
    void report();
    return () => {
      isOver = true;
      stop();
    };
  }

  private async useBest<T, Notes = never>(
    mode: Mode | undefined,
    signal: AbortSignal,
    work: (driver: Driver, warnings: readonly string[]) => Promise<Outcome<T, Failure<GodotCode>, Notes>>,
  ): Promise<Outcome<T, Failure<GodotCode>, Notes>> {
    let refused: Found<never> | undefined;
    const warnings: string[] = [];
    for await (const driver of this.candidates(mode, signal)) {
      if (driver.ok && warnings.length > 0 && driver.value.mode !== "files") continue;
      const done = driver.ok ? await work(driver.value, warnings) : driver;
      if (done.ok) return done;
      const failure = isLoss(done.failure) ? byFilesOnly(done.failure) : done.failure;
      if (!isCannotDo(failure)) return done;
      if (failure.details?.needsFiles === true && warnings.length === 0)
        warnings.push(`${failure.message} So the text of the file was used.`);
      refused ??= { ok: false, failure };
    }
    // Godot could do what the files driver cannot, but must not be started.
    const withheld = mode === undefined ? this.trust.refuseStart() : undefined;
    return withheld ?? refused ?? errors.fail("E_INTERNAL", "No driver was tried.");
  }

  /** Best first: the editor, whose memory would otherwise overwrite the file, then the engine, then the files. */
  private async *candidates(mode: Mode | undefined, signal: AbortSignal): AsyncGenerator<Found<Driver>> {
    if (mode === "editor") yield this.unlessTooOld(await this.waitForEditor(EDITOR_GRACE_MS, signal));
    if (mode === "engine") yield this.unlessTooOld(await this.engine());
    if (mode === undefined) {
      const editor = this.editor();
      if (editor !== undefined) yield this.unlessTooOld(ok(editor));
      const engine = await this.engine();
      if (engine.ok) yield this.unlessTooOld(engine);
    }
    if (mode === undefined || mode === "files") yield ok(this.files);
  }

  /** A Godot version older than the project's drops what it does not recognize from the files it saves. */
  private unlessTooOld(found: Found<GodotDriver>): Found<GodotDriver> {
    const why = found.ok ? this.whyTooOld(found.value.version) : undefined;
    return why === undefined ? found : cannotDo("godot", why, BY_FILES, { needsFiles: true });
  }

  /** Why a Godot binary of this version must not save files of the project, or undefined. */
  whyTooOld(version: string): string | undefined {
    return whyTooOld(this.root, version);
  }

  /** Lets editors connect. Called at start, so an open editor is there for the first call. */
  bridge(): Promise<Bridge> {
    this.opening ??= openBridge({
      folder: meetingPlace(this.env, process.platform),
      clock: this.clock,
      onEditor: (editor) => this.met(editor),
    }).then((bridge) => {
      this.opened = bridge;
      return bridge;
    });
    return this.opening;
  }

  /** Called with each editor that connects. */
  protected met(_editor: ConnectedEditor): void {}

  /** The connected editor of this project, if the project is trusted. */
  editor(): GodotDriver | undefined {
    return this.trust.isTrusted ? this.opened?.editorOf(this.root) : undefined;
  }

  /** The Godot binary of this machine, to report its version and for work outside the project. */
  binary(): ReturnType<typeof findGodot> {
    return this.found();
  }

  /** The Godot that may open the project, which runs its code. */
  async binaryForProject(): Promise<Found<GodotBinary, BinaryCode | "E_PERMISSION_DENIED">> {
    return this.trust.refuseStart() ?? (await this.binary());
  }

  async engine(): Promise<Found<GodotDriver>> {
    const binary = await this.binaryForProject();
    if (!binary.ok) return binary;
    this.running ??= createEngine({
      binary: binary.value,
      project: this.root,
      env: this.env,
      clock: this.clock,
    });
    return ok(this.running);
  }

  async waitForEditor(
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Found<GodotDriver, "E_NOT_CONNECTED" | "E_PERMISSION_DENIED">> {
    const refusal = this.trust.refuseProjectCode();
    if (refusal !== undefined) return refusal;
    const connected = this.editor();
    if (connected !== undefined) return ok(connected);
    const bridge = await this.bridge();
    return bridge.waitForEditor(this.root, { timeoutMs, signal });
  }

  /** An editor of this project, or a failure that explains how to get one. */
  connectedEditor(): Found<GodotDriver, "E_NOT_CONNECTED" | "E_PERMISSION_DENIED"> {
    const refusal = this.trust.refuseProjectCode();
    if (refusal !== undefined) return refusal;
    const editor = this.editor();
    return editor === undefined ? noEditor(this.root) : ok(editor);
  }

  async launch(headless: boolean): Promise<Found<GodotProcess, BinaryCode | "E_PERMISSION_DENIED">> {
    const binary = await this.binaryForProject();
    if (!binary.ok) return binary;
    await this.bridge();
    const editor = launchEditor({
      binary: binary.value,
      project: this.root,
      env: this.env,
      bridgeFolder: meetingPlace(this.env, process.platform),
      headless,
      // An editor with a window belongs to the user; a headless one to this server.
      outlive: !headless,
    });
    if (headless) this.ownEditor = editor;
    return ok(editor);
  }

  async close(): Promise<void> {
    await Promise.allSettled([
      this.running?.close(),
      this.ownEditor?.kill(),
      this.opening?.then((bridge) => bridge.close()),
    ]);
  }

  private async search(): ReturnType<typeof findGodot> {
    const { godotPath, env } = this;
    if (godotPath === "")
      return errors.fail("E_UNSUPPORTED", "Godot is switched off: its path is empty.", {
        suggestedFix: "Set GODOT_PATH to a Godot 4 binary.",
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

/** Whether Godot saved a file with a loss, and the old content was restored. */
function isLoss({ details }: Failure<GodotCode>): boolean {
  return details?.surprises !== undefined && details.restored === true && details.unsupportedBy === undefined;
}

function byFilesOnly({ details }: Failure<GodotCode>): Failure<GodotCode> {
  const surprises = Array.isArray(details?.surprises) ? details.surprises : [];
  const message = `Saved by this Godot, ${String(details?.path)} would change beyond the edit: ${surprises.slice(0, 3).join("; ")}.`;
  return cannotDo("godot", message, BY_FILES, { ...details, needsFiles: true }).failure;
}

/** The path to which the command `get-godot` downloads Godot. */
function fetchedGodot(env: Environment): string {
  return join(cacheFolder(env, process.platform), "godot", "root", "usr", "bin", "godot");
}
