import { ok } from "@toolpact/outcome";
import type { Result } from "../errors.ts";
import { blocksOf, endOfBlock, endOfParts, isBoundary, startOfBlock } from "./blocks.ts";
import {
  type Assignment,
  assignmentOf,
  finish,
  type Heading,
  headingOf,
  type Part,
  parsingDocument,
  STEP,
  type Steps,
  withField,
  withoutField,
  withValue,
  writeDocument,
} from "./document.ts";
import { quote, unquote } from "./variant.ts";

type Parsed = Result<SceneText, "E_UNSUPPORTED">;

export interface Block {
  heading: Heading;
  body: Part[];
}

/**
 * A scene or resource as blocks that can be changed in place. Blank lines between blocks belong to the block
 * before them; inserting a block and removing it again leaves the file unchanged.
 */
export class SceneText {
  readonly blocks: Block[];
  private readonly lead: readonly Part[];
  private readonly eol: string;
  /** The blocks of each tag, cached until blocks are added or removed. */
  private byTag: ReadonlyMap<string, readonly Block[]> | undefined;

  private constructor(lead: readonly Part[], blocks: Block[], eol: string) {
    this.lead = lead;
    this.blocks = blocks;
    this.eol = eol;
  }

  static parse(text: string): Parsed {
    return finish(SceneText.parsing(text));
  }

  /** `parse` in steps. Blocks shared with another version of the file are reused. */
  static *parsing(text: string, like?: SceneText): Steps<Parsed> {
    const changed = like && (yield* like.parsingChanges(text));
    if (changed !== undefined) return ok(changed);
    const document = yield* parsingDocument(text, "fields");
    if (!document.ok) return document;
    const { lead, blocks } = yield* blocksOf(document.value.parts);
    return ok(new SceneText(lead, blocks, document.value.eol));
  }

  /** Parses only the differences between this file and a text. Undefined if the whole text must be parsed. */
  private *parsingChanges(text: string): Steps<SceneText | undefined> {
    const { blocks } = this;
    let from = endOfParts(this.lead, text, 0);
    if (from === undefined || !text.startsWith("[", from)) return undefined;
    let first = 0;
    for (; first < blocks.length; first++) {
      if (first % STEP === 0) yield;
      const block = blocks[first];
      const end: number | undefined = block && endOfBlock(block, text, from);
      if (end === undefined || !isBoundary(text, end)) break;
      from = end;
    }
    let to = text.length;
    let last = blocks.length;
    for (; last > first; last--) {
      if (last % STEP === 0) yield;
      const block = blocks[last - 1];
      const start: number | undefined = block && startOfBlock(block, text, to);
      if (start === undefined || start < from || !isBoundary(text, start)) break;
      to = start;
    }
    const between = yield* parsingDocument(text.slice(from, to), "fields");
    if (!between.ok) return undefined;
    const changed = yield* blocksOf(between.value.parts);
    if (changed.lead.length > 0) return undefined;
    const all = [...blocks.slice(0, first), ...changed.blocks, ...blocks.slice(last)];
    return new SceneText(this.lead, all, text.includes("\r\n") ? "\r\n" : "\n");
  }

  /** A new file of this kind, such as `gd_scene format=3`. */
  static empty(heading: string): SceneText {
    return new SceneText([], [{ heading: headingOf(`[${heading}]\n`), body: [] }], "\n");
  }

  write(): string {
    return finish(this.writing());
  }

  *writing(): Steps<string> {
    const texts = [writeDocument({ parts: this.lead, eol: "\n" })];
    for (let from = 0; from < this.blocks.length; from += STEP) {
      yield;
      const parts = this.blocks.slice(from, from + STEP).flatMap(({ heading, body }) => [heading, ...body]);
      texts.push(parts.map((part) => part.text).join(""));
    }
    return texts.join("");
  }

  *cloning(): Steps<SceneText> {
    const blocks: Block[] = [];
    for (const { heading, body } of this.blocks) {
      if (blocks.length % STEP === 0) yield;
      blocks.push({ heading, body: [...body] });
    }
    return new SceneText(this.lead, blocks, this.eol);
  }

  tagged(tag: string): readonly Block[] {
    this.byTag ??= Map.groupBy(this.blocks, (block) => block.heading.tag);
    return this.byTag.get(tag) ?? [];
  }

  /** `gd_scene` or `gd_resource`, first in every such file. */
  get head(): Block | undefined {
    return this.blocks[0];
  }

  /** Inserts a block after `after`, or at the start. Blocks of one kind follow each other without a blank line. */
  insert(
    after: Block | undefined,
    heading: string,
    assignments: readonly (readonly [string, string])[] = [],
  ): Block {
    const block: Block = { heading: headingOf(`[${heading}]${this.eol}`), body: [] };
    for (const [name, value] of assignments) setValue(block, name, value, this.eol);
    this.insertBlock(after, block);
    return block;
  }

  insertBlock(after: Block | undefined, block: Block): void {
    this.insertBlocks(after, [block]);
  }

  /** Inserts blocks one after the other, in one pass over a large scene. */
  insertBlocks(after: Block | undefined, blocks: readonly Block[]): void {
    this.byTag = undefined;
    const index = after === undefined ? 0 : this.blocks.indexOf(after) + 1;
    const rest = this.blocks.splice(index);
    for (const block of blocks) {
      this.join(this.blocks.at(-1), block, rest[0]);
      this.blocks.push(block);
    }
    for (const block of rest) this.blocks.push(block);
  }

  private join(after: Block | undefined, block: Block, next: Block | undefined): void {
    if (after !== undefined) {
      closeLine(after, this.eol);
      const gap = takeGap(after);
      if (!(CLOSE_TOGETHER.has(after.heading.tag) && after.heading.tag === block.heading.tag))
        after.body.push({ kind: "trivia", text: this.eol });
      block.body.push(...gap);
    }
    const apart = !(CLOSE_TOGETHER.has(block.heading.tag) && next?.heading.tag === block.heading.tag);
    if (next !== undefined && apart && !endsInBlankLine(block))
      block.body.push({ kind: "trivia", text: this.eol });
  }

  /** Removes a block. Its comments stay in the file. */
  remove(block: Block): void {
    this.removeAll(new Set([block]));
  }

  /** Removes many blocks in one pass, which matters for a large part of a scene. */
  removeAll(gone: ReadonlySet<Block>): void {
    this.without(gone, ({ body }) =>
      body.filter((part) => part.kind === "trivia" && part.text.includes(";")),
    );
  }

  /** Removes blocks with their comments, to be inserted elsewhere. */
  takeAll(taken: ReadonlySet<Block>): void {
    this.without(taken, () => []);
  }

  private without(gone: ReadonlySet<Block>, left: (block: Block) => readonly Part[]): void {
    this.byTag = undefined;
    const kept: Block[] = [];
    for (const block of this.blocks) {
      const before = kept.at(-1);
      if (!gone.has(block)) {
        kept.push(block);
        continue;
      }
      const parts = left(block);
      const gap = takeGap(block);
      if (before === undefined) continue;
      takeGap(before);
      before.body.push(...parts, ...gap);
    }
    this.blocks.length = kept.length;
    for (const [index, block] of kept.entries()) this.blocks[index] = block;
  }

  set(block: Block, name: string, value: string): void {
    setValue(block, name, value, this.eol);
  }

  unset(block: Block, name: string): void {
    block.body = block.body.filter((part) => !(part.kind === "assignment" && part.name === name));
  }
}

const CLOSE_TOGETHER = new Set(["ext_resource", "connection", "editable"]);

export function valueIn(block: Block, name: string): string | undefined {
  return assignmentsOf(block).find((assignment) => assignment.name === name)?.value;
}

export function assignmentsOf(block: Block): Assignment[] {
  return block.body.filter((part) => part.kind === "assignment");
}

/** A heading's field as written. */
export function rawField(block: Block, name: string): string | undefined {
  return block.heading.fields.find((field) => field.name === name)?.value;
}

/** A heading's text field, without its quotes. */
export function textField(block: Block, name: string): string | undefined {
  const raw = rawField(block, name);
  return raw?.startsWith('"') ? unquote(raw) : raw;
}

export function setField(block: Block, name: string, value: string | undefined): void {
  block.heading =
    value === undefined ? withoutField(block.heading, name) : withField(block.heading, name, value);
}

export function setTextField(block: Block, name: string, value: string): void {
  setField(block, name, quote(value));
}

function setValue(block: Block, name: string, value: string, eol: string): void {
  const at = block.body.findIndex((part) => part.kind === "assignment" && part.name === name);
  const known = block.body[at];
  if (known?.kind === "assignment") {
    block.body[at] = withValue(known, value);
    return;
  }
  closeLine(block, eol);
  const last = block.body.findLastIndex((part) => part.kind === "assignment");
  // Tiles lose their data of a tile set layer if it follows the sources.
  const source = isSource(name)
    ? -1
    : block.body.findIndex((part) => part.kind === "assignment" && isSource(part.name));
  block.body.splice(source === -1 ? last + 1 : source, 0, assignmentOf(name, " = ", value, eol));
}

function isSource(name: string): boolean {
  return name.startsWith("sources/");
}

/** The last line of a file may lack a line ending; any other line needs one. */
function closeLine(block: Block, eol: string): void {
  const last = block.body.at(-1) ?? block.heading;
  if (last.text.endsWith("\n")) return;
  const closed = { ...last, text: last.text + eol };
  if (closed.kind === "heading") block.heading = closed;
  else block.body[block.body.length - 1] = closed;
}

function takeGap(block: Block): Part[] {
  return block.body.splice(block.body.length - gapLength(block));
}

function gapLength({ body }: Block): number {
  return body.length - 1 - body.findLastIndex((part) => part.kind !== "trivia" || part.text.trim() !== "");
}

function endsInBlankLine(block: Block): boolean {
  const last = block.body.at(-1);
  return last?.kind === "trivia" && last.text.trim() === "" && last.text.includes("\n");
}
