import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { failed, type Outcome, ok, parseJson } from "@toolpact/outcome";
import { type Figures, type PricingFile, pricesFrom, type RateLimitFile } from "./figures.ts";
import { printTable } from "./print-table.ts";
import { readSpec } from "./read-spec.ts";
import { specData } from "./spec-data.ts";

/** X's specification without its prose. */
export const specDataFile: string = join(import.meta.dirname, "../../data/x-openapi.gen.json");

export async function generatedTable(): Promise<string> {
  const text = await readFile(specDataFile, "utf8");
  const { "x-figures": figures }: { "x-figures": Figures } = JSON.parse(text);
  const spec = readSpec(text, figures);
  if (!spec.ok) throw new Error(`${specDataFile}: ${spec.failure}`);
  return printTable(spec.value, pricesFrom(figures.pricing));
}

/** Rewrites the data from X's OpenAPI document (not in the repository), `x-rate-limits.json` and `x-pricing.json`. */
export async function updateSpecData(
  openApiFile: string,
  outFile = specDataFile,
): Promise<Outcome<string, string>> {
  const folder = dirname(openApiFile);
  const text = await read(openApiFile);
  if (!text.ok) return text;
  const limits = await readJson<RateLimitFile>(join(folder, "x-rate-limits.json"), "limits");
  if (!limits.ok) return limits;
  const pricing = await readJson<PricingFile>(join(folder, "x-pricing.json"), "read_per_resource");
  if (!pricing.ok) return pricing;
  const figures: Figures = { limits: limits.value.limits, pricing: pricing.value };
  // The table must be able to describe it.
  const spec = readSpec(text.value, figures);
  if (!spec.ok) return failed(`${openApiFile}: ${spec.failure}`);
  await writeFile(outFile, specData(text.value, figures));
  return ok(outFile);
}

async function read(file: string): Promise<Outcome<string, string>> {
  return readFile(file, "utf8").then(
    (text) => ok(text),
    () => failed(`cannot read ${file}: name a file that exists and can be read`),
  );
}

/** `key` identifies the right file. */
async function readJson<T>(file: string, key: keyof T & string): Promise<Outcome<T, string>> {
  const text = await read(file);
  if (!text.ok) return text;
  const json = parseJson(text.value);
  if (typeof json === "object" && json !== null && key in json) return ok(json as T);
  return failed(`${file} is not the file expected here: it has no "${key}"`);
}
