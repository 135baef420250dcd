import { randomBytes } from "node:crypto";
import { realpath } from "node:fs/promises";
import { type Clock, type Failure, type JsonObject, systemClock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type GodotCode, type Result } from "../../errors.ts";
import type { Link } from "../../godot/link.ts";
import { listen } from "../../godot/listener.ts";
import type {
  EditorStep,
  FileContent,
  PreparedEdit,
  RawGodotDriver,
  RequestedEdit,
  RequestOptions,
} from "../../operations/driver.ts";
import {
  type EditOperation,
  OPERATIONS,
  type Operation,
  type ParamsOf,
  type ResultOf,
} from "../../operations/operations.ts";
import { waitForEvent } from "../../wait-for-event.ts";
import { announce } from "./announcement.ts";

export interface BridgeOptions {
  readonly folder: string;
  readonly clock?: Clock;
  readonly heartbeatMs?: number;
  /** Called with each editor that connects, of any project. */
  readonly onEditor?: (editor: ConnectedEditor) => void;
}

/** An editor with its dock, which shows the user the activity of this server. */
export interface ConnectedEditor extends RawGodotDriver {
  steps(): readonly EditorStep[];
  tell(message: JsonObject): void;
  onAsk(listener: (question: JsonObject) => void): void;
  /** Reports changes in it: `selection`, `log`, and scenes by their path. */
  onChange(listener: (what: ReadonlySet<string>) => void): void;
  onClose(listener: () => void): void;
}

/** The editors connected to this server. Each is a separate driver. */
export interface Bridge {
  readonly port: number;
  editors(): readonly RawGodotDriver[];
  /** The editor of a project, by the real path of its folder; the last one to connect if there are several. */
  editorOf(project: string): RawGodotDriver | undefined;
  waitForEditor(
    project: string,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<Result<RawGodotDriver, "E_NOT_CONNECTED">>;
  close(): Promise<void>;
}

const HEARTBEAT_MS = 5_000;

/**
 * Listens on loopback and announces it in the meeting place. Editors connect by themselves, before or after.
 */
export async function openBridge(options: BridgeOptions): Promise<Bridge> {
  const clock = options.clock ?? systemClock;
  const token = randomBytes(32).toString("hex");
  const editors = new Set<Editor>();
  const waiting = new Set<() => void>();

  const listener = await listen({
    token,
    clock,
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    async onLink(link) {
      const project = await realpath(link.hello.project).catch(() => link.hello.project);
      const editor = new Editor(link, project, () => clock.now());
      if (!link.open) return;
      editors.add(editor);
      link.onClose(() => editors.delete(editor));
      options.onEditor?.(editor);
      for (const look of [...waiting]) look();
    },
  });
  const announcement = await announce(options.folder, { port: listener.port, token, pid: process.pid });
  const editorOf = (project: string) => [...editors].findLast((editor) => editor.project === project);

  return {
    port: listener.port,
    editors: () => [...editors],
    editorOf,
    waitForEditor(project, { timeoutMs, signal }) {
      return waitForEvent<Result<RawGodotDriver, "E_NOT_CONNECTED">>(
        { clock, timeoutMs, signal },
        () => noEditor(project),
        (resolve) => {
          const look = () => {
            const editor = editorOf(project);
            if (editor !== undefined) resolve(ok(editor));
          };
          waiting.add(look);
          look();
          return [() => waiting.delete(look)];
        },
      );
    },
    async close() {
      await announcement.withdraw();
      await listener.close();
    },
  };
}

export function noEditor(project: string): Result<never, "E_NOT_CONNECTED"> {
  return errors.fail("E_NOT_CONNECTED", "No editor of this project is connected.", {
    suggestedFix: "Open the project in Godot with the addon godot_mcp_bridge enabled; it connects by itself.",
    details: { project },
  });
}

class Editor implements ConnectedEditor {
  readonly mode = "editor";
  readonly project: string;
  readonly version: string;
  readonly addon: string | undefined;
  private readonly link: Link;
  private readonly now: () => number;
  /** File contents after the edits of each scene, by position in the scene's history. */
  private readonly contents = new Map<string, Map<number, Step>>();
  private done: readonly EditorStep[] = [];

  constructor(link: Link, project: string, now: () => number) {
    this.link = link;
    this.now = now;
    this.addon = link.hello.addon;
    this.project = project;
    this.version = link.hello.version;
  }

  steps(): readonly EditorStep[] {
    return this.done;
  }

  tell(message: JsonObject): void {
    this.link.tell(message);
  }

  onAsk(listener: (question: JsonObject) => void): void {
    this.link.onAsk(listener);
  }

  onChange(listener: (what: ReadonlySet<string>) => void): void {
    this.link.onChange(listener);
  }

  onClose(listener: () => void): void {
    this.link.onClose(listener);
  }

  async request<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    options: RequestOptions = {},
  ): Promise<Result<ResultOf<O>>> {
    const { writes, timeoutMs } = OPERATIONS[operation];
    // The outcome of a sent change must be known, so a caller can cancel only before that.
    const signal = writes && !options.signal?.aborted ? undefined : options.signal;
    await options.beforeSending?.();
    const answer = await this.link.request(
      operation,
      // The operation table declares parameters and result, and all of it is JSON.
      params as JsonObject,
      options.timeoutMs ?? timeoutMs,
      signal,
    );
    if (writes && !answer.ok && isSilence(answer.failure)) {
      const { failure } = answer;
      return { ...answer, failure: { ...failure, details: { ...failure.details, outcome: "unknown" } } };
    }
    return answer as Result<ResultOf<O>>;
  }

  /** The editor keeps scene edits in its own history; the journal records operations that create or replace a file. */
  async prepare<O extends EditOperation>(
    operation: O,
    params: ParamsOf<O>,
  ): Promise<Result<PreparedEdit<ResultOf<O>>>> {
    const send: RequestedEdit<ResultOf<O>>["send"] = (signal, beforeSending) =>
      this.request(operation, params, { signal, beforeSending });
    const { scene } = params as { readonly scene?: string };
    const back: "scene.undo" | "scene.redo" | undefined = BACK[operation];
    if (back === undefined || scene === undefined) return ok({ kind: "requested", send });
    const steps = this.contents.get(scene) ?? new Map<number, Step>();
    this.contents.set(scene, steps);
    /** A user's changes belong to no step, so the content after them is unknown. */
    const known = (position: number, side: keyof Step, now: FileContent, result: Position) => {
      const step = result.hadUnsaved ? undefined : steps.get(position);
      return step !== undefined && isSameContent(step[side], now) ? step : undefined;
    };
    return ok({
      kind: "requested",
      send,
      takeBack: () => this.request(back, { scene }),
      reload: () => this.request("editor.reload_scene", { scene, keepUnsaved: true }),
      accept: () => this.request("editor.accept_file", { scene }),
      ...(operation === "scene.undo" && {
        expected: (now, result: Position) => known((result.position ?? 0) + 1, "after", now, result)?.before,
        onCommitted: ({ result: { position = 0 } }: Done) => this.mark(scene, position + 1, true),
      }),
      ...(operation === "scene.redo" && {
        expected: (now, result: Position) => known(result.position ?? 0, "before", now, result)?.after,
        onCommitted: ({ result: { position = 0 } }: Done) => this.mark(scene, position, false),
      }),
      ...(operation === "scene.edit" && {
        onCommitted: ({ before, after, result, label, entry }: Done & CommittedFile) => {
          const { position, hadUnsaved, step = "" } = result;
          if (position === undefined) return undefined;
          this.note({ scene, position, step, label, at: this.now(), undone: false, entry });
          steps.delete(position);
          if (!hadUnsaved) steps.set(position, { before, after });
          for (const old of [...steps.keys()].slice(0, -MAX_STEPS)) steps.delete(old);
          return undefined;
        },
      }),
    });
  }

  async close(): Promise<void> {
    this.link.close();
  }

  /** A new step discards those that were undone. */
  private note(step: EditorStep): void {
    const before = this.done.filter(
      ({ scene, position }) => scene !== step.scene || position < step.position,
    );
    this.done = [...before, step].slice(-MAX_STEPS);
  }

  private mark(scene: string, position: number, undone: boolean): EditorStep | undefined {
    const found = this.done.find((step) => step.scene === scene && step.position === position);
    if (found === undefined) return undefined;
    const marked = { ...found, undone };
    this.done = this.done.map((step) => (step === found ? marked : step));
    return marked;
  }
}

interface Step {
  readonly before: FileContent;
  readonly after: FileContent;
}

interface Done {
  readonly result: Position;
}

interface CommittedFile extends Step {
  readonly label: string;
  readonly entry: number | undefined;
}

type Position = Pick<ResultOf<"scene.edit">, "hadUnsaved" | "position" | "step">;

/** The operation that undoes or redoes one in the editor's history. */
const BACK: { readonly [O in EditOperation]?: "scene.undo" | "scene.redo" } = {
  "scene.edit": "scene.undo",
  "scene.undo": "scene.redo",
  "scene.redo": "scene.undo",
};

/** How many contents of a scene are kept for checking undo and redo. */
const MAX_STEPS = 20;

function isSameContent(one: FileContent, other: FileContent): boolean {
  return one !== null && other !== null && Buffer.from(one).equals(Buffer.from(other));
}

/** A lost connection or missing answer: the editor may have done it anyway, unless the failure says otherwise. */
function isSilence({ code, details }: Failure<GodotCode>): boolean {
  if (details?.outcome === "not done") return false;
  return code === "E_NOT_CONNECTED" || (code === "E_TIMEOUT" && details?.aborted !== true);
}
