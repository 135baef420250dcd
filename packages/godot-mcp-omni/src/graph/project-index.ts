import { readdirSync } from "node:fs";
import { sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { inSlices, type Steps } from "../formats/document.ts";
import type { FileFacts } from "./file-facts.ts";
import { linking, type ProjectGraph } from "./project-graph.ts";
import { type FileState, isRead, readingFile, stateOf } from "./read-file.ts";

interface Entry {
  readonly state: FileState;
  readonly facts: FileFacts;
}

/** Games have fewer files; a folder chosen by mistake may have more. */
const MAX_FILES = 200_000;

/**
 * The declarations and references in the files of a project, read without Godot. Kept in memory: a call reads only
 * files that changed since the previous one. It follows no links, and leaves out files that Godot ignores.
 */
export class ProjectIndex {
  private readonly root: string;
  private readonly now: () => number;
  private entries: ReadonlyMap<string, Entry> = new Map();
  private graph: ProjectGraph | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(root: string, now: () => number = Date.now) {
    this.root = root;
    this.now = now;
  }

  /** Works on the current project in steps, one work after the other: none sees half of a change. */
  use<T>(work: (graph: ProjectGraph) => Steps<T>): Promise<T> {
    const done = this.turn.then(async () => {
      const graph = await inSlices(this.refreshing());
      return inSlices(work(graph));
    });
    this.turn = done.catch(() => undefined).then(() => setImmediate());
    return done;
  }

  private *refreshing(): Steps<ProjectGraph> {
    const entries = new Map<string, Entry>();
    let isSame = true;
    let isCut = false;
    for (const { path, absolute } of this.listing(this.root, "res://")) {
      if (entries.size >= MAX_FILES) {
        isCut = true;
        break;
      }
      if (entries.size % 200 === 0) yield;
      const known = this.entries.get(path);
      const state = stateOf(absolute, known?.state, this.now);
      if (state === undefined) continue;
      if (known !== undefined && known.state === state) {
        entries.set(path, known);
        continue;
      }
      isSame = false;
      yield;
      const facts = yield* readingFile(path, absolute, state.bytes);
      entries.set(path, { state, facts });
      if (isRead(path)) yield;
    }
    if (isSame && entries.size === this.entries.size && this.graph !== undefined) return this.graph;
    const files = new Map<string, FileFacts>();
    for (const [path, { facts }] of entries) files.set(path, facts);
    this.entries = entries;
    this.graph = yield* linking({ root: this.root, files, isCut }, this.graph);
    return this.graph;
  }

  private *listing(folder: string, res: string): Generator<{ path: string; absolute: string }> {
    const waiting = [{ folder, res }];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const { folder, res } = at;
      const entries = read(folder);
      if (entries.some((entry) => entry.name === ".gdignore")) continue;
      const folders: { folder: string; res: string }[] = [];
      for (const entry of entries) {
        if (entry.name.startsWith(".")) continue;
        const absolute = `${folder}${sep}${entry.name}`;
        // Links are not followed: their targets are listed in place, or are outside the project.
        if (entry.isDirectory()) folders.push({ folder: absolute, res: `${res}${entry.name}/` });
        else if (entry.isFile()) yield { path: res + entry.name, absolute };
      }
      waiting.push(...folders.reverse());
    }
  }
}

function read(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // A folder that disappeared or cannot be read counts as empty.
    return [];
  }
}
