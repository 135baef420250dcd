import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { type PricingFile, pricesFrom, type RateLimitFile } from "./figures.ts";
import { printTable } from "./print-table.ts";
import { readSpec } from "./read-spec.ts";

export interface GenerateOptions {
  /** X's OpenAPI document. */
  readonly openApiFile: string;
  /** Published rate limits; `x-rate-limits.json` beside the document unless named. */
  readonly rateLimitsFile?: string;
  /** Published prices; `x-pricing.json` beside the document unless named. */
  readonly pricingFile?: string;
  /** The committed table unless named. */
  readonly outFile?: string;
}

export interface Generated {
  readonly file: string;
  readonly operations: number;
  readonly specVersion: string;
  readonly specHash: string;
  readonly changed: boolean;
}

/** Write the operation table from X's OpenAPI document and the figures beside it. */
export async function generate(options: GenerateOptions): Promise<Outcome<Generated, string>> {
  const folder = dirname(options.openApiFile);
  const outFile = options.outFile ?? join(import.meta.dirname, "table.gen.ts");
  const text = await tableText(
    options.openApiFile,
    options.rateLimitsFile ?? join(folder, "x-rate-limits.json"),
    options.pricingFile ?? join(folder, "x-pricing.json"),
  );
  if (!text.ok) return text;
  const before = await readFile(outFile, "utf8").catch(() => undefined);
  const changed = before !== text.value.text;
  if (changed) await writeFile(outFile, text.value.text);
  const { specVersion, specHash, operations } = text.value;
  return ok({ file: outFile, operations, specVersion, specHash, changed });
}

interface TableText {
  readonly text: string;
  readonly operations: number;
  readonly specVersion: string;
  readonly specHash: string;
}

async function tableText(
  openApiFile: string,
  rateLimitsFile: string,
  pricingFile: string,
): Promise<Outcome<TableText, string>> {
  const spec = await read(openApiFile);
  if (!spec.ok) return spec;
  const limits = await readJson<RateLimitFile>(rateLimitsFile, "limits");
  if (!limits.ok) return limits;
  const pricing = await readJson<PricingFile>(pricingFile, "read_per_resource");
  if (!pricing.ok) return pricing;

  const table = readSpec(spec.value, { limits: limits.value, pricing: pricing.value });
  if (!table.ok) return failed(`${openApiFile}: ${table.failure}`);
  return ok({
    text: printTable(table.value, pricesFrom(pricing.value)),
    operations: table.value.operations.length,
    specVersion: table.value.version,
    specHash: table.value.hash,
  });
}

async function read(file: string): Promise<Outcome<string, string>> {
  return readFile(file, "utf8").then(
    (text) => ok(text),
    () => failed(`cannot read ${file}: name a file that exists and can be read`),
  );
}

/** `key` is the property that tells the right file from any other JSON. */
async function readJson<T>(file: string, key: keyof T & string): Promise<Outcome<T, string>> {
  const text = await read(file);
  if (!text.ok) return text;
  try {
    const json: unknown = JSON.parse(text.value);
    if (typeof json === "object" && json !== null && key in json)
      // The figures are kept in this repository's own format; `key` says that it is the file we mean.
      return ok(json as T);
  } catch {
    // Falls through to the same answer: the file is not the one we need.
  }
  return failed(`${file} is not the file expected here: it has no "${key}"`);
}
