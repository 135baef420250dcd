import { once } from "@toolpact/contract";
import { baseOf, basePath, classNameOf } from "../formats/script-outline.ts";
import { loadClassTable } from "../godot/class-table.ts";
import type { Project } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";

/** Reads the scripts that a test script extends. */
export class BaseScripts {
  private readonly project: Project;
  /** Read from the scripts themselves, because Godot's own list is missing or old until it has scanned the project. */
  private readonly classNames = once(() => this.readClassNames());

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
    const base = baseOf(source) ?? "RefCounted";
    const path = basePath(base, res);
    if (path === undefined) {
      if ((await loadClassTable()).has(base)) return undefined;
      return (await this.classNames()).get(base);
    }
    const place = await this.project.resolve(path);
    return place.ok ? place.value : undefined;
  }

  private async readClassNames(): Promise<ReadonlyMap<string, ProjectPath>> {
    const found = new Map<string, ProjectPath>();
    const start = await this.project.resolve("res://");
    if (!start.ok) return found;
    for await (const file of this.project.files(start.value)) {
      if (!file.res.endsWith(".gd")) continue;
      const read = await this.project.textAt(file);
      const name = read.ok ? classNameOf(read.value.text) : undefined;
      if (name !== undefined) found.set(name, file);
    }
    return found;
  }
}
