import { failed, type Outcome } from "@toolpact/outcome";
import { visible } from "../guards/shown-text.ts";
import { acceptProposal, proposeSimilar } from "./propose-similar.ts";
import { type Decisions, type SimilarRule, suspension } from "./similar-rules.ts";

/** A policy file, and the decisions of its gate. */
interface RulesPlace {
  readonly path: string;
  readonly storage: Decisions;
  readonly now: number;
}

/** Proposals, and rules that a rejection has suspended, for the page of the inbox. */
export async function rulesShown({ path, storage, now }: RulesPlace) {
  const similar = await rulesIn(path);
  const suspended = await Promise.all(similar.map((rule) => suspension(rule, storage)));
  return {
    suspended: similar.flatMap(({ entry, learned }, index) => {
      const rejected = suspended[index];
      return rejected === undefined || learned.expiresAt <= now
        ? []
        : [
            `The rule of item ${entry.item} for ${visible(entry.tool)} lets nothing through since item ${rejected.id} was rejected. Remove it with: toolpact gate rules --off ${entry.item}`,
          ];
    }),
    proposals: (await proposeSimilar(storage, similar, now)).map(({ entry, evidence, lines }) => ({
      item: entry.item,
      when: entry.when,
      does: entry.does,
      lines,
      examples: evidence.map(
        ({ id, args }) => `#${id} ${visible(JSON.stringify(args)).slice(0, MAX_EXAMPLE)}`,
      ),
    })),
  };
}

const MAX_EXAMPLE = 300;

/** Accepts a proposal by a button of the page. Fails with a sentence. */
export async function acceptShown(
  { item, when }: Readonly<Record<string, unknown>>,
  { path, storage, now }: RulesPlace,
): Promise<Outcome<unknown, string>> {
  if (typeof item !== "number" || typeof when !== "string") return failed("A proposal has item and when.");
  const similar = await rulesIn(path);
  return acceptProposal({ entry: { item, when } }, { by: "person via web", now }, { storage, similar, path });
}

async function rulesIn(path: string): Promise<readonly SimilarRule[]> {
  const { loadPolicy } = await import("./policy.ts");
  const policy = await loadPolicy(path, process.env);
  return policy.ok ? policy.value.similar : [];
}
