import { canonicalJson, type Json, type JsonObject } from "../../json.ts";
import type { Micros } from "../money.ts";

/**
 * A call as learned rules see it. Nothing here is text that somebody else wrote, so no text can talk a rule into
 * covering a call.
 */
export interface CallFacts {
  /** The account that the call acts for. */
  readonly scope: string;
  /** The agent that makes it; empty if unknown, and then no rule covers it. */
  readonly caller: string;
  /** The tool with its action. */
  readonly tool: string;
  /** The declared effect. */
  readonly effect: string;
  /** Names of the arguments with their kinds, sorted. */
  readonly argumentKinds: readonly string[];
  /** The kind of target: a relation to the account, a folder, or a host. */
  readonly target: string;
  /** The kind of text, such as `thank-you`; empty if it is of no particular kind. */
  readonly manner: string;
  readonly micros: Micros;
  /** Characters of the texts. */
  readonly length: number;
  /** The largest amount of money in the arguments; 0 if there is none. */
  readonly amount: number;
  /** Reasons why a person decides about the call, whatever was approved before. */
  readonly fences: readonly Fence[];
}

/** Properties that no learned rule allows. */
export const FENCES = ["hard_rule", "injection", "link", "file", "stranger", "several_people"] as const;
export type Fence = (typeof FENCES)[number];

/**
 * Identifies calls of the same kind, at a similar price and with texts of a similar length. Calls that a rule may not let
 * through form separate groups.
 */
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

/** The names and kinds of arguments, without their values. */
export function argumentKinds(args: JsonObject): readonly string[] {
  return Object.entries(args)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}:${kindOf(value)}`]))
    .toSorted();
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return "list";
  return value === null ? "null" : typeof value;
}

/** Every text in the arguments, however deep. Ids, which are digits, are none. */
export function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return /^\d*$/.test(value) ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The largest amount of money that a text names, in any currency; 0 if it names none. */
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

/** Reads `1,000.50`, `1.000,50` and `1'000`. An unclear group of three digits counts as thousands, the larger amount. */
function plainNumber(digits: string): number {
  const [, whole = digits, cents = ""] = /^(.*?)(?:[.,](\d{1,2}))?\D*$/.exec(digits) ?? [];
  return Number(`${whole.replace(/\D/g, "") || "0"}.${cents || "0"}`);
}
