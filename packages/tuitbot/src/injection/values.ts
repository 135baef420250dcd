import { parsePost } from "@toolpact/x-api";
import { fold } from "./fold.ts";

export type ValueKind = (typeof PATTERNS)[number][0] | "handle" | "tag";

/** For the model that wrote the text. */
export const MEANS: Readonly<Record<ValueKind, string>> = {
  link: "has a link that nobody asked for",
  handle: "has a handle that nobody asked for",
  tag: "has a tag that nobody asked for",
  "e-mail address": "has an e-mail address or a number to call",
  "long number": "has an e-mail address or a number to call",
  "wallet address": "has the address of a wallet",
  "amount of money": "names an amount of money",
  code: "has a code",
  "encoded text": "has an encoded text",
};

export interface Value {
  readonly kind: ValueKind;
  /** Folded. */
  readonly value: string;
}

/** They lead somewhere, are worth something or open something, in any language. */
export function valuesIn(text: string): readonly Value[] {
  const folded = fold(text);
  const { urls, mentions, hashtags, cashtags } = parsePost(folded);
  const found: Value[] = [
    ...urls.map(({ url }) => ({ kind: "link" as const, value: bareLink(url) })),
    ...mentions.map(({ handle }) => ({ kind: "handle" as const, value: `@${handle}` })),
    ...(folded.match(UNDERSCORED) ?? []).map((name) => ({ kind: "handle" as const, value: name })),
    ...hashtags.map(({ tag }) => ({ kind: "tag" as const, value: `#${tag}` })),
    ...cashtags.map(({ symbol }) => ({ kind: "tag" as const, value: `$${symbol}` })),
  ];
  // Codes are recognized by capitals.
  const cased = text.normalize("NFKC").replace(/\p{Nd}/gu, fold);
  for (const [kind, pattern] of PATTERNS)
    for (const [value] of (kind === "code" ? cased : folded).matchAll(pattern))
      found.push({ kind, value: kind === "link" ? bareLink(value) : value.trim().toLowerCase() });
  return found;
}

function bareLink(link: string): string {
  return link.replace(/^h(?:tt|xx)ps?:\/\//, "").replace(/[/.,!?)]+$/, "");
}

/** Without its sign. */
const UNDERSCORED = /(?<![\p{L}\p{N}_@#/.])[a-z0-9]+(?:_[a-z0-9]+)+(?![\p{L}\p{N}_@/])/gu;

/** Spelled-out full stops in addresses. */
const DOT =
  "(?:\\[\\.\\]|\\(\\.\\)|\\[dot\\]|\\(dot\\)|\\s(?:dot|punkt|punto|point|ponto|punt|точка|kropka|nokta|ドット|点|نقطة)\\s)";
const CURRENCY =
  "(?:\\p{Sc}|r\\$|usd|eur|gbp|chf|btc|eth|sol|usdt|dollars?|dólar(?:es)?|dollari|euros?|bitcoins?|reais|pesos?|[万千億]?円|元|원|دولارا?|يورو|ريال|درهم|руб(?:лей|ля)?)";

const PATTERNS = [
  ["e-mail address", /(?<![\p{L}\p{N}.+_-])[\p{L}\p{N}.+_-]+@[\p{L}\p{N}-]+\.\p{L}+/gu],
  [
    "link",
    new RegExp(
      [
        "h(?:tt|xx)ps?:\\/\\/\\S+",
        "(?<![\\p{L}\\p{N}])www\\.\\S+",
        `(?<![\\p{L}\\p{N}-])[\\p{L}\\p{N}-]{2,}\\s?${DOT}\\s?[a-z]{2,}(?![\\p{L}])`,
        "(?<![\\p{L}\\p{N}@.-])[\\p{L}\\p{N}-]{2,}(?:\\.[\\p{L}\\p{N}-]+)*\\.[a-z]{2,}(?![\\p{L}\\p{N}])(?:\\/\\S*)?",
      ].join("|"),
      "gu",
    ),
  ],
  ["wallet address", /(?<![\p{L}\p{N}])(?:0x[0-9a-f]{8,}|(?:bc1|[13])[a-z0-9]{25,})(?![\p{L}\p{N}])/gu],
  [
    "amount of money",
    new RegExp(
      `${CURRENCY}\\s?\\d(?:[.,]?\\d)*(?:\\s?(?:k|m|bn|thousand|million|billion)\\b)?|(?<![\\d.,])\\d[\\d.,]*\\s?${CURRENCY}(?!\\p{Script=Latin})`,
      "gu",
    ),
  ],
  ["long number", /(?<![\p{L}\d])\+?\d(?:[ ().-]{0,2}\d){6,}/gu],
  ["code", /(?<![\p{L}\p{N}-])(?=[\p{Lu}-]*\d)(?=[\d-]*\p{Lu}{2})[\p{Lu}\d-]{4,}(?![\p{L}\p{N}])/gu],
  [
    "encoded text",
    /(?<![\p{L}\p{N}/.@+])(?=[a-z+/]*\d)[a-z0-9+/]{20,}={0,2}(?![\p{L}\p{N}./])|(?:\\x[0-9a-f]{2}){3}|(?<!\d)(?:[01]{8} ?){2,}/gu,
  ],
] as const satisfies readonly (readonly [string, RegExp])[];
