import * as z from "zod";
import type { TuitbotTool } from "../../guards/call/tool-facts.ts";
import { jobId } from "../../x/ids.ts";
import { flagIn, listIn, numberIn, objectIn, textIn, type XObject } from "../../x/shapes/x-object.ts";
import { cleanText } from "../../x/untrusted.ts";
import { xApp } from "./x-app.ts";

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

/** What X wants done with posts and people that have changed since an app kept them. */
export const complianceTools: readonly TuitbotTool[] = [
  xApp({
    name: "x_v2_compliance_jobs",
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
