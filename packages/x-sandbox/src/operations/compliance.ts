import { day, hour, second } from "../clock.ts";
import { success } from "../http/answer.ts";
import { missing } from "../http/problems.ts";
import { iso, type JsonObject } from "../json.ts";
import { withFields } from "../render/requested-fields.ts";
import type { ComplianceJob } from "../world/world.ts";
import type { Handlers } from "./context.ts";

export const compliance = {
  getComplianceJobs: (input, { world, now }) => {
    const status = input.optionalText("status");
    const jobs = [...world.complianceJobs.values()].filter(
      (job) => job.type === input.text("type") && (status === undefined || statusOf(job, now) === status),
    );
    const data = jobs.map((job) => render(job, input.list("compliance_job.fields"), now));
    return success({ ...(data.length > 0 && { data }), meta: { result_count: data.length } });
  },

  getComplianceJobsById: (input, { world, now }) => {
    const value = input.text("id");
    const job = world.complianceJobs.get(value);
    if (job === undefined) return missing({ type: "compliance_job", parameter: "id", value });
    return success({ data: render(job, input.list("compliance_job.fields"), now) });
  },

  createComplianceJobs: (input, { world, now }) => {
    const job: ComplianceJob = {
      id: world.idAt(now),
      type: input.body.text("type") === "users" ? "users" : "tweets",
      name: input.body.text("name"),
      resumable: input.body.flag("resumable") ?? false,
      createdAt: now,
    };
    world.complianceJobs.set(job.id, job);
    return success({ data: render(job, input.list("compliance_job.fields"), now) });
  },
} satisfies Handlers;

/** Completes after a minute. The sandbox accepts no uploads for it. */
function statusOf(job: ComplianceJob, now: number): string {
  if (now < job.createdAt + 30 * second) return "created";
  return now < job.createdAt + 60 * second ? "in_progress" : "complete";
}

function render(job: ComplianceJob, fields: readonly string[], now: number): JsonObject {
  const defaults = { id: job.id, type: job.type, status: statusOf(job, now), created_at: iso(job.createdAt) };
  return withFields(
    defaults,
    fields.length === 0 ? ["name", "resumable", "upload_url", "upload_expires_at"] : fields,
    {
      name: job.name,
      resumable: job.resumable,
      upload_url: `https://storage.example.com/upload/${job.id}`,
      upload_expires_at: iso(job.createdAt + hour),
      download_url: `https://storage.example.com/download/${job.id}`,
      download_expires_at: iso(job.createdAt + 7 * day),
    },
  );
}
