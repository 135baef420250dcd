import { ask, askAboutScene, type DriverContext, type SceneRequest } from "../../drivers/ask.ts";
import { errors } from "../../errors.ts";
import type { ParamsOf } from "../../operations/operations.ts";
import { defined } from "../params.ts";
import { answerOf } from "../product.ts";

/** Exactly one of node, class and resource. */
interface TargetInput extends SceneRequest {
  readonly node?: string | undefined;
  readonly class?: string | undefined;
  readonly resource?: string | undefined;
}

export interface InspectInput extends TargetInput {
  readonly fields?: readonly string[] | undefined;
  readonly all?: boolean | undefined;
}

/** The properties that differ from the default, or the requested fields. */
export async function inspect(context: DriverContext, input: InspectInput) {
  const { fields, all } = input;
  const read = await askAboutTarget(context, input, "inspect", defined({ fields, all }));
  return answerOf(read, () => `Inspected ${nameOf(input)}.`);
}

export interface ListInput extends TargetInput {
  readonly contains?: string | undefined;
  readonly limit?: number | undefined;
}

/** Properties, methods or signals of a node, a class or a resource. */
export async function listMembers<Members extends "properties" | "methods" | "signals">(
  context: DriverContext,
  input: ListInput,
  members: Members,
) {
  const { contains, limit } = input;
  const read = await askAboutTarget(context, input, `${members}.list` as const, defined({ contains, limit }));
  return answerOf(read, ({ total }) => `${total} ${members} of ${nameOf(input)}.`);
}

type AboutTarget = "inspect" | "properties.list" | "methods.list" | "signals.list";

async function askAboutTarget<O extends AboutTarget>(
  context: DriverContext,
  input: TargetInput,
  operation: O,
  more: object,
) {
  const { node, class: className, resource, mode } = input;
  if ([node, className, resource].filter((given) => given !== undefined).length !== 1)
    return errors.fail("E_SCHEMA_VALIDATION", "Name exactly one of node, class and resource.");
  // Each of these operations takes a target and filters.
  const params = (target: object) => ({ ...target, ...more }) as ParamsOf<O>;
  if (node !== undefined) return askAboutScene(context, input, operation, (scene) => params({ scene, node }));
  if (className !== undefined) return ask(context, mode, operation, params({ class: className }));
  const path = await context.project.resolve(resource ?? "");
  return path.ok ? ask(context, mode, operation, params({ resource: path.value.res })) : path;
}

function nameOf({ node, class: className, resource }: TargetInput): string {
  return node ?? className ?? resource ?? "";
}
