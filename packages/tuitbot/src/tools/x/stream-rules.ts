import * as z from "zod";
import type { TuitbotTool } from "../../guards/call/tool-facts.ts";
import { ruleIds } from "../../x/ids.ts";
import { listIn, numberIn, objectIn, textIn } from "../../x/shapes/x-object.ts";
import { cleanText } from "../../x/untrusted.ts";
import { pagination_token } from "../params.ts";
import { xApp } from "./x-app.ts";

const rule = z.object({ id: z.string(), value: z.string(), tag: z.string().optional() });

/** Which posts X's filtered stream delivers to the app. */
export const streamRuleTools: readonly TuitbotTool[] = [
  xApp({
    name: "x_v2_stream_rules_list",
    title: "List stream rules",
    description: "List the rules by which X's filtered stream picks posts for the app.",
    effect: "none",
    operation: "getRules",
    params: {
      max_results: z.int().min(1).max(1000).default(20).describe("Page size"),
      pagination_token,
    },
    place: (query) => ({ query }),
    output: z.object({ rules: z.array(rule) }),
    answer: ({ data }) => ({ rules: rulesIn(data) }),
  }),
  xApp({
    name: "x_v2_stream_rules_add",
    title: "Add a stream rule",
    description:
      "Add a rule, so that the filtered stream delivers posts that match it. A rule that exists stays as it is. Undo with x_v2_stream_rules_delete.",
    effect: "create",
    operation: "updateRules",
    facts: {
      undo: (_, result) => {
        const ids = listIn(result, "rules").map((one) => textIn(objectIn(one), "id") ?? "");
        return ids.length === 0 ? undefined : { params: { rule_ids: ids.join(",") } };
      },
    },
    params: {
      value: z.string().min(1).max(2048).describe("A query such as #rust lang:en -is:retweet"),
      tag: z.string().max(512).optional().describe("A label of your own, such as rust posts"),
    },
    place: (rule) => ({ body: { add: [rule] } }),
    output: z.object({ created: z.number(), rules: z.array(rule) }),
    answer: ({ data, meta }) => ({ created: counted(meta, "created"), rules: rulesIn(data) }),
  }),
  xApp({
    name: "x_v2_stream_rules_delete",
    title: "Delete stream rules",
    description: "Delete rules of the filtered stream by their ids, which x_v2_stream_rules_list shows.",
    effect: "delete",
    operation: "updateRules",
    facts: { undo: () => undefined },
    params: {
      rule_ids: ruleIds.describe("Rule ids, comma-separated: 1165037377523306497,1165037377523306498"),
    },
    place: ({ rule_ids }) => ({ body: { delete: { ids: rule_ids } } }),
    output: z.object({ deleted: z.number(), rule_ids: z.array(z.string()) }),
    answer: ({ meta }, { rule_ids }) => ({ deleted: counted(meta, "deleted"), rule_ids }),
  }),
];

function rulesIn(data: unknown): z.input<typeof rule>[] {
  return (Array.isArray(data) ? data : []).map((row) => {
    const one = objectIn(row);
    const tag = textIn(one, "tag");
    return {
      id: textIn(one, "id") ?? "",
      value: cleanText(textIn(one, "value") ?? ""),
      ...(tag !== undefined && { tag: cleanText(tag) }),
    };
  });
}

function counted(meta: Readonly<Record<string, unknown>>, what: "created" | "deleted"): number {
  return numberIn(objectIn(meta, "summary"), what) ?? 0;
}
