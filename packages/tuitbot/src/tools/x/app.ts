import { ok } from "@toolpact/contract";
import type { CallInput, OperationId, XAnswer } from "@toolpact/x-api";
import * as z from "zod";
import { xErrors } from "../../errors.ts";
import type { ToolFacts, TuitbotTool } from "../../guards/call/tool-facts.ts";
import { writeUp } from "../../profiles.ts";
import { jobId, ruleIds } from "../../x/ids.ts";
import { flagIn, listIn, numberIn, objectIn, textIn, type XObject } from "../../x/shapes/x-object.ts";
import { askX } from "../../x/toolkit/ask-x.ts";
import { cleanText } from "../../x/untrusted.ts";
import { pagination_token } from "../params.ts";
import { defineTool } from "../product.ts";

/** X accepts only the app's bearer token here. */
interface AppRow<Shape extends z.ZodRawShape, Output extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly searchWords: string;
  readonly effect: "none" | "create" | "delete";
  readonly operation: OperationId;
  readonly params: Shape;
  readonly place: (input: z.output<z.ZodObject<Shape>>) => CallInput;
  readonly output: Output;
  /** Besides the operation. */
  readonly facts?: ToolFacts;
  readonly answer: (answer: XAnswer, input: z.output<z.ZodObject<Shape>>) => z.input<Output>;
}

function xApp<Shape extends z.ZodRawShape, Output extends z.ZodType>(
  row: AppRow<Shape, Output>,
): TuitbotTool {
  const { name, title, description, searchWords, effect, operation, params, output } = row;
  return defineTool({
    name,
    title,
    description,
    searchWords,
    category: "compliance",
    effect,
    openWorld: true,
    profiles: writeUp,
    needs: ["x"],
    errors: xErrors,
    facts: { operations: [operation], ...row.facts },
    goOn: "Ask for less.",
    input: z.strictObject(params),
    output,
    handler: async (input, { x, signal }) => {
      // Made of this shape.
      const given = input as z.output<z.ZodObject<Shape>>;
      const answer = await askX<unknown>(x.client, operation, { ...row.place(given), signal });
      if (!answer.ok) return answer;
      const shaped = row.answer(answer.value, given);
      const { pagination } = answer.value;
      return pagination === undefined ? ok(shaped) : ok(shaped, { pagination });
    },
  });
}

const about = z.enum(["tweets", "users"]).describe("Whether posts or people are checked");
const name = z.string().min(1).max(64).optional().describe("A label of your own, such as weekly");
const ALL_FIELDS =
  "created_at,download_expires_at,download_url,id,name,resumable,status,type,upload_expires_at,upload_url";

const job = z.object({
  id: z.string(),
  type: z.string(),
  status: z.string(),
  name: z.string().optional(),
  resumable: z.boolean().optional(),
  created_at: z.string().optional(),
  upload_url: z.string().optional().describe("Where the list of ids is put"),
  upload_expires_at: z.string().optional(),
  download_url: z.string().optional().describe("Where the result is once it is complete"),
  download_expires_at: z.string().optional(),
});

/** For stored posts and users that have changed since. */
export const complianceTools: readonly TuitbotTool[] = [
  xApp({
    name: "x_v2_compliance_jobs",
    searchWords: "compliance jobs",
    title: "List compliance jobs",
    description: "List the compliance jobs of the app of the last 7 days.",
    effect: "none",
    operation: "getComplianceJobs",
    params: {
      type: about,
      status: z
        .enum(["created", "in_progress", "failed", "complete"])
        .optional()
        .describe("Only jobs in this state"),
    },
    place: ({ type, status }) => ({ query: { type, status, "compliance_job.fields": ALL_FIELDS } }),
    output: z.object({ jobs: z.array(job) }),
    answer: ({ data }) => ({ jobs: (Array.isArray(data) ? data : []).map((one) => jobOf(objectIn(one))) }),
  }),
  xApp({
    name: "x_v2_compliance_job_by_id",
    searchWords: "state of a compliance job",
    title: "Get a compliance job",
    description: "Get the state of one compliance job, and the URL of its result once it is complete.",
    effect: "none",
    operation: "getComplianceJobsById",
    params: { id: jobId.describe("Job id such as 1372966999991541762") },
    place: ({ id }) => ({ path: { id }, query: { "compliance_job.fields": ALL_FIELDS } }),
    output: job,
    answer: ({ data }) => jobOf(objectIn(data)),
  }),
  xApp({
    name: "x_v2_compliance_job_create",
    searchWords: "which stored posts were deleted, start a compliance job",
    title: "Create a compliance job",
    description:
      "Create a job that tells which of many stored posts or people were deleted or changed. Upload their ids to upload_url, one per line.",
    effect: "create",
    operation: "createComplianceJobs",
    params: {
      type: about,
      name,
      resumable: z.boolean().default(false).describe("true: the ids may be uploaded in parts"),
    },
    place: (body) => ({ body, query: { "compliance_job.fields": ALL_FIELDS } }),
    output: job,
    answer: ({ data }) => jobOf(objectIn(data)),
  }),
  xApp({
    name: "x_v2_usage_tweets",
    searchWords: "how many posts has the app read, monthly cap of the app",
    title: "Get the app's usage",
    description:
      "Get how many posts the whole app has read this month, by X's own count. What this server spent is in get_x_usage.",
    effect: "none",
    operation: "getUsage",
    params: { days: z.int().min(1).max(90).default(7).describe("Days to go back") },
    place: ({ days }) => ({
      query: { days, "usage.fields": "cap_reset_day,daily_project_usage,project_cap,project_usage" },
    }),
    output: z.object({
      project_usage: z.number(),
      project_cap: z.number(),
      cap_reset_day: z.number().optional(),
      daily: z.array(z.object({ date: z.string(), usage: z.number() })),
    }),
    answer: ({ data }) => {
      const usage = objectIn(data);
      return {
        project_usage: Number(usage.project_usage ?? 0),
        project_cap: Number(usage.project_cap ?? 0),
        cap_reset_day: numberIn(usage, "cap_reset_day"),
        daily: listIn(objectIn(usage, "daily_project_usage"), "usage").map((row) => ({
          date: (textIn(objectIn(row), "date") ?? "").slice(0, 10),
          usage: Number(objectIn(row).usage ?? 0),
        })),
      };
    },
  }),
];

function jobOf(data: XObject): z.input<typeof job> {
  const named = textIn(data, "name");
  return {
    id: textIn(data, "id") ?? "",
    type: textIn(data, "type") ?? "",
    status: textIn(data, "status") ?? "",
    name: named === undefined ? undefined : cleanText(named),
    resumable: flagIn(data, "resumable"),
    created_at: textIn(data, "created_at"),
    upload_url: textIn(data, "upload_url"),
    upload_expires_at: textIn(data, "upload_expires_at"),
    download_url: textIn(data, "download_url"),
    download_expires_at: textIn(data, "download_expires_at"),
  };
}

const rule = z.object({ id: z.string(), value: z.string(), tag: z.string().optional() });

/** For X's filtered stream. */
export const streamRuleTools: readonly TuitbotTool[] = [
  xApp({
    name: "x_v2_stream_rules_list",
    searchWords: "rules of the filtered stream",
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
    searchWords: "watch a keyword in the stream, new stream rule",
    title: "Add a stream rule",
    description:
      "Add a rule to the filtered stream, which then delivers matching posts. A rule that exists stays as it is. Undo with x_v2_stream_rules_delete.",
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
    searchWords: "delete a stream rule",
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
