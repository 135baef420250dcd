import type { Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { Drivers, type DriversOptions } from "../drivers/drivers.ts";
import { Games } from "../game/games.ts";
import { type Docs, type DocsCode, openDocs } from "../godot/docs.ts";

/** Every Godot that works for one project: its drivers, the games this server runs, and the class reference. */
export class Godots extends Drivers {
  readonly games: Games;
  private reference: Docs | undefined;

  constructor(options: DriversOptions) {
    super(options);
    this.games = new Games({
      project: options.project.root,
      env: options.env,
      clock: this.clock,
      binary: () => this.binaryForProject(),
    });
  }

  async docs(signal: AbortSignal): Promise<Outcome<Docs, Failure<DocsCode>>> {
    if (this.reference !== undefined) return ok(this.reference);
    const binary = await this.binary();
    if (!binary.ok) return binary;
    const opened = await openDocs({ binary: binary.value, env: this.env, clock: this.clock, signal });
    if (opened.ok) this.reference = opened.value;
    return opened;
  }

  override async close(): Promise<void> {
    await Promise.allSettled([this.games.close(), super.close()]);
  }
}
