import { loadClassTable } from "../godot/class-table.ts";
import type { Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";

/** Reads the scripts that a test script extends. */
export class BaseScripts {
  private readonly project: Project;
  private named: Promise<ReadonlyMap<string, ProjectPath>> | undefined;

  constructor(project: Project) {
    this.project = project;
  }

  /** The text of each, nearest first. */
  async of(file: ProjectPath, source: string): Promise<readonly string[]> {
    const sources: string[] = [];
    const seen = new Set([file.res]);
    let base = await this.baseOf(file, source);
    while (base !== undefined && !seen.has(base.res)) {
      seen.add(base.res);
      const read = await this.project.textAt(base);
      if (!read.ok) break;
      sources.push(read.value.text);
      base = await this.baseOf(base, read.value.text);
    }
    return sources;
  }

  /** Undefined where it is a class of the engine, or cannot be found. */
  private async baseOf({ res }: ProjectPath, source: string): Promise<ProjectPath | undefined> {
    const base = EXTENDS.exec(source)?.[1] ?? "RefCounted";
    if (!base.startsWith('"')) {
      if ((await loadClassTable()).has(base)) return undefined;
      this.named ??= this.classNames();
      return (await this.named).get(base);
    }
    const path = base.slice(1, -1);
    const place = await this.project.resolve(
      path.includes("://") ? path : res.slice(0, res.lastIndexOf("/") + 1) + path,
    );
    return place.ok ? place.value : undefined;
  }

  /** Read from the scripts themselves, because Godot's own list is missing or old until it has scanned the project. */
  private async classNames(): Promise<ReadonlyMap<string, ProjectPath>> {
    const found = new Map<string, ProjectPath>();
    const start = await this.project.resolve("res://");
    if (!start.ok) return found;
    for await (const file of this.project.files(start.value)) {
      if (!file.res.endsWith(".gd")) continue;
      const read = await this.project.textAt(file);
      const name = read.ok ? /^class_name\s+(\w+)/m.exec(read.value.text)?.[1] : undefined;
      if (name !== undefined) found.set(name, file);
    }
    return found;
  }
}

/** At the beginning of a line, or after the class's name. */
export const EXTENDS = /^(?:class_name\s+\w+\s+)?extends\s+("[^"]*"|\w+)/m;
