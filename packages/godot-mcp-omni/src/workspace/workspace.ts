import { ok } from "@toolpact/outcome";
import { askAboutScene } from "../drivers/ask.ts";
import { Drivers, type DriversOptions } from "../drivers/drivers.ts";
import type { ConnectedEditor } from "../drivers/editor/bridge.ts";
import { errors, type Result } from "../errors.ts";
import type { Steps } from "../formats/document.ts";
import { Games } from "../game/games.ts";
import { type Docs, type DocsCode, openDocs } from "../godot/docs.ts";
import type { ProjectGraph } from "../graph/project-graph.ts";
import { ProjectIndex } from "../graph/project-index.ts";
import { buildCSharp, type CSharpBuild } from "../language/csharp-build.ts";
import { LanguageServer } from "../language/language-server.ts";
import type { Project } from "../project/project.ts";
import { Dock, type DockUndo } from "./dock.ts";
import { Live } from "./live.ts";

export interface WorkspaceOptions extends DriversOptions {
  /** Version of this package, which the addon should have too. */
  readonly serverVersion: string;
  readonly readOnly?: boolean;
  /** Called when the user undoes an edit in the dock. */
  readonly onUndone?: (undone: DockUndo) => void;
}

/** Every Godot process of one project: its drivers, the games this server runs, and the class reference. */
export class Workspace extends Drivers {
  readonly games: Games;
  /** The editor's dock, which shows the activity of this server. */
  readonly dock: Dock;
  /** The resource changes, for clients that subscribe. */
  readonly live: Live;
  readonly serverVersion: string;
  readonly index: ProjectIndex;
  readonly language: LanguageServer;
  private readonly isSandboxed: boolean;
  private readonly project: Project;
  private reference: Docs | undefined;

  constructor(options: WorkspaceOptions) {
    super(options);
    this.serverVersion = options.serverVersion;
    this.project = options.project;
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
    this.live = new Live({
      root: options.project.root,
      games: this.games,
      clock: this.clock,
      isTrusted: () => this.trust.isTrusted,
    });
  }

  /** The current tree of a scene, without bringing it to the front of the editor. */
  async sceneTree(project: Project, scene: string, signal: AbortSignal) {
    const editor = this.editor();
    const state = await editor?.request("editor.state", {}, { signal });
    const isInFront = state?.ok === true && state.value.current === scene;
    const mode = isInFront ? ("editor" as const) : ("files" as const);
    const context = { project, workspace: this, signal };
    const tree = await askAboutScene(context, { scene, mode }, "scene.tree", (named) => ({ scene: named }));
    return tree.ok ? { ok: true as const, value: tree.value.value, mode: tree.value.mode } : tree;
  }

  /** The Godot for work that runs the game itself, such as tests, which the sandbox does not support yet. */
  async binaryOutsideSandbox(): ReturnType<Drivers["binaryForProject"]> {
    if (!this.isSandboxed) return this.binaryForProject();
    return errors.fail("E_PERMISSION_DENIED", "This would run the game outside of the sandbox.", {
      details: { gate: "SANDBOX_GAMES" },
      suggestedFix:
        "Run the game with godot_game; the operator can start the server without --sandbox-games.",
      fixBy: "operator",
    });
  }

  /** Builds the project's C#. That runs code that its files name, so it requires the same trust as starting Godot. */
  async buildCSharp(signal: AbortSignal): Promise<Result<CSharpBuild>> {
    const binary = await this.binaryForProject();
    if (!binary.ok) return binary;
    const { env, clock, project } = this;
    return buildCSharp({ project, binary: binary.value, env, clock, signal });
  }

  async docs(signal: AbortSignal): Promise<Result<Docs, DocsCode>> {
    if (this.reference !== undefined) return ok(this.reference);
    const binary = await this.binary();
    if (!binary.ok) return binary;
    const opened = await openDocs({ binary: binary.value, env: this.env, clock: this.clock, signal });
    if (opened.ok) this.reference = opened.value;
    return opened;
  }

  protected override met(editor: ConnectedEditor): void {
    this.dock.attach(editor);
    this.live.attach(editor);
  }

  override async close(): Promise<void> {
    this.dock.close();
    this.live.close();
    await Promise.allSettled([this.games.close(), this.language.close(), super.close()]);
  }
}

function* classesIn({ classes }: ProjectGraph): Steps<ReadonlyMap<string, string>> {
  yield;
  return classes;
}
