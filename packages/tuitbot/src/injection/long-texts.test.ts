import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { configSchema } from "../config/schema.ts";
import { looksLikeInstructions } from "./instructions.ts";
import { findInjection } from "./judge.ts";

/** X's maximum. */
const LENGTH = 25_000;

const REPEATED = [
  ...[" ", "\t", "\n", "!", ".", "/", "0", "A", "a", "é", "字", "🙂", "[", "(", "“a", '"', "'", "``"],
  ...[": ", "a:", "[a](", "<a", "-(", "$1", "_a", "@a ", "#a ", "https://a.b/", "a.b.", "1,000 "],
  ...["free ", "reply with ", "ignore all previous "],
];
const AROUND = [
  ["", ""],
  [":", "x?"],
  ["x", "x"],
  ["“", "”"],
] as const;

test.each(REPEATED)(
  "a post or reply of 25,000 characters made of %j does not block the server",
  (part) => {
    const own = "We bake bread.";
    const { business } = configSchema.parse({});
    for (const [before, after] of AROUND) {
      const long = before + part.repeat(LENGTH / part.length) + after;
      const read = () => [
        findInjection("Thank you, come back soon!", { post: long, own, business }),
        findInjection(long, { post: "Why is my bread flat?", own, business }),
        looksLikeInstructions(long),
      ];
      // Only another context can interrupt a regular expression.
      expect(() => runInNewContext("read()", { read }, { timeout: 60_000 })).not.toThrow();
    }
  },
  300_000,
);
