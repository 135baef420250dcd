import { ok } from "@toolpact/outcome";
import type * as z from "zod";
import { actionTool } from "./action-tool.ts";
import type { Guard } from "./call.ts";
import { type Clock, systemClock } from "./clock.ts";
import { plainTool } from "./declaration.ts";
import { type AnyErrorSet, type CodeOf, defineErrors } from "./errors.ts";
import { type SuccessNotes, successEnvelope } from "./formats/success-envelope.ts";
import { deadline } from "./guards/deadline.ts";
import { idempotency, RecentCalls } from "./guards/idempotency.ts";
import type { ProtectedCall, Unprotected } from "./guards/protect-options.ts";
import type { GuardStorage } from "./guards/storage.ts";
import { oneStackApp } from "./mcp/one-stack-app.ts";
import { checkSdk } from "./peer-versions.ts";
import type { Bug } from "./pipeline.ts";
import { defineProduct } from "./product.ts";
import { bugText } from "./redact.ts";
import { resource } from "./resource.ts";
import type {
  AnyGuard,
  GivenDependencies,
  ProtectGuard,
  Protection,
  Server,
  ServerActionTool,
  ServerOptions,
  ServerTool,
  ServerTypes,
  ServiceContext,
  ServiceFactories,
  ServicesOf,
} from "./server-options.ts";
import type { Tool } from "./tool.ts";

/**
 * Defines a server in one call. Each tool has a deadline, and an equal call that changes something is refused for 30
 * seconds. Types of services, errors and context are inferred from the values.
 *
 * ```ts
 * const greeter = defineServer({ name: "greeter", version: "1.0.0" });
 * const greet = greeter.tool({
 *   name: "greet",
 *   description: "Greet a person by name.",
 *   effect: "none",
 *   errors: ["not_found"],
 *   input: z.strictObject({ name: z.string().describe("Whom to greet") }),
 *   output: z.object({ greeting: z.string() }),
 *   handler: ({ name }) =>
 *     name === "" ? greeter.errors.fail("not_found", "No name.") : ok({ greeting: `Hello ${name}` }),
 * });
 * serveStdio(greeter.app({ tools: [greet] }));
 * ```
 */
export function defineServer<
  const Guards extends readonly AnyGuard<CodeOf<Errors>>[] = readonly [],
  Factories extends ServiceFactories<never> = Record<never, never>,
  Errors extends AnyErrorSet = CommonErrors,
>(options: ServerOptions<Errors, Guards, Factories> & Protection): Server<Errors, Factories> {
  type Name = keyof Factories & string;
  type Types = ServerTypes<ServicesOf<Factories>>;
  // Without `errors`, the type is the default.
  const errors = options.errors ?? (commonErrors as AnyErrorSet as Errors);
  // `CheckedGuards` and `ContextOf` have checked that the stack adds the required context.
  const guards = (options.guards ?? []) as readonly Guard[];
  const services = Object.fromEntries(
    Object.entries((options.services ?? {}) as ServiceFactories<object>).map(([name, factory]) => [
      name,
      withJournal(factory),
    ]),
  );
  const format = successEnvelope(errors);
  const product = defineProduct<{ services: Record<string, unknown>; notes: SuccessNotes }>()({
    errors,
    categories: [ALL],
    profiles: [ALL],
    services: Object.fromEntries(Object.keys(services).map((name) => [name, errors.roles.internal])),
  });
  const stackOn = (clock: Clock) => {
    const before = guards.reduce((stack, guard) => stack.use(guard), product.guardStack(ALL).use(deadline));
    const { protect, guardStorage } = options;
    return protect === undefined
      ? before.use(idempotency).answering(format).bind({ clock, recentCalls: new RecentCalls() })
      : before.use(openedLate(protect, guardStorage)).answering(format).bind({ clock });
  };
  return {
    errors,
    tool: <I extends z.ZodObject, O extends z.ZodType, Need extends Name, Code extends CodeOf<Errors>>(
      declaration: ServerTool<ServicesOf<Factories>, Need, Code, I, O>,
    ) => plainTool<Types, Need, Code, I, O>({ ...withDefaults(declaration), ...declaration }),
    actionTool: <Need extends Name, Code extends CodeOf<Errors>>(
      declaration: ServerActionTool<ServicesOf<Factories>, Need, CodeOf<Errors>, Code>,
    ) => actionTool<Types, Need, CodeOf<Errors>, Code>({ ...withDefaults(declaration), ...declaration }),
    resource: (declaration) => resource({ needs: [], ...declaration }),
    app({ clock = systemClock, onBug = reportBug, ...parts }) {
      checkSdk();
      const stack = stackOn(clock);
      for (const tool of parts.tools) checkTool(tool, stack.codesFor(tool), services, errors);
      const { name, version, instructions = "" } = options;
      return oneStackApp({ name, version, instructions, product, stack, services, onBug, ...parts });
    },
  };
}

const ALL = "all";

type Factory = ServiceFactories<object>[string];

const UNRECORDED: ServiceContext["journal"] = { beforeSend: async () => ok({}) };

function withJournal(factory: Factory): Factory {
  return (context, signal) => factory({ journal: UNRECORDED, ...context }, signal);
}

/** Opens the storage on the first call, and again after a failure. */
function openedLate(
  guard: ProtectGuard,
  open: () => GuardStorage | Promise<GuardStorage>,
): Guard<unknown, unknown, never, GivenDependencies, Unprotected, ProtectedCall> {
  let opening: Promise<GuardStorage> | undefined;
  const storage = async () => {
    opening ??= Promise.resolve(open());
    return opening.catch((error) => {
      opening = undefined;
      throw error;
    });
  };
  return {
    ...guard,
    run: async (call, next, { clock }) => guard.run(call, next, { clock, guardStorage: await storage() }),
  };
}

type CommonErrors = typeof commonErrors;

const commonErrors = defineErrors({});

function withDefaults({ name, title = titleOf(name) }: { readonly name: string; readonly title?: string }) {
  return { category: ALL, profiles: [ALL], needs: [], errors: [], openWorld: true, title };
}

/** `add_note` is "Add note". */
function titleOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Throws if a tool belongs to another server, or a guard's code to another set. */
function checkTool(tool: Tool, guardCodes: readonly string[], services: object, errors: AnyErrorSet): void {
  const service = tool.needs.find((need) => !Object.hasOwn(services, need));
  if (service !== undefined)
    throw new Error(`${tool.name} needs the service ${service}, which this server does not have.`);
  const code = [...tool.errors, ...guardCodes].find((one) => !Object.hasOwn(errors.rows, one));
  if (code !== undefined)
    throw new Error(
      `${tool.name} or a guard in front of it can fail with ${code}, which is not in the server's errors.`,
    );
}

function reportBug(bug: Bug): void {
  console.error(bugText(bug));
}
