import type { Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { Drivers, type DriversOptions } from "../drivers/drivers.ts";
import type { ConnectedEditor } from "../drivers/editor/bridge.ts";
import { errors } from "../errors.ts";
import type { Steps } from "../formats/slices.ts";
import { Games } from "../game/games.ts";
import { type Docs, type DocsCode, openDocs } from "../godot/docs.ts";
import type { ProjectGraph } from "../graph/project-graph.ts";
import { ProjectIndex } from "../graph/project-index.ts";
import { LanguageServer } from "../language/language-server.ts";
import { Dock, type DockUndo } from "./dock.ts";

export interface GodotsOptions extends DriversOptions {
  /** Version of this package, which the addon should have too. */
  readonly serverVersion: string;
  readonly readOnly?: boolean;
  /** Hears what a person undid in the dock. */
  readonly onUndone?: (undone: DockUndo) => void;
}

/** Every Godot that works for one project: its drivers, the games this server runs, and the class reference. */
export class Godots extends Drivers {
  readonly games: Games;
  /** What the editor's dock shows of this server. */
  readonly dock: Dock;
  readonly serverVersion: string;
  /** What the project's files say of each other. */
  readonly index: ProjectIndex;
  readonly language: LanguageServer;
  private readonly isSandboxed: boolean;
  private reference: Docs | undefined;

  constructor(options: GodotsOptions) {
    super(options);
    this.serverVersion = options.serverVersion;
    this.dock = new Dock({
      project: options.project,
      trust: options.trust,
      clock: this.clock,
      serverVersion: options.serverVersion,
      readOnly: options.readOnly ?? false,
      drivers: this,
      onUndone: async (undone) => {
        options.onUndone?.(undone);
        await this.games.reload();
      },
    });
    this.isSandboxed = options.sandboxGames ?? false;
    this.language = new LanguageServer({
      project: options.project.root,
      env: options.env,
      clock: this.clock,
      binary: () => this.binaryForProject(),
      classes: () => this.index.use(classesIn),
    });
    this.index = new ProjectIndex(options.project.root, () => this.clock.now());
    this.games = new Games({
      project: options.project.root,
      env: options.env,
      clock: this.clock,
      sandbox: options.sandboxGames ?? false,
      binary: () => this.binaryForProject(),
    });
  }

  /** The Godot for work that runs the game itself, such as tests, which the sandbox does not hold yet. */
  async binaryOutsideSandbox(): ReturnType<Drivers["binaryForProject"]> {
    if (!this.isSandboxed) return this.binaryForProject();
    return errors.fail("E_PERMISSION_DENIED", "This would run the game outside of the sandbox.", {
      details: { gate: "SANDBOX_GAMES" },
      suggestedFix:
        "Run the game with godot_game; the operator can start the server without --sandbox-games.",
      fixBy: "operator",
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

  protected override met(editor: ConnectedEditor): void {
    this.dock.attach(editor);
  }

  override async close(): Promise<void> {
    this.dock.close();
    await Promise.allSettled([this.games.close(), this.language.close(), super.close()]);
  }
}

function* classesIn({ classes }: ProjectGraph): Steps<ReadonlyMap<string, string>> {
  yield;
  return classes;
}
