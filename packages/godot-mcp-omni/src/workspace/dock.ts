import type { Clock, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { showRestored } from "../drivers/ask.ts";
import { commitEdit } from "../drivers/commit/commit-edit.ts";
import type { Drivers } from "../drivers/drivers.ts";
import type { ConnectedEditor } from "../drivers/editor/bridge.ts";
import { errors, type GodotCode, type Result } from "../errors.ts";
import type { EditorStep } from "../operations/driver.ts";
import type { JournalEntry } from "../project/journal-entry.ts";
import { diskFailure, type Project } from "../project/project.ts";
import type { Trust } from "../project/trust.ts";
import { ADDON } from "./addon.ts";

export interface DockOptions {
  readonly project: Project;
  readonly trust: Trust;
  readonly clock: Clock;
  readonly serverVersion: string;
  readonly readOnly: boolean;
  readonly drivers: Drivers;
  readonly onUndone: (undone: DockUndo) => Promise<void>;
}

/** An undo from the dock, for the log. */
export interface DockUndo {
  readonly at: number;
  readonly edit: string;
  /** Why it failed; undefined if it succeeded. */
  readonly code: GodotCode | undefined;
  readonly elapsedMs: number;
}

/** A call as the dock shows it. */
export interface ShownCall {
  readonly line: string;
  readonly client: string | undefined;
  readonly changes: boolean;
}

/** Changes within this time are reported together. */
const TELL_AFTER_MS = 40;
const MAX_EDITS = 12;
const MAX_LINE_LENGTH = 300;

/** Shows the server's activity in the dock of the open editor, and undoes edits that the user picks there. */
export class Dock {
  private readonly options: DockOptions;
  private readonly editors = new Set<ConnectedEditor>();
  private readonly running = new Set<ShownCall>();
  private last: JsonObject | undefined;
  private client: string | undefined;
  private cancel: (() => void) | undefined;

  constructor(options: DockOptions) {
    this.options = options;
  }

  /** Ignores editors of other projects; an addon that does not report its version has no dock. */
  attach(editor: ConnectedEditor): void {
    if (editor.project !== this.options.project.root || editor.addon === undefined) return;
    this.editors.add(editor);
    editor.onClose(() => this.editors.delete(editor));
    editor.onAsk((question) => void this.answer(editor, question));
    this.tellSoon();
  }

  /** Shows a call until the returned function is called, with the failure if there was one. */
  show(call: ShownCall): (failure: string | undefined) => void {
    this.running.add(call);
    if (call.client !== undefined) this.client = call.client;
    this.tellSoon();
    return (failure) => {
      this.running.delete(call);
      const { line, changes } = call;
      const ended = { line: cut(line), changes, at: this.options.clock.now() };
      this.last = failure === undefined ? ended : { ...ended, failure: cut(failure) };
      this.tellSoon();
    };
  }

  close(): void {
    this.cancel?.();
    this.editors.clear();
  }

  private tellSoon(): void {
    if (this.editors.size === 0 || this.cancel !== undefined) return;
    this.cancel = this.options.clock.after(TELL_AFTER_MS, () => {
      this.cancel = undefined;
      for (const editor of this.editors)
        void this.state(editor).then((state) => editor.tell({ dock: state }));
    });
  }

  private async state(editor: ConnectedEditor): Promise<JsonObject> {
    const { serverVersion, trust, readOnly } = this.options;
    const known = { server: serverVersion, trusted: trust.isTrusted, readOnly, pid: process.pid };
    if (!trust.isTrusted) return { ...known, howToTrust: trust.command };
    return {
      ...known,
      client: this.client === undefined ? null : cut(this.client),
      now: [...this.running].map(({ line }) => cut(line)).slice(0, 3),
      last: this.last ?? null,
      edits: await this.edits(editor),
    };
  }

  /** The last edits of the journal and of the editor's own history, the newest first. */
  private async edits(editor: ConnectedEditor): Promise<JsonObject[]> {
    // The next call that needs the journal reports why it cannot be read.
    const entries = await this.options.project.journal.entries(undefined, MAX_EDITS).catch(() => []);
    const stored = new Set(entries.map(({ id }) => id));
    const others = editor.steps().filter(({ entry }) => entry === undefined || !stored.has(entry));
    const rows = [...entries.map(fromJournal), ...others.map(fromEditor)]
      .sort((a, b) => b.at - a.at)
      .slice(0, MAX_EDITS);
    const changedLater = new Set<string>();
    return rows.map(({ files, ...row }) => {
      // The dock would remove itself.
      const isLast =
        !row.undone && !files.some((file) => changedLater.has(file) || file.startsWith(`${ADDON}/`));
      if (!row.undone) for (const file of files) changedLater.add(file);
      const shown = files.slice(0, 5).map(cut);
      return { ...row, label: cut(row.label), files: shown, of: files.length, canUndo: isLast };
    });
  }

  private async answer(editor: ConnectedEditor, { ask = null, undo }: JsonObject): Promise<void> {
    const edit = typeof undo === "string" ? undo : "";
    const at = this.options.clock.now();
    const done = await this.undo(editor, edit);
    const code = done.ok ? undefined : done.failure.code;
    const text = done.ok ? done.value : `${done.failure.message} ${done.failure.suggestedFix ?? ""}`.trim();
    editor.tell({ told: ask, ok: done.ok, text: cut(text) });
    await this.options.onUndone({ at, edit: cut(edit), code, elapsedMs: this.options.clock.now() - at });
    this.tellSoon();
  }

  private async undo(editor: ConnectedEditor, edit: string): Promise<Result<string>> {
    const { trust, readOnly } = this.options;
    const refused = trust.refuseProjectCode();
    if (refused !== undefined) return refused;
    if (readOnly)
      return errors.fail("E_PERMISSION_DENIED", "This server is read-only.", {
        details: { gate: "READ_ONLY" },
      });
    const [kind, number = "", ...scene] = edit.split(":");
    const step = editor
      .steps()
      .find(({ scene: of, position, entry }) =>
        kind === "journal" ? entry === Number(number) : of === scene.join(":") && position === Number(number),
      );
    if (step !== undefined) return this.undoInEditor(editor, step);
    if (kind === "journal") return this.undoInJournal(editor, Number(number));
    return errors.fail("E_NOT_FOUND", "This edit is no longer known.");
  }

  private async undoInJournal(editor: ConnectedEditor, id: number): Promise<Result<string>> {
    const { project } = this.options;
    const undone = await project.step("undo", { id }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === undefined) throw error;
      return diskFailure(error, "A file of this edit", "undo it again to restore the rest");
    });
    if (!undone.ok) return undone;
    await showRestored(editor, undone.value);
    return ok(`Undid "${undone.value.label}".`);
  }

  private async undoInEditor(
    editor: ConnectedEditor,
    { scene, position, step, label }: EditorStep,
  ): Promise<Result<string>> {
    const { project } = this.options;
    const path = await project.resolve(scene);
    if (!path.ok) return path;
    const signal = AbortSignal.timeout(UNDO_MS);
    const undone = await commitEdit({ project, signal }, editor, {
      operation: "scene.undo",
      params: { scene: path.value.res, expected: { position, step } },
      path: path.value,
      label: `undo in ${path.value.res}`,
    });
    return undone.ok ? ok(`Undid "${label}".`) : undone;
  }
}

const UNDO_MS = 30_000;

interface EditRow {
  /** The request of the dock. */
  readonly id: string;
  readonly at: number;
  readonly label: string;
  readonly files: readonly string[];
  readonly undone: boolean;
}

function fromJournal({ id, at, label, files, undone }: JournalEntry): EditRow {
  return { id: `journal:${id}`, at, label, files: files.map(({ path }) => path), undone };
}

function fromEditor({ scene, position, at, label, undone }: EditorStep): EditRow {
  return { id: `editor:${position}:${scene}`, at, label, files: [scene], undone };
}

function cut(text: string): string {
  return text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text;
}
