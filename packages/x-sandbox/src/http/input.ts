import { isObject } from "../json.ts";

export type ParamValue = string | number | boolean | readonly string[];

export class Input {
  readonly #params: ReadonlyMap<string, ParamValue>;
  readonly body: Fields;
  /** Counted and hashed. */
  readonly files: ReadonlyMap<string, UploadedPart>;

  constructor(
    params: ReadonlyMap<string, ParamValue>,
    body: Fields = new Fields({}),
    files: ReadonlyMap<string, UploadedPart> = new Map(),
  ) {
    this.#params = params;
    this.body = body;
    this.files = files;
  }

  has(name: string): boolean {
    return this.#params.has(name);
  }

  text(name: string): string {
    return this.optionalText(name) ?? "";
  }

  optionalText(name: string): string | undefined {
    const value = this.#params.get(name);
    return typeof value === "string" ? value : undefined;
  }

  number(name: string, otherwise: number): number {
    const value = this.#params.get(name);
    return typeof value === "number" ? value : otherwise;
  }

  flag(name: string): boolean {
    return this.#params.get(name) === true;
  }

  list(name: string): readonly string[] {
    const value = this.#params.get(name);
    return Array.isArray(value) ? value : none;
  }
}

export class Fields {
  readonly value: Readonly<Record<string, unknown>>;

  constructor(value: Readonly<Record<string, unknown>>) {
    this.value = value;
  }

  text(name: string): string | undefined {
    const value = this.value[name];
    return typeof value === "string" ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = this.value[name];
    return typeof value === "number" ? value : undefined;
  }

  flag(name: string): boolean | undefined {
    const value = this.value[name];
    return typeof value === "boolean" ? value : undefined;
  }

  texts(name: string): readonly string[] | undefined {
    const value = this.value[name];
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
  }

  object(name: string): Fields | undefined {
    const value = this.value[name];
    return isObject(value) ? new Fields(value) : undefined;
  }

  objects(name: string): readonly Fields[] {
    const value = this.value[name];
    return Array.isArray(value) ? value.filter(isObject).map((item) => new Fields(item)) : [];
  }
}

/** The rest of the file is discarded. */
export interface UploadedPart {
  readonly bytes: number;
  readonly sha256: string;
  /** Enough to detect the type. */
  readonly head: Uint8Array;
}

const none: readonly string[] = [];
