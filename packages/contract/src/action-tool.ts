import { nearest } from "@toolpact/cli/nearest";
import type * as z from "zod";
import { describeIssues, MOST_NAMED, shown, unknownParameter } from "./bad-input.ts";
import type { Effect } from "./effects.ts";
import { canonicalJson, type JsonObject, type JsonSchema } from "./json.ts";
import { failed, ok } from "./outcome.ts";
import { wireSchema } from "./schema.ts";
import type { ParsedCall, Tool, ToolHead, Work } from "./tool.ts";
import { headOf } from "./tool-head.ts";
import { bindWork } from "./work.ts";

/** One action of a tool, its types sealed in. */
export interface Action {
  readonly describe: string;
  readonly effect: Effect;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  readonly bind: (name: string, input: JsonObject) => ParsedCall;
}

export type DefineAction<Services, Code extends string, Notes> = <I extends z.ZodObject, O extends z.ZodType>(
  action: { readonly describe: string } & Work<Services, Code, Notes, I, O>,
) => Action;

export type ActionToolDeclaration<
  Category extends string,
  Profile extends string,
  Services,
  Need extends keyof Services,
  Code extends string,
  Notes,
> = ToolHead<Category, Profile, Need, Code> & {
  readonly actions: (
    action: DefineAction<Pick<Services, Need>, Code, Notes>,
  ) => Readonly<Record<string, Action>>;
};

/** A tool with an `action` argument: flat on the wire, each action's own rules enforced here. */
export function actionTool<Services, Need extends keyof Services & string, Code extends string, Notes>(
  declaration: ActionToolDeclaration<string, string, Services, Need, Code, Notes>,
): Tool {
  const actions = declaration.actions((action) => ({
    describe: action.describe,
    effect: action.effect,
    input: action.input,
    output: action.output,
    // `input` was parsed with this very action's schema.
    bind: (name, input) => bindWork(action, name, input as z.output<typeof action.input>),
  }));
  const names = Object.keys(actions);
  const head = headOf(declaration);

  return {
    ...head,
    description: `${head.description}\n${Object.entries(actions).map(signature).join("\n")}`,
    effects: Object.values(actions).map((action) => action.effect),
    actions: names,
    inputSchema: (style) => (style === "flat" ? flat(declaration.name, actions) : oneOf(actions)),
    outputSchema: () => ({ type: "object" }),
    parse({ action: name, ...args }) {
      const action = typeof name === "string" && Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (typeof name !== "string" || action === undefined)
        return failed(unknownAction(declaration.name, name, names));
      const subject = `${declaration.name} ${name}`;
      const allowed = Object.keys(action.input.shape);
      const stray = Object.keys(args).filter((key) => !allowed.includes(key));
      if (stray.length > 0)
        return failed(
          stray
            .slice(0, MOST_NAMED)
            .map((key) => unknownParameter(subject, key, allowed))
            .join(" "),
        );
      const parsed = action.input.safeParse(args);
      if (!parsed.success) return failed(describeIssues(subject, parsed.error.issues, allowed));
      // A schema that cannot be written as JSON Schema is refused at start, so this is JSON.
      return ok(action.bind(name, parsed.data as JsonObject));
    },
  };
}

/** `- add(shelf, title, author?): Adds a book.` */
function signature([name, action]: [string, Action]): string {
  const parameters = Object.entries(action.input.shape).map(([key, schema]) =>
    schema.safeParse(undefined).success ? `${key}?` : key,
  );
  return `- ${name}(${parameters.join(", ")}): ${action.describe}`;
}

function unknownAction(tool: string, given: unknown, names: readonly string[]): string {
  const has = `It has: ${names.join(", ")}.`;
  if (given === undefined) return `${tool} needs an action. ${has}`;
  if (typeof given !== "string") return `${tool}: the action must be a string. ${has}`;
  const guess = nearest(given, names);
  return `${tool} has no action ${shown(given)}.${guess === undefined ? "" : ` Did you mean ${shown(guess)}?`} ${has}`;
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

function oneOf(actions: Readonly<Record<string, Action>>): JsonSchema {
  return {
    type: "object",
    properties: { action: { type: "string", enum: Object.keys(actions) } },
    required: ["action"],
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
  // An object schema's properties are schemas, each an object.
  return (schema.properties ?? {}) as Record<string, JsonObject>;
}

/** Named parts that schemas refer to, from the root of the whole tool: `#/$defs/Name`. */
function sharedParts(actions: Readonly<Record<string, Action>>): { readonly $defs?: JsonObject } {
  const parts = Object.values(actions).map(
    ({ input }) => wireSchema(input, "input").$defs as JsonObject | undefined,
  );
  const $defs = Object.assign({}, ...parts) as JsonObject;
  return Object.keys($defs).length === 0 ? {} : { $defs };
}
