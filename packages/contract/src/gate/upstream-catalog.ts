import { ProtocolError } from "@modelcontextprotocol/server";
import { ok } from "@toolpact/outcome";
import { printable } from "../bad-input.ts";
import type { Clock } from "../clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Catalog } from "../product.ts";
import type { AnyOutcome, Tool } from "../tool.ts";
import type { CallFacts } from "./conditions.ts";
import {
  GATE_META,
  type GateContext,
  type GateFacts,
  gateErrors,
  NO_TASKS,
  NOT_RESENT,
} from "./gate-product.ts";
import type { ServerPolicy } from "./policy.ts";
import type { ServerMemory } from "./server-memory.ts";
import { withoutSecrets } from "./shown-call.ts";
import { isSameDefinition, type ToolChange } from "./tool-definition.ts";
import { type Decision, decide } from "./tool-rules.ts";
import type { Upstream } from "./upstream.ts";
import { failureKind } from "./upstream-failure.ts";

/** The parts of a catalog that its server gives it. */
export interface CatalogParts {
  readonly upstream: Pick<Upstream, "tools">;
  readonly policy: ServerPolicy;
  readonly memory: Pick<ServerMemory, "get" | "accept">;
  readonly clock: Clock;
  /** Called when the server has listed its tools. */
  readonly onListed: (definitions: readonly JsonObject[]) => Promise<void>;
}

/** The tools of a server without those that the policy denies, by the names that clients see. `refresh` replaces them. */
export class UpstreamCatalog implements Pick<Catalog<GateFacts>, "tools" | "get"> {
  private readonly parts: CatalogParts;
  private byName: ReadonlyMap<string, Tool<GateFacts>> = new Map();
  private definitions: readonly JsonObject[] = [];
  /** True if the list is that of the connection that calls use. */
  isFresh = false;

  constructor(parts: CatalogParts) {
    this.parts = parts;
    this.use(parts.memory.get(parts.policy.name)?.listed ?? []);
  }

  get tools(): readonly Tool<GateFacts>[] {
    return [...this.byName.values()];
  }

  get(name: string): Tool<GateFacts> | undefined {
    return this.byName.get(name);
  }

  /**
   * The definition of a tool as the server lists it now, or listed it last if it cannot be asked: then it gets no call
   * either.
   */
  async definitionNow(name: string): Promise<JsonObject | undefined> {
    await this.refresh().catch(() => {});
    return this.get(name)?.facts.listed;
  }

  /** Fetches the list from the server. */
  async refresh(): Promise<void> {
    const definitions = await this.parts.upstream.tools(new AbortController().signal);
    await this.parts.onListed(definitions);
    this.use(definitions);
    this.isFresh = true;
  }

  /** Accepts the tool as it is now. */
  async accept(name: string): Promise<void> {
    const { memory, policy } = this.parts;
    const definition = this.get(name)?.facts.definition;
    if (definition === undefined) return;
    await memory.accept(policy.name, [definition]);
    this.use(this.definitions);
  }

  private use(definitions: readonly JsonObject[]): void {
    const { policy, memory, clock } = this.parts;
    const accepted = memory.get(policy.name)?.accepted ?? {};
    this.definitions = definitions;
    const tools = definitions.map((given) =>
      upstreamTool(given, policy, accepted[String(given.name)], clock),
    );
    this.byName = new Map(
      tools
        .filter(({ facts }) => facts.steps.some(({ rule }) => rule !== "deny"))
        .map((tool) => [tool.name, tool]),
    );
  }
}

/**
 * Builds a tool from its definition by the upstream server. Its schemas pass through unchanged, and the server validates the
 * arguments. Its effect follows from the policy: annotations are the server's own claim.
 */
function upstreamTool(
  definition: JsonObject,
  { name: server, prefix, toolRule }: ServerPolicy,
  accepted: JsonObject | undefined,
  clock: Clock,
): Tool<GateFacts> {
  const upstreamName = String(definition.name);
  const name = `${prefix}${upstreamName}`;
  const declared = toolRule(upstreamName);
  const change = changeOf(definition, accepted, declared.entry === upstreamName);
  const rules = new Set(declared.steps.map(({ rule }) => rule));
  const [only, ...others] = rules;
  const isConditional = others.length > 0;
  // A rule for all calls shows in the list.
  const rule = change !== undefined && only !== "deny" ? "person" : isConditional ? "depends" : only;
  const decideCall = (facts: Omit<CallFacts, "at">): Decision => {
    const decision = decide(declared, { ...facts, at: new Date(clock.now()) });
    if (change === undefined || decision.rule === "deny") return decision;
    return { rule: "person", because: undefined, unclear: undefined };
  };
  // A rule that depends on the caller is not known yet when the arguments are read.
  const readsCaller = declared.steps.some(({ when }) => when?.readsCaller);
  const inputSchema = objectIn(definition.inputSchema);
  const properties = objectIn(inputSchema.properties);
  const listed = {
    ...definition,
    name,
    _meta: { ...objectIn(definition._meta), [GATE_META]: { rule } },
  };
  const tool: Tool<GateFacts> = {
    name,
    title: name,
    description: String(definition.description ?? ""),
    category: "upstream",
    profiles: ["gate"],
    needs: ["send"],
    errors: ["in_doubt", "server_unreachable", "protocol_error"],
    openWorld: true,
    deadlineMs: Number.POSITIVE_INFINITY,
    maxBytes: Number.POSITIVE_INFINITY,
    goOn: "",
    hasContent: true,
    searchWords: "",
    isAlwaysLoaded: false,
    hints: {},
    scopes: [],
    facts: { ...declared, decide: decideCall, listed, definition, change, server, upstreamName },
    effects:
      rules.has("read_only") && change === undefined
        ? isConditional
          ? ["none", "create"]
          : ["none"]
        : ["create"],
    actions: [],
    hasParameter: (parameter) => Object.hasOwn(properties, parameter),
    withActions: () => tool,
    inputSchema: () => inputSchema,
    outputSchema: () => (isJsonObject(definition.outputSchema) ? definition.outputSchema : undefined),
    parse(input) {
      const isRead = !readsCaller && decideCall({ args: input, caller: "", client: "" }).rule === "read_only";
      return ok({
        action: undefined,
        effect: isRead ? "none" : "create",
        input,
        plan: () => undefined,
        // The pipeline resolves the services named in `needs`.
        run: (context) => send(tool, isRead, input, context as unknown as GateContext),
      });
    },
  };
  return tool;
}

/** A pattern admits no name by itself: a tool that appears later, or changes, is asked about first. */
function changeOf(
  definition: JsonObject,
  accepted: JsonObject | undefined,
  isNamed: boolean,
): ToolChange | undefined {
  if (accepted === undefined) return isNamed ? undefined : { before: undefined, after: definition };
  return isSameDefinition(definition, accepted) ? undefined : { before: accepted, after: definition };
}

/** The upstream server's answer as stored in a receipt: a result, or an error of the protocol. */
export type UpstreamAnswer = { readonly result: JsonObject } | { readonly error: WireError };

/** A JSON-RPC error. */
export type WireError = { readonly code: number; readonly message: string; readonly data: Json };

async function send(
  { name: tool, facts }: Tool<GateFacts>,
  isRead: boolean,
  args: JsonObject,
  context: GateContext,
): Promise<AnyOutcome> {
  try {
    const result = await context.send(facts, args);
    return ok({ result: facts.secrets === "pass" ? result : withoutSecrets(result) });
  } catch (thrown) {
    // Requests reject with errors only.
    const error = thrown as Error;
    switch (failureKind(error)) {
      case "answered": {
        const refused = withExtensionsExplained(error as ProtocolError);
        const { code, message } = refused;
        // Error data came as JSON.
        const answer = { code, message, data: (refused.data ?? null) as Json };
        return NEVER_BEGUN.has(code)
          ? gateErrors.fail("protocol_error", message, { details: { error: answer } })
          : ok({ error: answer });
      }
      case "not_sent":
        return gateErrors.fail("server_unreachable", `${error.message} Nothing was done.`);
      case "lost":
        return isRead
          ? gateErrors.fail(
              "server_unreachable",
              `${tool} got no answer: ${error.message}. It only reads, so it can be called again.`,
            )
          : gateErrors.fail(
              "in_doubt",
              `${tool} was sent, and its answer was lost: ${error.message} It is unknown whether it was carried out.`,
              { suggestedFix: NOT_RESENT },
            );
    }
  }
}

const MISSING_CAPABILITY = -32_021;

/** Parse error, invalid request, unknown method, invalid params, header mismatch, missing capability: the tool did not run. */
const NEVER_BEGUN: ReadonlySet<number> = new Set([
  -32_700,
  -32_600,
  -32_601,
  -32_602,
  -32_020,
  MISSING_CAPABILITY,
]);

/** A client may have the extension that the server requires. The error says that the gate does not pass it on. */
function withExtensionsExplained(error: ProtocolError): ProtocolError {
  if (error.code !== MISSING_CAPABILITY) return error;
  const { extensions } = objectIn(objectIn(error.data).requiredCapabilities);
  if (extensions === undefined) return error;
  const names = Object.keys(objectIn(extensions)).join(", ");
  return new ProtocolError(
    error.code,
    `The server does this only for clients with ${printable(names)}. ${NO_TASKS} It passes no other extension either. Nothing was done.`,
    error.data,
  );
}

function objectIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
