import { createHash, type Hash } from "node:crypto";
import type { UploadedPart } from "../gate/input.ts";

export interface Form {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, UploadedPart>;
}

export type FormFailure = "malformed" | "field_too_long" | "file_too_large";

/**
 * Reads `multipart/form-data` as it arrives. Files are counted and hashed and then forgotten, so a
 * large upload takes no more memory than one piece of it.
 */
export async function readForm(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  maxFileBytes: number,
): Promise<Form | FormFailure> {
  const reader = new FormReader(boundary, maxFileBytes);
  for await (const piece of body) {
    const failure = reader.push(piece);
    if (failure !== undefined) return failure;
  }
  return reader.end();
}

export function boundaryOf(contentType: string): string | undefined {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;.*?boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  return quoted ?? plain;
}

type Stage = "before" | "head" | "content" | "after";

class FormReader {
  readonly #delimiter: Buffer;
  readonly #maxFileBytes: number;
  readonly #fields = new Map<string, string>();
  readonly #files = new Map<string, UploadedPart>();
  #stage: Stage = "before";
  // The first delimiter has no line break of its own in front; giving it one makes all delimiters alike.
  #pending: Buffer = Buffer.from("\r\n");
  #part: OpenPart | undefined;

  constructor(boundary: string, maxFileBytes: number) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#maxFileBytes = maxFileBytes;
  }

  push(piece: Uint8Array): FormFailure | undefined {
    this.#pending = this.#pending.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#pending, piece]);
    for (;;) {
      const before = this.#pending.length;
      const stage = this.#stage;
      const failure = this.#step();
      if (failure !== undefined) return failure;
      if (this.#stage === stage && this.#pending.length === before) return undefined;
    }
  }

  end(): Form | FormFailure {
    return this.#stage === "after" ? { fields: this.#fields, files: this.#files } : "malformed";
  }

  #step(): FormFailure | undefined {
    switch (this.#stage) {
      case "before":
        return this.#skipToDelimiter();
      case "head":
        return this.#readHead();
      case "content":
        return this.#readContent();
      case "after":
        this.#pending = Buffer.alloc(0);
        return undefined;
    }
  }

  #skipToDelimiter(): undefined {
    const at = this.#pending.indexOf(this.#delimiter);
    if (at === -1) this.#pending = this.#pending.subarray(-this.#delimiter.length);
    else this.#passDelimiter(at);
  }

  #passDelimiter(at: number): void {
    this.#pending = this.#pending.subarray(at + this.#delimiter.length);
    this.#stage = "head";
  }

  #readHead(): FormFailure | undefined {
    if (this.#pending.length < 2) return undefined;
    if (this.#pending.subarray(0, 2).toString("latin1") === "--") {
      this.#stage = "after";
      return undefined;
    }
    const end = this.#pending.indexOf("\r\n\r\n");
    if (end === -1) return this.#pending.length > maxHeadBytes ? "malformed" : undefined;
    const head = this.#pending.subarray(0, end).toString("utf8");
    const name = /content-disposition:[^\r\n]*[;\s]name="([^"]*)"/i.exec(head)?.[1];
    if (name === undefined) return "malformed";
    this.#part = new OpenPart(
      name,
      /[;\s]filename\*?=/i.test(head) || /content-type:\s*(?!text\/plain)/i.test(head),
    );
    this.#pending = this.#pending.subarray(end + 4);
    this.#stage = "content";
    return undefined;
  }

  #readContent(): FormFailure | undefined {
    const part = this.#part;
    if (part === undefined) return "malformed";
    const at = this.#pending.indexOf(this.#delimiter);
    const certain = at === -1 ? Math.max(0, this.#pending.length - this.#delimiter.length) : at;
    part.take(this.#pending.subarray(0, certain));
    if (part.bytes > (part.isFile ? this.#maxFileBytes : maxFieldBytes))
      return part.isFile ? "file_too_large" : "field_too_long";
    if (at === -1) {
      this.#pending = this.#pending.subarray(certain);
      return undefined;
    }
    if (part.isFile) this.#files.set(part.name, part.asFile());
    else this.#fields.set(part.name, part.asText());
    this.#passDelimiter(at);
    return undefined;
  }
}

class OpenPart {
  readonly name: string;
  readonly isFile: boolean;
  readonly #hash: Hash | undefined;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  bytes = 0;

  constructor(name: string, isFile: boolean) {
    this.name = name;
    this.isFile = isFile;
    this.#hash = isFile ? createHash("sha256") : undefined;
  }

  take(content: Buffer): void {
    this.bytes += content.length;
    this.#hash?.update(content);
    const room = (this.isFile ? headBytes : maxFieldBytes) - this.#keptBytes;
    if (room <= 0 || content.length === 0) return;
    const kept = Buffer.from(content.subarray(0, room));
    this.#kept.push(kept);
    this.#keptBytes += kept.length;
  }

  asFile(): UploadedPart {
    return { bytes: this.bytes, sha256: this.#hash?.digest("hex") ?? "", head: Buffer.concat(this.#kept) };
  }

  asText(): string {
    return Buffer.concat(this.#kept).toString("utf8");
  }
}

const headBytes = 64;
const maxHeadBytes = 8_192;
const maxFieldBytes = 65_536;
