import { canonicalJson, type Json, type JsonObject } from "../../json.ts";
import type { Micros } from "../money.ts";

/** A call, as learned rules see it: without texts of others, which could talk a rule into covering it. */
export interface CallFacts {
  readonly scope: string;
  /** Empty if unknown; no rule covers that. */
  readonly caller: string;
  readonly tool: string;
  readonly effect: string;
  /** Names with kinds, sorted. */
  readonly argumentKinds: readonly string[];
  /** The kind of target: a relation to the account, a folder, or a host. */
  readonly target: string;
  /** Such as `thank-you`; empty for no particular kind. */
  readonly manner: string;
  readonly micros: Micros;
  readonly length: number;
  /** 0 if there is none. */
  readonly amount: number;
  /** Reasons that a person must decide, whatever was approved before. */
  readonly fences: readonly Fence[];
}

/** Properties that no learned rule allows. */
export const FENCES = ["hard_rule", "injection", "link", "file", "stranger", "several_people"] as const;
export type Fence = (typeof FENCES)[number];

/** Groups calls of one kind, at a similar price and text length. Fenced calls form separate groups. */
export function groupKey(facts: CallFacts): string {
  const { scope, caller, tool, effect, argumentKinds, target, manner, fences } = facts;
  const bands = [bandOf(facts.length, LENGTH_BANDS), priceBand(facts.micros)];
  return canonicalJson([
    scope,
    caller,
    tool,
    effect,
    [...argumentKinds],
    target,
    manner,
    bands,
    fences.toSorted(),
  ]);
}

const LENGTH_BANDS = [0, 140, 280, 1_000, 10_000];

function bandOf(value: number, bands: readonly number[]): number {
  return bands.filter((border) => value > border).length;
}

/** Prices within a factor of two are similar. */
function priceBand(micros: Micros): number {
  return micros <= 0 ? 0 : 1 + Math.floor(Math.log2(micros));
}

export function argumentKinds(args: JsonObject): readonly string[] {
  return Object.entries(args)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}:${kindOf(value)}`]))
    .toSorted();
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return "list";
  return value === null ? "null" : typeof value;
}

/** Every text in the arguments, however deep, except ids of digits. */
export function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return /^\d*$/.test(value) ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** In any currency; 0 if the text names no amount. */
export function largestAmount(text: string): number {
  const amounts = [...text.matchAll(AMOUNT)].map(({ groups }) => {
    const digits = groups?.after ?? groups?.before ?? "";
    const number = plainNumber(digits);
    const factor = FACTORS[(groups?.factor ?? groups?.scale ?? "").toLowerCase()] ?? 1;
    return number * factor;
  });
  return Math.max(0, ...amounts);
}

const AMOUNT =
  /(?:[$€£¥₿]|\b(?:USD|EUR|GBP|CHF|JPY|BTC|ETH)\b)\s*(?<after>\d[\d.,' ]{0,100})(?<factor>k|m|bn)?|(?<before>\d[\d.,']{0,100})(?<scale>k|m|bn)?\s*(?:[$€£¥₿]|(?:USD|EUR|GBP|CHF|JPY|BTC|ETH|dollars?|euros?|pounds?)\b)/giu;

const FACTORS: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000, bn: 1_000_000_000 };

/** Reads `1,000.50`, `1.000,50` and `1'000`. An ambiguous group of three digits counts as thousands. */
function plainNumber(digits: string): number {
  const [, whole = digits, cents = ""] = /^(.*?)(?:[.,](\d{1,2}))?\D*$/.exec(digits) ?? [];
  return Number(`${whole.replace(/\D/g, "") || "0"}.${cents || "0"}`);
}
