import {
  type Caller,
  type Failure,
  failed,
  type JsonObject,
  type Outcome,
  ok,
  type Resource,
} from "@toolpact/contract";
import { type McpCore, successEnvelope, type Tasks } from "@toolpact/contract/internal";
import { errors } from "../errors.ts";
import { defineResource } from "../tools/product.ts";
import { accountAddress, namesAccount } from "./account-addresses.ts";
import type { Core } from "./core.ts";

type RenderedAnswer = Parameters<Tasks["of"]>[1];

/** The accounts of one server, and each caller's access to them. */
export interface SeveralAccounts {
  /** The names in the configuration that a caller may act for, by its principal: at least one. */
  readonly accountsOf: (principal: string | undefined) => readonly string[];
  /** Opened with the first call for the account. */
  readonly core: (account: string) => Promise<Outcome<Core, Failure>>;
  /** That of the account whose resources, prompts and keys stand for all: they are declared alike. */
  readonly home: Core;
  /** Accounts whose approvals are watched from the beginning. */
  readonly watched: readonly string[];
}

/**
 * Many accounts behind one server. Each has a separate core with its own session, policy and budget, and each call runs
 * on the core of one account. The cores are unaware of each other.
 */
export function severalAccounts({ accountsOf, core, home, watched }: SeveralAccounts): McpCore {
  /** Which account an answer is of, until it is on its way. */
  const accountsOfAnswers = new WeakMap<RenderedAnswer, string>();
  const listeners = new Map<string, Promise<void>>();
  let tell: ((uri: string) => void) | undefined;

  async function coreFor(caller: Caller, account: string): Promise<Outcome<Core, Failure>> {
    const own = accountsOf(caller.principal);
    return own.includes(account) ? core(account) : noAccount(account, own);
  }

  /** Tells of changes in an account under addresses that have its name. */
  function watch(account: string): void {
    if (tell === undefined || listeners.has(account)) return;
    const watching = core(account).then((opened) => {
      if (opened.ok) opened.value.watch?.((uri) => tell?.(accountAddress(account, uri)));
      else listeners.delete(account);
    });
    listeners.set(account, watching);
  }

  return {
    pipeline: {
      async call(request) {
        const chosen = chosenAccount(request.args, accountsOf(request.caller.principal));
        if (!chosen.ok) return refusal(request.tool, chosen.failure);
        const { account, args } = chosen.value;
        const opened = await core(account);
        if (!opened.ok) return refusal(request.tool, opened.failure);
        const answer = await opened.value.pipeline.call({ ...request, args });
        if (answer.kind === "rendered") accountsOfAnswers.set(answer, account);
        return answer;
      },
    },
    resources: [
      defineResource({
        uri: "tuitbot://accounts",
        name: "accounts",
        title: "Accounts",
        description: "Names of the accounts that you may act for.",
        mimeType: "application/json",
        needs: [],
        read: async (_request, { caller }) => ok({ text: JSON.stringify(accountsOf(caller.principal)) }),
      }),
      ...(home.resources ?? []).flatMap((one) =>
        namesAccount(one.uri) ? [ofTheOnlyAccount(one), ofAccount(one)] : [one],
      ),
    ],
    prompts: home.prompts ?? [],
    ...(home.stateKey && { stateKey: home.stateKey }),
    ...(home.spendAnswer && { spendAnswer: home.spendAnswer }),
    ...(home.tasks !== undefined && { tasks: tasksOfAll() }),
    watch(onChange) {
      tell = onChange;
      for (const account of watched) watch(account);
    },
    mayHear(uri, principal) {
      const account = /^tuitbot:\/\/accounts\/([^/]+)\//.exec(uri)?.[1];
      if (account === undefined) return true;
      if (!accountsOf(principal).includes(account)) return false;
      watch(account);
      return true;
    },
  };

  /** A resource at the address that it has on a server with one account, for those who may act for one. */
  function ofTheOnlyAccount(resource: Resource): Resource {
    return {
      ...resource,
      needs: [],
      async read(request, context) {
        const [account = "", ...others] = accountsOf(context.caller.principal);
        if (others.length > 0)
          return errors.fail("not_found", "You act for several accounts: read it for one of them.", {
            suggestedFix: `Read ${accountAddress("NAME", resource.uri)}; tuitbot://accounts has the names.`,
          });
        return readIn(account, resource, request, context);
      },
    };
  }

  function ofAccount(resource: Resource): Resource {
    const { uri, name, title, description, mimeType } = resource;
    const needs: readonly never[] = [];
    const declared = { uri: accountAddress("{account}", uri), name: `${name} of an account`, needs };
    return {
      ...defineResource({ ...declared, title, description, mimeType, read: async () => ok({ text: "" }) }),
      read: ({ uri, params: { account = "", ...params } }, context) =>
        readIn(account, resource, { uri, params }, context),
    };
  }

  async function readIn(
    account: string,
    resource: Resource,
    request: Parameters<Resource["read"]>[0],
    context: Parameters<Resource["read"]>[1],
  ): ReturnType<Resource["read"]> {
    const opened = await coreFor(context.caller, account);
    if (!opened.ok) return opened;
    const resolved = await opened.value.services.resolve(resource.needs, {}, context.signal);
    return resolved.ok ? resource.read(request, { ...context, ...resolved.value }) : resolved;
  }

  /** Task ids start with their account, so any server can find them. */
  function tasksOfAll(): Tasks {
    const inAccount = async (id: string, caller: Caller) => {
      const at = id.indexOf("~");
      const account = id.slice(0, at);
      const opened = await coreFor(caller, account);
      return opened.ok && opened.value.tasks !== undefined
        ? { account, tasks: opened.value.tasks, own: id.slice(at + 1) }
        : undefined;
    };
    return {
      async of(tool, answer, caller) {
        const account = accountsOfAnswers.get(answer);
        const opened = account === undefined ? undefined : await coreFor(caller, account);
        const task = opened?.ok ? await opened.value.tasks?.of(tool, answer, caller) : undefined;
        return task && { ...task, id: `${account}~${task.id}` };
      },
      async find(id, caller) {
        const found = await inAccount(id, caller);
        const task = await found?.tasks.find(found.own, caller);
        return task && { ...task, id };
      },
      async cancel(id, caller) {
        const found = await inAccount(id, caller);
        await found?.tasks.cancel(found.own, caller);
      },
    };
  }
}

/** The account of a call, and the call's arguments without it. */
function chosenAccount(
  args: JsonObject,
  own: readonly string[],
): Outcome<{ readonly account: string; readonly args: JsonObject }, Failure> {
  const [only, ...others] = own;
  // Who acts for one account is offered no such argument.
  if (only !== undefined && others.length === 0) return ok({ account: only, args });
  const { account, ...rest } = args;
  if (typeof account === "string")
    return own.includes(account) ? ok({ account, args: rest }) : noAccount(account, own);
  return failed({
    code: "invalid_input",
    message: `account is missing: the name of the account to act for. ${yours(own)}`,
    fixBy: "agent",
  });
}

/** The same whether there is such an account or not. */
function noAccount(account: string, own: readonly string[]): Outcome<never, Failure> {
  return errors.fail(
    "not_found",
    `You act for no account ${JSON.stringify(account.slice(0, 64))}. ${yours(own)}`,
    { fixBy: "agent" },
  );
}

function yours(own: readonly string[]): string {
  const named = own.slice(0, MAX_NAMED).join(", ");
  return own.length > MAX_NAMED
    ? `tuitbot://accounts has all ${own.length} of yours, such as ${named}.`
    : `Yours: ${named}.`;
}

const MAX_NAMED = 20;

const format = successEnvelope(errors, { timing: false });

/** The answer to a call that reaches no account. */
function refusal(tool: string, failure: Failure): RenderedAnswer {
  const outcome = failed(failure);
  const call = { id: "", tool, action: undefined };
  const { envelope = {} } = format.render(outcome, { call, elapsedMs: 0, annotations: {}, warnings: [] });
  return {
    kind: "rendered",
    failed: true,
    outcome,
    envelope,
    text: JSON.stringify(envelope),
    content: [],
  };
}
