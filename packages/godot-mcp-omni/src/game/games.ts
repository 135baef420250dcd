import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { errors, type GodotCode } from "../errors.ts";
import type { GodotBinary } from "../godot/binary.ts";
import type { Environment } from "../godot/environment.ts";
import type { Answer, Game, GameOptions } from "./game.ts";
import { startGame } from "./start-game.ts";

export interface GamesOptions {
  readonly project: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly binary: () => Promise<Outcome<GodotBinary, Failure<GodotCode>>>;
}

export type RunOptions = Omit<GameOptions, "binary" | "project" | "env" | "clock" | "folder">;

/** A game under its handle. */
export interface Handled {
  readonly id: string;
  readonly game: Game;
  /** Where to go on among its errors, to tell those that are new. */
  errorsSeen: number;
}

const MOST_RUNNING = 4;
const MOST_KEPT = 8;
/** A client that vanished asks nothing any more; over HTTP nothing else tells. */
const IDLE_MS = 600_000;

/** The games that this server runs, and the last ones it ran. */
export class Games {
  readonly clock: Clock;
  private readonly options: GamesOptions;
  private readonly kept: Handled[] = [];
  private readonly closing = new AbortController();
  private readonly idle = new Map<string, () => void>();
  private starting = 0;
  private count = 0;
  private folder: string | undefined;

  constructor(options: GamesOptions) {
    this.options = options;
    this.clock = options.clock;
  }

  async run(options: RunOptions): Answer<Handled> {
    const running = this.kept.filter(({ game }) => game.status().state !== "ended");
    if (running.length + this.starting >= MOST_RUNNING)
      return errors.fail("E_UNSUPPORTED", `${MOST_RUNNING} games run already.`, {
        suggestedFix: `Stop one of ${running.map(({ id }) => id).join(", ")}.`,
      });
    this.starting++;
    try {
      return await this.start(options);
    } finally {
      this.starting--;
    }
  }

  /** The newest one unless named. */
  find(id: string | undefined): Outcome<Handled, Failure<GodotCode>> {
    const found = id === undefined ? this.kept.at(-1) : this.kept.find((handled) => handled.id === id);
    if (found !== undefined) {
      this.touch(found);
      return ok(found);
    }
    return id === undefined
      ? errors.fail("E_NOT_FOUND", "No game was run yet.", { suggestedFix: "Start one with run." })
      : errors.fail("E_NOT_FOUND", `There is no game "${id.slice(0, 40)}".`, {
          suggestedFix: "status lists those there are.",
        });
  }

  all(): readonly Handled[] {
    return this.kept;
  }

  async close(): Promise<void> {
    this.closing.abort();
    for (const stopTimer of this.idle.values()) stopTimer();
    await Promise.allSettled(this.kept.map(({ game }) => game.end()));
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
  }

  private async start(options: RunOptions): Answer<Handled> {
    const { project, env, clock } = this.options;
    const binary = await this.options.binary();
    if (!binary.ok) return binary;
    this.folder ??= mkdtempSync(join(tmpdir(), "godot-mcp-pictures-"));
    const signal = AbortSignal.any([this.closing.signal, ...(options.signal ? [options.signal] : [])]);
    const started = await startGame({
      ...options,
      binary: binary.value,
      project,
      env,
      clock,
      folder: this.folder,
      signal,
    });
    if (!started.ok) return started;
    const handled: Handled = { id: `game-${++this.count}`, game: started.value, errorsSeen: 0 };
    this.kept.push(handled);
    if (this.closing.signal.aborted) await handled.game.end();
    const over = this.kept.find(({ game }) => game.status().state === "ended");
    if (this.kept.length > MOST_KEPT && over !== undefined) this.kept.splice(this.kept.indexOf(over), 1);
    this.touch(handled);
    return ok(handled);
  }

  private touch({ id, game }: Handled): void {
    this.idle.get(id)?.();
    this.idle.delete(id);
    if (game.status().state === "ended") return;
    const stopTimer = this.options.clock.after(IDLE_MS, () => void game.end());
    this.idle.set(id, stopTimer);
  }
}
