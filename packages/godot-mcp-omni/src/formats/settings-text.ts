import { ok } from "@toolpact/outcome";
import type { Result } from "../errors.ts";
import {
  type Assignment,
  assignmentOf,
  type Document,
  type Part,
  parseDocument,
  withValue,
  writeDocument,
} from "./document.ts";

/** A file of `[sections]` with `key=value` lines, such as `project.godot`, changed line by line. */
export class SettingsText {
  private parts: Part[];
  private readonly eol: Document["eol"];

  private constructor({ parts, eol }: Document) {
    this.parts = [...parts];
    this.eol = eol;
  }

  static parse(text: string): Result<SettingsText, "E_UNSUPPORTED"> {
    const document = parseDocument(text, "names");
    return document.ok ? ok(new SettingsText(document.value)) : document;
  }

  write(): string {
    return writeDocument({ parts: this.parts, eol: this.eol });
  }

  /** The text of `section/key`. The key may contain slashes. */
  get(name: string): string | undefined {
    return this.find(name)?.value;
  }

  entries(): [name: string, value: string][] {
    const entries: [string, string][] = [];
    let section = "";
    for (const part of this.parts) {
      if (part.kind === "heading") section = part.tag;
      else if (part.kind === "assignment")
        entries.push([section === "" ? part.name : `${section}/${part.name}`, part.value]);
    }
    return entries;
  }

  set(name: string, value: string): void {
    const known = this.find(name);
    if (known !== undefined) {
      this.parts[this.parts.indexOf(known)] = withValue(known, value);
      return;
    }
    const { section, key } = split(name);
    const line = assignmentOf(key, "=", value, this.eol);
    const heading = this.parts.findIndex((part) => part.kind === "heading" && part.tag === section);
    if (heading === -1) this.append(section, line);
    else this.parts.splice(this.endOf(heading), 0, line);
  }

  unset(name: string): void {
    const known = this.find(name);
    if (known === undefined) return;
    this.parts = this.parts.filter((part) => part !== known);
    this.dropEmptySection(split(name).section);
  }

  private find(name: string): Assignment | undefined {
    const { section, key } = split(name);
    let at = "";
    for (const part of this.parts) {
      if (part.kind === "heading") at = part.tag;
      else if (part.kind === "assignment" && at === section && part.name === key) return part;
    }
    return undefined;
  }

  /** After the last line of a section; in an empty section after the blank line below its heading. */
  private endOf(heading: number): number {
    let end = heading + 1;
    let last = heading;
    for (; end < this.parts.length && this.parts[end]?.kind !== "heading"; end++)
      if (this.parts[end]?.kind === "assignment") last = end;
    this.closeLine(last);
    return last > heading ? last + 1 : Math.min(heading + 2, end);
  }

  private append(section: string, line: Assignment): void {
    this.closeLine(this.parts.length - 1);
    const blank: Part = { kind: "trivia", text: this.eol };
    const before = this.parts.at(-1);
    if (before !== undefined && !(before.kind === "trivia" && before.text.trim() === ""))
      this.parts.push(blank);
    this.parts.push(
      { kind: "heading", text: `[${section}]${this.eol}`, tag: section, fields: [] },
      blank,
      line,
    );
  }

  /** Godot omits an empty section. One with a comment is kept. */
  private dropEmptySection(section: string): void {
    const heading = this.parts.findIndex((part) => part.kind === "heading" && part.tag === section);
    if (heading === -1) return;
    let end = heading + 1;
    while (end < this.parts.length && this.parts[end]?.kind !== "heading") end++;
    const inside = this.parts.slice(heading + 1, end);
    if (inside.every((part) => part.text.trim() === "")) this.parts.splice(heading, end - heading);
  }

  private closeLine(index: number): void {
    const part = this.parts[index];
    if (part !== undefined && !part.text.endsWith("\n"))
      this.parts[index] = { ...part, text: part.text + this.eol };
  }
}

function split(name: string): { section: string; key: string } {
  const slash = name.indexOf("/");
  return slash === -1
    ? { section: "", key: name }
    : { section: name.slice(0, slash), key: name.slice(slash + 1) };
}
