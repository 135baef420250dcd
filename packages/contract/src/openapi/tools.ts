import { failed, type Outcome, ok } from "@toolpact/outcome";
import { quote } from "../bad-input.ts";
import { plainTool } from "../declaration.ts";
import type { Effect } from "../effects.ts";
import type { SuccessNotes } from "../formats/success-envelope.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { TypesOf } from "../product.ts";
import { unportable } from "../schema.ts";
import type { Tool } from "../tool.ts";
import { bodySchemaOf, outputOf, readAnswer, type Sent, unanswered } from "./answer.ts";
import { inputOf } from "./arguments.ts";
import { type Credential, NO_PROOF, namesOf, proofOf } from "./credential.ts";
import { readDocument } from "./document.ts";
import { type OpenApiCode, openApiErrors } from "./errors.ts";
import { textOf } from "./json-limits.ts";
import {
  EFFECT_OF_METHOD,
  type OpenApiFacts,
  type Operation,
  type OperationFilter,
  operationsOf,
  type Skipped,
  toolNameOf,
  unknownName,
} from "./operations.ts";
import { addressOf, baseUrlOf, requestOf } from "./request.ts";
import { cut, unique } from "./wording.ts";

/** Access to an API, and its operations that become tools. */
export interface OpenApiOptions {
  /** The document's `servers` are ignored. */
  readonly baseUrl: string;
  readonly auth?: Credential;
  /** Sent with every request, such as a version. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly only?: OperationFilter;
  readonly operations?: Readonly<Record<string, OperationChanges>>;
  /** In every tool's name, such as `shop_`. */
  readonly prefix?: string;
  readonly category?: string;
  readonly profiles?: readonly string[];
  /** Default 20 seconds. */
  readonly timeoutMs?: number;
  /** Default 5,000,000. `maxBytes` limits the part a model gets. */
  readonly maxAnswerBytes?: number;
  readonly fetch?: typeof fetch;
}

export interface OperationChanges {
  /** `none` for a POST that only searches, `delete` for one that deletes. */
  readonly effect?: Effect;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly maxBytes?: number;
  /** OAuth scopes a remote caller needs. */
  readonly scopes?: readonly string[];
}

/** The tools of a document, and the skipped operations. */
export interface OpenApiTools {
  readonly title: string;
  readonly tools: readonly Tool<OpenApiFacts>[];
  readonly skipped: readonly Skipped[];
}

type OpenApiTypes = TypesOf<{ notes: SuccessNotes; facts: OpenApiFacts }>;

const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 5_000_000;
const MAX_DESCRIPTION = 600;
const CODES = [
  "bad_input",
  "not_signed_in",
  "denied",
  "not_found",
  "conflict",
  "rate_limited",
  "refused",
  "api_error",
  "unreachable",
  "too_slow",
  "unknown_outcome",
  "unexpected_answer",
] as const satisfies readonly OpenApiCode[];

/**
 * Builds a tool for every operation of an OpenAPI document (3.0 or 3.1, as JSON, YAML or an object). They are regular
 * tools: a product with `openApiErrors` in its errors puts its guards in front of them.
 *
 * ```ts
 * const made = await openApiTools(await readFile("shop.yaml", "utf8"), {
 *   baseUrl: "https://api.shop.example/v1",
 *   auth: { bearer: { env: "SHOP_TOKEN" } },
 *   only: { tags: ["orders"] },
 *   operations: { searchOrders: { effect: "none" } },
 * });
 * if (!made.ok) throw new Error(made.failure);
 * const { tools, skipped } = made.value;
 * ```
 */
export async function openApiTools(
  source: string | JsonObject,
  options: OpenApiOptions,
): Promise<Outcome<OpenApiTools, string>> {
  const baseUrl = baseUrlOf(options.baseUrl);
  if (!baseUrl.ok) return baseUrl;
  const wrong = wrongOption(options);
  if (wrong !== undefined) return failed(wrong);
  const document = await readDocument(source);
  if (!document.ok) return document;
  const found = operationsOf(document.value, options.only ?? {});
  if (!found.ok) return found;
  const { operations } = found.value;
  const skipped = [...found.value.skipped];
  const changes = options.operations ?? {};
  const ids = operations.map(({ operation }) => operation);
  const unknown = Object.keys(changes).find((id) => !ids.includes(id));
  if (unknown !== undefined)
    return failed(`${unknownName("operation", unknown, ids)} It is named in \`operations\`.`);

  const { timeoutMs = TIMEOUT_MS } = options;
  const names = new Set<string>();
  const tools: Tool<OpenApiFacts>[] = [];
  for (const operation of operations) {
    const own = Object.hasOwn(changes, operation.operation) ? (changes[operation.operation] ?? {}) : {};
    const input = isPlainPath(baseUrl.value, operation.path)
      ? inputOf(document.value, operation, namesOf(options.auth))
      : failed("its path is no plain path");
    if (!input.ok) {
      skipped.push({ operation: operation.operation, why: input.failure });
      continue;
    }
    if (own.name !== undefined && names.has(own.name))
      return failed(`Two operations have the name ${quote(own.name)}.`);
    const name = unique(own.name ?? toolNameOf(operation, options.prefix ?? ""), names);
    const { operation: id, method, path, tags, definition } = operation;
    const facts: OpenApiFacts = { operation: id, method, path, tags };
    const body = bodySchemaOf(document.value, operation);
    const effect = own.effect ?? EFFECT_OF_METHOD[method] ?? "create";
    const tool = plainTool<
      OpenApiTypes,
      never,
      OpenApiCode,
      typeof input.value.schema,
      ReturnType<typeof outputOf>
    >({
      name,
      title: own.title ?? (cut(textOf(definition.summary), 80) || name.replaceAll("_", " ")),
      description: own.description ?? descriptionOf(operation),
      category: options.category ?? ALL,
      profiles: options.profiles ?? [ALL],
      needs: [],
      openWorld: true,
      effect,
      errors: CODES,
      facts,
      // Its own timeout comes first, because its failure is more specific.
      deadlineMs: timeoutMs + 10_000,
      ...(own.maxBytes !== undefined && { maxBytes: own.maxBytes }),
      ...(own.scopes !== undefined && { scopes: own.scopes }),
      input: input.value.schema,
      output: outputOf(body),
      async handler(args, { signal }) {
        const planned = requestOf(baseUrl.value, path, input.value, args as JsonObject);
        if (!planned.ok)
          return openApiErrors.fail("bad_input", `${name}: ${planned.failure}`, { fixBy: "agent" });
        const proof = options.auth === undefined ? ok(NO_PROOF) : await proofOf(options.auth, facts, signal);
        if (!proof.ok) return openApiErrors.fail("not_signed_in", proof.failure, { fixBy: "operator" });
        const { url, headers, body: content } = planned.value;
        for (const [key, value] of Object.entries({
          accept: "application/json, */*;q=0.5",
          ...options.headers,
          ...proof.value.headers,
        }))
          headers.set(key, value);
        for (const [key, value] of Object.entries(proof.value.query)) url.searchParams.append(key, value);
        const sent: Sent = { method, path, effect, secrets: proof.value.secrets };
        const late = AbortSignal.timeout(timeoutMs);
        try {
          const response = await (options.fetch ?? fetch)(url, {
            method,
            headers,
            redirect: "manual",
            signal: AbortSignal.any([signal, late]),
            ...(content !== undefined && { body: content }),
          });
          return await readAnswer(response, body, sent, {
            bytes: options.maxAnswerBytes ?? MAX_ANSWER_BYTES,
            now: Date.now,
          });
        } catch (error) {
          return failed(unanswered(error, late.aborted || signal.aborted, sent));
        }
      },
    });
    const flaw = unportable(tool.inputSchema("flat"));
    if (flaw === undefined) tools.push(tool);
    else skipped.push({ operation: id, why: `clients would refuse its arguments: ${flaw}` });
  }
  if (tools.length === 0)
    return failed(
      `No operation of the document can be a tool.${skipped[0] === undefined ? "" : ` ${quote(skipped[0].operation)}: ${skipped[0].why}.`}`,
    );
  const { info } = document.value.root;
  return ok({ title: cut(textOf(isJsonObject(info) ? info.title : undefined), 100), tools, skipped });
}

const ALL = "all";

/** Settings that no request or client would accept. */
function wrongOption({ headers, auth, prefix = "", operations = {} }: OpenApiOptions): string | undefined {
  try {
    new Headers({ ...headers, ...(auth !== undefined && "header" in auth && { [auth.header]: "" }) });
  } catch {
    return "One of the headers has a name or a value that no request can carry.";
  }
  if (!/^([a-z][a-z0-9_]{0,30})?$/.test(prefix))
    return `The prefix ${quote(prefix)} has to be of a–z, 0–9 and _, and no longer than 31.`;
  const name = Object.values(operations).find(
    (own) => own.name !== undefined && !TOOL_NAME.test(own.name),
  )?.name;
  return name === undefined ? undefined : `The name ${quote(name)} has to be 1–64 of a–z, 0–9 and _.`;
}

const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/;

function descriptionOf({ definition, method, path }: Operation): string {
  const summary = cut(textOf(definition.summary), 200);
  const description = cut(textOf(definition.description), MAX_DESCRIPTION);
  const sentences = description.startsWith(summary) ? [description] : [summary, description];
  const about = sentences
    .filter((text) => text !== "")
    .map((text) => (/[.!?…]$/.test(text) ? text : `${text}.`))
    .join(" ");
  const deprecated = definition.deprecated === true ? " Deprecated." : "";
  return `${about || `Send ${method} ${cut(path, 200)}.`}${deprecated}`;
}

/** True if filling in its parameters cannot leave the base URL. */
function isPlainPath(baseUrl: URL, path: string): boolean {
  if (!/^(\/([\w.~!$&'()*+,;=:@%-]|\{[^{}/]+\})*)+$/.test(path)) return false;
  return addressOf(baseUrl, path.replace(/\{[^{}]*\}/g, "x")) !== undefined;
}
