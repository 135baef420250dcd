import { nearest } from "@toolpact/cli/nearest";
import { failed, ok } from "@toolpact/outcome";
import type * as z from "zod";
import { describeIssues, quote } from "./bad-input.ts";
import { bindWork, headOf, type ToolHead, type Work } from "./declaration.ts";
import type { Effect } from "./effects.ts";
import { canonicalJson, type JsonObject, type JsonSchema } from "./json.ts";
import { checkZod } from "./peer-versions.ts";
import type { ProductTypes } from "./product.ts";
import { wireSchema } from "./schema.ts";
import type { ParsedCall, Tool } from "./tool.ts";

export interface Action<Plan = unknown> {
  readonly description: string;
  readonly effect: Effect;
  readonly errors: readonly string[];
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  readonly bind: (name: string, input: JsonObject) => ParsedCall<Plan>;
}

/** Declares one action. Without `errors` it may fail with those of its tool. */
export type DefineAction<Services, Known extends string, Code extends Known, Notes, Plan> = <
  I extends z.ZodObject,
  O extends z.ZodType,
  Own extends Known = Code,
>(
  action: { readonly description: string; readonly errors?: readonly Own[] } & Work<
    Services,
    Own,
    Notes,
    Plan,
    I,
    O
  >,
) => Action<Plan>;

export type ActionToolDeclaration<
  T extends ProductTypes,
  Category extends string,
  Profile extends string,
  Need extends keyof T["services"],
  Known extends string,
  Code extends Known,
> = ToolHead<T["facts"], Category, Profile, Need, Code> & {
  readonly actions: (
    action: DefineAction<Pick<T["services"], Need>, Known, Code, T["notes"], T["plan"]>,
  ) => Readonly<Record<string, Action<T["plan"]>>>;
};

/** A tool with an `action` argument: flat on the wire, with each action's rules enforced here. */
export function actionTool<
  T extends ProductTypes,
  Need extends keyof T["services"] & string,
  Known extends string,
  Code extends Known,
>(declaration: ActionToolDeclaration<T, string, string, Need, Known, Code>): Tool<T["facts"], T["plan"]> {
  const actions = declaration.actions((action) => ({
    description: action.description,
    effect: action.effect,
    errors: action.errors ?? declaration.errors,
    input: action.input,
    output: action.output,
    // `input` was parsed with this action's schema.
    bind: (name, input) => bindWork(action, name, input as z.output<typeof action.input>),
  }));
  for (const { input, output } of Object.values(actions)) {
    checkZod(declaration.name, input);
    checkZod(declaration.name, output);
  }
  return toolOf(headOf<T["facts"]>(declaration), actions);
}

function toolOf<Facts, Plan>(
  head: ReturnType<typeof headOf<Facts>>,
  actions: Readonly<Record<string, Action<Plan>>>,
): Tool<Facts, Plan> {
  const names = Object.keys(actions);
  const listed = Object.entries(actions);
  return {
    ...head,
    description: [head.description, ...signatures(listed)].join("\n"),
    errors: [...new Set(listed.flatMap(([, { errors }]) => errors))],
    effects: listed.map(([, { effect }]) => effect),
    actions: listed.map(([name, { description, effect, errors }]) => ({
      name,
      description,
      effect,
      errors,
    })),
    hasParameter: (name) => listed.some(([, { input }]) => Object.hasOwn(input.shape, name)),
    withActions(some) {
      const unknown = some.find((name) => !names.includes(name));
      if (unknown !== undefined) throw new Error(unknownAction(head.name, unknown, names));
      return toolOf(head, Object.fromEntries(listed.filter(([name]) => some.includes(name))));
    },
    inputSchema: (style) => (style === "flat" ? flat(head.name, actions) : oneOf(actions)),
    outputSchema: () => sharedOutput(Object.values(actions)),
    parse({ action: name, ...args }) {
      const action = typeof name === "string" && Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (typeof name !== "string" || action === undefined)
        return failed(unknownAction(head.name, name, names));
      const subject = `${head.name} ${name}`;
      const allowed = Object.keys(action.input.shape);
      const parsed = action.input.safeParse(args, { reportInput: true });
      if (!parsed.success) return failed(describeIssues(subject, parsed.error.issues, allowed));
      // A schema that cannot be written as JSON Schema is rejected at startup, so this is JSON.
      return ok(action.bind(name, parsed.data as JsonObject));
    },
  };
}

function sharedOutput(actions: readonly Action[]): JsonSchema | undefined {
  const schemas = actions.map(({ output }) => wireSchema(output, "output"));
  const [first] = schemas;
  return schemas.every((schema) => canonicalJson(schema) === canonicalJson(first)) ? first : undefined;
}

/** Tools with fewer actions list all parameters of each action. */
const MANY_ACTIONS = 6;

/** `- add(shelf, title, author?): Add a book.` Many actions write their shared optional parameters once, as `…`. */
function signatures(actions: readonly [string, Action][]): string[] {
  const rows = actions.map(([name, { input, description }]) => ({
    name,
    description,
    parameters: parametersOf(input),
  }));
  const shared = [...new Set(rows.flatMap(({ parameters }) => parameters))].filter(
    (parameter) =>
      parameter.endsWith("?") &&
      rows.filter(({ parameters }) => parameters.includes(parameter)).length > rows.length / 2,
  );
  const isShortened = shared.length > 1 && rows.length >= MANY_ACTIONS;
  const shorten = (parameters: readonly string[]) =>
    isShortened && shared.every((parameter) => parameters.includes(parameter))
      ? ["…", ...parameters.filter((parameter) => !shared.includes(parameter))]
      : parameters;
  return [
    ...(isShortened ? [`… is ${shared.join(", ")}`] : []),
    ...rows.map(
      ({ name, parameters, description }) => `- ${name}(${shorten(parameters).join(", ")}): ${description}`,
    ),
  ];
}

function parametersOf(input: z.ZodObject): string[] {
  return Object.entries(input.shape).map(([key, schema]) =>
    schema.safeParse(undefined).success ? `${key}?` : key,
  );
}

function unknownAction(tool: string, given: unknown, names: readonly string[]): string {
  const has = `It has: ${names.join(", ")}.`;
  if (given === undefined) return `${tool} needs an action. ${has}`;
  if (typeof given !== "string") return `${tool}: the action must be a string. ${has}`;
  const guess = nearest(given, names);
  return `${tool} has no action ${quote(given)}.${guess === undefined ? "" : ` Did you mean ${quote(guess)}?`} ${has}`;
}

function flat(tool: string, actions: Readonly<Record<string, Action>>): JsonSchema {
  const properties: Record<string, JsonObject> = {};
  const owner: Record<string, string> = {};
  for (const [name, action] of Object.entries(actions)) {
    for (const [key, schema] of Object.entries(propertiesOf(wireSchema(action.input, "input")))) {
      const known = properties[key];
      if (known !== undefined && canonicalJson(known) !== canonicalJson(schema)) {
        throw new Error(
          `${tool}: ${owner[key]} and ${name} declare the parameter ${key} differently; share one schema or rename it.`,
        );
      }
      properties[key] = schema;
      owner[key] ??= name;
    }
  }
  return {
    type: "object",
    properties: {
      action: { type: "string", enum: Object.keys(actions), description: "What to do" },
      ...properties,
    },
    required: ["action"],
    additionalProperties: false,
    ...sharedParts(actions),
  };
}

/** The top level has all parameters, which lets it be closed; the branches describe them. */
function oneOf(actions: Readonly<Record<string, Action>>): JsonSchema {
  const names = Object.values(actions).flatMap(({ input }) => Object.keys(input.shape));
  return {
    type: "object",
    properties: {
      action: { type: "string", enum: Object.keys(actions) },
      ...Object.fromEntries(names.map((name) => [name, {}])),
    },
    required: ["action"],
    additionalProperties: false,
    oneOf: Object.entries(actions).map(([name, action]) => {
      const { $defs: _hoisted, ...schema } = wireSchema(action.input, "input");
      return {
        title: name,
        ...schema,
        properties: { action: { const: name }, ...propertiesOf(schema) },
        required: ["action", ...((schema.required as readonly string[] | undefined) ?? [])],
      };
    }),
    ...sharedParts(actions),
  };
}

function propertiesOf(schema: JsonSchema): Record<string, JsonObject> {
  // The properties of an object schema are schemas.
  return (schema.properties ?? {}) as Record<string, JsonObject>;
}

/** Named parts of schemas, moved to the root of the whole tool: `#/$defs/Name`. */
function sharedParts(actions: Readonly<Record<string, Action>>): { readonly $defs?: JsonObject } {
  const parts = Object.values(actions).map(
    ({ input }) => wireSchema(input, "input").$defs as JsonObject | undefined,
  );
  const $defs = Object.assign({}, ...parts) as JsonObject;
  return Object.keys($defs).length === 0 ? {} : { $defs };
}
