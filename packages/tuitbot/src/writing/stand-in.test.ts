import { expect, test } from "vitest";
import { configSchema } from "../config/schema.ts";
import type { Assignment } from "./assignment.ts";
import { textsOf } from "./check.ts";
import { ARCHETYPES, FORMATS, namesOf, STRUCTURES } from "./frameworks.ts";
import { standIn } from "./stand-in.ts";

const common = {
  business: configSchema.parse({}).business,
  instruction: "Any way you like.",
  mentionProduct: false,
};
const rules = { banned: [], access: { plan: "enterprise", isPremium: false } } as const;
const never = new AbortController().signal;

const kinds: readonly (readonly [string, (framework: string, examples: readonly string[]) => Assignment])[] =
  [
    ...namesOf(FORMATS).map((name) => [name, assignTweet] as const),
    ...namesOf(ARCHETYPES).map((name) => [name, assignReply] as const),
    ...namesOf(STRUCTURES).map((name) => [name, assignThread] as const),
  ];

test.each(kinds)(
  "a stand-in that is shown its own best texts repeats none of them: %s",
  async (name, assign) => {
    const writer = standIn();
    const own: string[] = [];
    for (let nth = 0; nth < 40; nth++) {
      const assignment = assign(name, own.slice(-5));
      const written = await writer.write(assignment, never);
      if (!written.ok) throw new Error(written.failure.message);
      const texts = textsOf(written.value, assignment, rules);
      if (!texts.ok) throw new Error(`${written.value.text}: ${texts.failure.words}`);
      own.push(texts.value[0] ?? "");
    }
    expect(new Set(own).size).toBeGreaterThan(1);
  },
);

function assignTweet(framework: string, examples: readonly string[]): Assignment {
  return { ...common, purpose: "tweet", topic: "rye", framework, examples };
}

function assignReply(framework: string, examples: readonly string[]): Assignment {
  const post = { author: "somebody", text: "Crust or crumb?" };
  return { ...common, purpose: "reply", post, ownPosts: [], framework, examples };
}

function assignThread(framework: string, examples: readonly string[]): Assignment {
  return { ...common, purpose: "thread", topic: "rye", size: [4, 8], framework, examples };
}
