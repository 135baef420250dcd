import { type FSWatcher, readdirSync, watch } from "node:fs";
import path from "node:path";
import type { Clock } from "@toolpact/contract";
import type { ConnectedEditor } from "../drivers/editor/bridge.ts";
import type { Games } from "../game/games.ts";

/** Addresses of resources that change while users and games work. */
export const LIVE = {
  selection: "godot://selection",
  errors: "godot://errors",
  output: "godot://output",
} as const;

/** The address of a scene's tree; its path is one segment of the address, with slashes written as `%2F`. */
function sceneAddress(res: string): string {
  return `godot://scene/${encodeURIComponent(res.slice("res://".length))}`;
}

export interface LiveOptions {
  readonly root: string;
  readonly games: Games;
  readonly clock: Clock;
  readonly isTrusted: () => boolean;
}

/** How long several changes of one resource are collected. */
const TELL_AFTER_MS = 100;
const LOOK_MS = 250;
/** The maximum of watched folders: the operating system has a limit, and other programs need it too. */
const MAX_FOLDERS = 4_000;

/**
 * Reports changed resources: scenes on the disk, by any program, and in the editor's memory; selection
 * and log from the editor; output and errors from the games. Nothing is watched before the first subscription.
 */
export class Live {
  private readonly options: LiveOptions;
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly changed = new Set<string>();
  private onChange: ((uri: string) => void) | undefined;
  private cancelTelling: (() => void) | undefined;
  private cancelLooking = () => {};
  private seen = "";

  constructor(options: LiveOptions) {
    this.options = options;
  }

  watch(onChange: (uri: string) => void): void {
    if (this.onChange !== undefined) return;
    this.onChange = onChange;
    this.watchFolder(this.options.root);
    this.seen = this.gamesNow();
    this.lookAtGames();
  }

  attach(editor: ConnectedEditor): void {
    if (editor.project !== this.options.root) return;
    this.tellOfEditor();
    editor.onClose(() => this.tellOfEditor());
    editor.onChange((what) => {
      if (!this.options.isTrusted()) return;
      if (what.has("selection")) this.tell(LIVE.selection);
      if (what.has("log")) this.tellOfEditor("log");
      for (const name of what) if (name.startsWith("res://")) this.tell(sceneAddress(name));
    });
  }

  close(): void {
    this.onChange = undefined;
    this.cancelTelling?.();
    this.cancelLooking();
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private tellOfEditor(what: "log" | "all" = "all"): void {
    if (what === "all") this.tell(LIVE.selection);
    this.tell(LIVE.errors);
    this.tell(LIVE.output);
  }

  private tell(uri: string): void {
    if (this.onChange === undefined) return;
    this.changed.add(uri);
    this.cancelTelling ??= this.options.clock.after(TELL_AFTER_MS, () => {
      this.cancelTelling = undefined;
      const uris = [...this.changed];
      this.changed.clear();
      for (const one of uris) this.onChange?.(one);
    });
  }

  /** Folders that Godot ignores have no scenes; links are not followed. */
  private watchFolder(folder: string): void {
    if (this.watchers.has(folder) || this.watchers.size >= MAX_FOLDERS) return;
    try {
      const entries = readdirSync(folder, { withFileTypes: true });
      if (entries.some((entry) => entry.name === ".gdignore")) return;
      const watcher = watch(folder, { persistent: false }, (_event, name) => this.saw(folder, name));
      watcher.on("error", () => this.forget(folder));
      this.watchers.set(folder, watcher);
      for (const entry of entries)
        if (entry.isDirectory() && !entry.name.startsWith("."))
          this.watchFolder(path.join(folder, entry.name));
    } catch {
      // The folder is gone, or the system watches no more folders.
      this.forget(folder);
    }
  }

  private saw(folder: string, name: string | null): void {
    if (name === null || name.startsWith(".")) return;
    const place = path.join(folder, name);
    if (/\.t?scn$/.test(name)) {
      const relative = path.relative(this.options.root, place).split(path.sep).join("/");
      this.tell(sceneAddress(`res://${relative}`));
    } else if (!path.extname(name)) this.watchFolder(place);
  }

  private forget(folder: string): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
  }

  private lookAtGames(): void {
    this.cancelLooking = this.options.clock.after(LOOK_MS, () => {
      const now = this.gamesNow();
      if (now !== this.seen) this.tellOfEditor("log");
      this.seen = now;
      this.lookAtGames();
    });
  }

  private gamesNow(): string {
    return this.options.games
      .all()
      .map(({ id, game }) => {
        const { state, lines, errors } = game.status();
        return `${id} ${state} ${lines} ${errors}`;
      })
      .join();
  }
}
