import type { OperationId } from "@toolpact/x-api/operations";
import type { Ledger } from "../gate/ledger.ts";
import type { Answer } from "../http/answer.ts";
import type { Input } from "../http/input.ts";
import { missing, notTheCaller, notVisible, unauthorized } from "../http/problems.ts";
import type { App } from "../oauth/apps.ts";
import { requestedFieldsOf } from "../render/requested-fields.ts";
import { View } from "../render/view.ts";
import type { Plan } from "../rules/plans.ts";
import { canRead, isPerson, visiblePerson } from "../rules/visibility.ts";
import type { Streams } from "../streams.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";

export interface OperationContext {
  readonly world: World;
  readonly now: number;
  readonly plan: Plan;
  readonly app: App;
  /** Undefined for app-only calls. */
  readonly viewer: Person | undefined;
  readonly ledger: Ledger;
  readonly streams: Streams;
}

export type Handler = (input: Input, context: OperationContext) => Answer;
export type Handlers = Readonly<Partial<Record<OperationId, Handler>>>;

export function forUser(act: (input: Input, context: OperationContext, me: Person) => Answer): Handler {
  return (input, context) =>
    context.viewer === undefined ? unauthorized() : act(input, context, context.viewer);
}

/** The path must name the caller. */
export function onOwn(
  parameter: string,
  act: (input: Input, context: OperationContext, me: Person) => Answer,
): Handler {
  return forUser((input, context, me) => {
    const id = input.text(parameter);
    return id === me.id ? act(input, context, me) : notTheCaller(parameter, id, me.id);
  });
}

export function viewOf(input: Input, context: OperationContext): View {
  return new View(context.world, context.viewer, context.now, requestedFieldsOf(input));
}

/** Or the reason the caller cannot see it. */
export function aboutPerson(
  input: Input,
  context: OperationContext,
  list: (person: Person) => Answer,
): Answer {
  const what = { type: "user", parameter: "id", value: input.text("id") } as const;
  const found = visiblePerson(context.world.people.get(what.value), what);
  if (isPerson(found) && canRead(context.world, context.viewer, found)) return list(found);
  const view = viewOf(input, context);
  view.errors.push(isPerson(found) ? notVisible(what) : found);
  return view.one(undefined);
}

export function personAt(world: World, parameter: string, id = ""): Person | Answer {
  const person = world.people.get(id);
  return person === undefined || person.accountStatus === "suspended"
    ? missing({ type: "user", parameter, value: id })
    : person;
}
