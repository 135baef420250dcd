import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import type { GodotBinary } from "../godot/binary.ts";
import type { Environment } from "../godot/environment.ts";
import { changedFiles, type SeenFiles, seeFiles } from "./changed-files.ts";
import type { Game } from "./game.ts";
import type { GameOptions } from "./game-shapes.ts";
import { startGame } from "./start-game.ts";

export interface GamesOptions {
  readonly project: string;
  readonly env: Environment;
  readonly sandbox: boolean;
  readonly clock: Clock;
  readonly binary: () => Promise<Result<GodotBinary>>;
}

export type RunOptions = Omit<GameOptions, "binary" | "project" | "env" | "sandbox" | "clock" | "folder">;

export interface GameHandle {
  readonly id: string;
  readonly game: Game;
  /** The number of its errors and warnings that were already reported. */
  errorsSeen: number;
  /** The number of its lines that were already read or waited for. */
  linesSeen: number;
  /** The project files as this game has loaded them. */
  files: SeenFiles;
  /** Games started with it, which are stepped with it. */
  together: readonly Game[];
  /** The last report about files that wait for a stopped game. */
  waiting: string;
}

type Started = Promise<Result<GameHandle>>;

const MAX_RUNNING = 4;
const MAX_STORED = 8;
/** Maximum of errors and warnings of one game in one answer, and of the length of each. */
const MAX_NEWS = 3;
const NEWS_LENGTH = 300;
const MAX_RELOADS = 50;
/** More than a game keeps, so a page is not cut. */
const ALL_NEWS = 1_000;
/** An unused game is ended after this time: over HTTP nothing else shows that a client has gone. */
const IDLE_MS = 600_000;

/** The games that this server runs, and the last ones it ran. */
export class Games {
  readonly clock: Clock;
  private readonly options: GamesOptions;
  private readonly stored: GameHandle[] = [];
  private readonly closing = new AbortController();
  private readonly idle = new Map<string, () => void>();
  private reloads: string[] = [];
  private droppedReloads = 0;
  private reloading: Promise<void> = Promise.resolve();
  private starting = 0;
  private count = 0;
  private folder: string | undefined;

  constructor(options: GamesOptions) {
    this.options = options;
    this.clock = options.clock;
  }

  async run(options: RunOptions): Started {
    const running = this.stored.filter(({ game }) => game.status().state !== "ended");
    if (running.length + this.starting >= MAX_RUNNING)
      return errors.fail("E_UNSUPPORTED", `${MAX_RUNNING} games are running already.`, {
        suggestedFix: `Stop one of ${running.map(({ id }) => id).join(", ")}.`,
      });
    this.starting++;
    try {
      return await this.start(options);
    } finally {
      this.starting--;
    }
  }

  /** The game with the id; by default the newest one. */
  find(id: string | undefined): Result<GameHandle, "E_NOT_FOUND"> {
    const found = id === undefined ? this.stored.at(-1) : this.stored.find((handle) => handle.id === id);
    if (found !== undefined) {
      this.touch(found);
      return ok(found);
    }
    return id === undefined
      ? errors.fail("E_NOT_FOUND", "No game was run yet.", { suggestedFix: "Start one with run." })
      : errors.fail("E_NOT_FOUND", `There is no game "${id.slice(0, 40)}".`, {
          suggestedFix: "List the games with status.",
        });
  }

  all(): readonly GameHandle[] {
    return this.stored;
  }

  /** Reloads files that changed, for any reason, in every running game. */
  reload(): Promise<void> {
    const reloaded = this.reloading.then(() => this.reloadAll());
    this.reloading = reloaded.catch(() => undefined);
    return reloaded;
  }

  /** The number of lines about reloads so far. */
  get reloadCount(): number {
    return this.droppedReloads + this.reloads.length;
  }

  /**
   * Results of reloads since then, and errors and warnings of games not yet in any answer. Game output is
   * data, so each line names its game.
   */
  async news(since: number): Promise<readonly string[]> {
    // Read pending messages from the games first.
    if (this.stored.length > 0) await setImmediate();
    return [
      ...this.reloads.slice(Math.max(0, since - this.droppedReloads)),
      ...this.stored.flatMap((handle) => newErrors(handle).map((line) => `${handle.id}: ${line}`)),
    ];
  }

  async close(): Promise<void> {
    this.closing.abort();
    for (const stopTimer of this.idle.values()) stopTimer();
    await Promise.allSettled(this.stored.map(({ game }) => game.end()));
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
  }

  private async start(options: RunOptions): Started {
    const { project, env, sandbox, clock } = this.options;
    const binary = await this.options.binary();
    if (!binary.ok) return binary;
    this.folder ??= mkdtempSync(join(tmpdir(), "godot-mcp-pictures-"));
    const signal = AbortSignal.any([this.closing.signal, ...(options.signal ? [options.signal] : [])]);
    const files = seeFiles(project);
    const started = await startGame({
      ...options,
      binary: binary.value,
      project,
      env,
      sandbox,
      clock,
      folder: this.folder,
      signal,
    });
    if (!started.ok) return started;
    const handle: GameHandle = {
      id: `game-${++this.count}`,
      game: started.value,
      errorsSeen: 0,
      linesSeen: 0,
      files,
      together: [],
      waiting: "",
    };
    this.stored.push(handle);
    if (this.closing.signal.aborted) await handle.game.end();
    const over = this.stored.find(({ game }) => game.status().state === "ended");
    if (this.stored.length > MAX_STORED && over !== undefined)
      this.stored.splice(this.stored.indexOf(over), 1);
    this.touch(handle);
    return ok(handle);
  }

  private async reloadAll(): Promise<void> {
    const running = this.stored.filter(({ game }) => game.status().state !== "ended");
    const [first] = running;
    if (first === undefined) return;
    const now = seeFiles(this.options.project, first.files);
    for (const handle of running) {
      const changed = changedFiles(handle.files, now);
      const stop = handle.game.stop();
      const names = changed.map(({ path }) => path).join(", ");
      if (stop !== undefined && changed.length > 0) {
        // The debugger reloads files only while the game runs.
        if (handle.waiting !== names)
          this.report(handle, [`is stopped and takes ${names.slice(0, NEWS_LENGTH)} when it continues.`]);
        handle.waiting = names;
        continue;
      }
      handle.waiting = "";
      handle.files = now;
      if (changed.length > 0) this.report(handle, await handle.game.reload(changed));
    }
  }

  private report({ id }: GameHandle, lines: readonly string[]): void {
    this.reloads.push(...lines.map((line) => `${id}: ${line}`));
    const dropped = this.reloads.splice(0, this.reloads.length - MAX_RELOADS);
    this.droppedReloads += dropped.length;
  }

  private touch({ id, game }: GameHandle): void {
    this.idle.get(id)?.();
    this.idle.delete(id);
    if (game.status().state === "ended") return;
    const stopTimer = this.options.clock.after(IDLE_MS, () => void game.end());
    this.idle.set(id, stopTimer);
  }
}

function newErrors(handle: GameHandle): readonly string[] {
  const { errors, next } = handle.game.errors({ after: handle.errorsSeen, limit: ALL_NEWS });
  handle.errorsSeen = next;
  const lines = errors
    .slice(0, MAX_NEWS)
    .map(({ severity, path, line, message }) =>
      `new ${severity} at ${path}:${line}: ${message.replace(/\s+/g, " ")}`.slice(0, NEWS_LENGTH),
    );
  const more = errors.length - lines.length;
  return more > 0 ? [...lines, `${more} more; godot_game errors lists them`] : lines;
}
