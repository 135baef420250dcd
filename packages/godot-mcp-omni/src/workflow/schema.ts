import type { Json, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../errors.ts";

/** Files are JSON; a schema for any value only lacks the type. */
const json = z.unknown().transform((value) => value as Json);
const object = z.looseObject({}).transform((value) => value as JsonObject);

/** The expected value at a path of the answer, such as `result.changes.0.node`. */
const expectation = z
  .strictObject({
    path: z.string().min(1),
    equals: json.optional(),
    contains: json.optional(),
    matches: z.string().optional(),
    exists: z.boolean().optional(),
    atLeast: z.number().optional(),
    atMost: z.number().optional(),
  })
  .refine((given) => Object.keys(given).length === 2, {
    message: "has exactly one of equals, contains, matches, exists, atLeast and atMost next to path",
  });

const step = z.strictObject({
  id: z
    .string()
    .regex(/^[\w-]+$/, "is letters, digits, _ and -")
    .optional(),
  title: z.string().optional(),
  tool: z.string().min(1),
  args: object.default({}),
  /** False if the step is expected to fail. */
  expectOk: z.boolean().default(true),
  expect: z.array(expectation).default([]),
  /** The maximum number of retries after a retryable failure. */
  retries: z.int().min(0).max(10).default(0),
  retryDelayMs: z.int().min(0).max(60_000).default(250),
  timeoutMs: z.int().min(1).max(600_000).optional(),
  continueOnError: z.boolean().default(false),
});

const workflow = z.strictObject({
  $schema: z.string().optional(),
  schemaVersion: z.literal(1),
  name: z.string().optional(),
  variables: object.default({}),
  steps: z.array(step).min(1).max(500),
});

export type Expectation = z.infer<typeof expectation>;
export type Step = z.infer<typeof step> & { readonly id: string; readonly title: string };
/** A list of tool calls, each of which can use earlier answers. */
export type Workflow = Omit<z.infer<typeof workflow>, "steps"> & { readonly steps: readonly Step[] };

/** A workflow with all defaults filled in, or its problems. */
export function parseWorkflow(given: unknown): Result<Workflow, "E_SCHEMA_VALIDATION"> {
  const parsed = workflow.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.slice(0, 10).map((issue) => {
      const place = issue.path.map(String).join(".");
      return place === "" ? issue.message : `${place}: ${issue.message}`;
    });
    return errors.fail("E_SCHEMA_VALIDATION", `The workflow is wrong: ${problems[0]}.`, {
      details: { problems },
    });
  }
  const numbered = parsed.data.steps.map(
    (given, index): Step => ({
      ...given,
      id: given.id ?? `step${index + 1}`,
      title: given.title ?? given.tool,
    }),
  );
  const twice = numbered.find((one, index) => numbered.findIndex((other) => other.id === one.id) !== index);
  if (twice !== undefined) return errors.fail("E_SCHEMA_VALIDATION", `Two steps have the id ${twice.id}.`);
  return ok({ ...parsed.data, steps: numbered });
}

/** The JSON Schema of workflow files, for editors. */
export function workflowJsonSchema(): JsonObject {
  // The schema from zod is JSON.
  return z.toJSONSchema(workflow, { io: "input", unrepresentable: "any" }) as unknown as JsonObject;
}
