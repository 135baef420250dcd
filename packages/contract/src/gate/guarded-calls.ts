import { setTimeout } from "node:timers/promises";
import { ProtocolError } from "@modelcontextprotocol/server";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Clock } from "../clock.ts";
import type { ApprovalItem } from "../guards/approval-item.ts";
import type { PersonsAnswer } from "../guards/ask-person.ts";
import { usdOf } from "../guards/money.ts";
import type { CallIdentity, Receipt } from "../guards/receipt.ts";
import type { EarlierCall } from "../guards/receipt-storage.ts";
import { type Ending, sendOnce } from "../guards/send-once.ts";
import { quotedClient } from "../guards/shown-item.ts";
import { visibleJson } from "../guards/shown-text.ts";
import type { GuardStorage, NotClaimed } from "../guards/storage.ts";
import type { Json, JsonObject } from "../json.ts";
import { excess } from "../limits.ts";
import { printable } from "../printable.ts";
import { redact } from "../redact.ts";
import type { Policy, ToolRule } from "./policy.ts";
import { codeOf, GATE_META, NO_TASKS, refusal } from "./refusal.ts";
import { failureKind } from "./upstream.ts";

/** A call as it comes to the gate. */
export interface GatedCall extends CallIdentity {
  readonly id: string;
  readonly client: string | undefined;
  /** Aborted when the caller has cancelled or is gone. */
  readonly signal: AbortSignal;
  /** Sends it to the server. */
  readonly forward: () => Promise<JsonObject>;
  /** Asks the person through the client; undefined where that cannot be. */
  readonly askPerson: ((item: ApprovalItem) => Promise<PersonsAnswer>) | undefined;
  /** Tells the caller, for the so many-th time, that it waits. */
  readonly tell: (message: string, times: number) => void;
}

export interface GuardedCallsOptions {
  readonly policy: Policy;
  readonly storage: GuardStorage;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

const POLL_MS = 200;
const TELL_EVERY = 25;

/** Takes calls through the policy: what needs a person waits, nothing is sent twice, and no more than allowed. */
export class GuardedCalls {
  private readonly options: GuardedCallsOptions;

  constructor(options: GuardedCallsOptions) {
    this.options = options;
  }

  /** The server's answer, or the gate's own. It is in the audit log before it is returned. */
  async call(call: GatedCall): Promise<JsonObject> {
    const { policy, clock } = this.options;
    const rule = policy.toolRule(call.tool);
    const startedAt = clock.now();
    const notes: Notes = { itemId: undefined, receiptId: undefined };
    return this.recorded(call, rule, startedAt, notes, () => this.decide(call, rule, notes));
  }

  /** Writes what a call came to into the audit log, before anybody is told. */
  private async recorded(
    call: Pick<GatedCall, "id" | "tool" | "args" | "client" | "principal">,
    { rule }: ToolRule,
    startedAt: number,
    notes: Notes,
    work: () => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { storage, clock, log } = this.options;
    const write = (outcome: "done" | "failed", code: string | undefined) =>
      storage
        .record({
          id: call.id,
          at: startedAt,
          tool: call.tool,
          action: undefined,
          client: call.client,
          principal: call.principal,
          input: redact(call.args),
          outcome,
          code,
          elapsedMs: clock.now() - startedAt,
          decision: rule,
          itemId: notes.itemId,
          receiptId: notes.receiptId,
        })
        .catch((error: Error) => log(`A call of ${call.tool} is missing in the audit log: ${error.message}`));
    try {
      const result = await work();
      await write(
        result.isError === true ? "failed" : "done",
        codeOf(result) ?? (result.isError ? "tool_error" : undefined),
      );
      return result;
    } catch (error) {
      await write("failed", error instanceof ProtocolError ? `protocol_error ${error.code}` : "lost");
      throw error;
    }
  }

  /** Stores what a person has answered through the client that calls. */
  async takeAnswer(
    { id, digest }: Pick<ApprovalItem, "id" | "digest">,
    answer: PersonsAnswer,
    client: string | undefined,
  ): Promise<void> {
    if (answer === "no_answer") return;
    await this.options.storage.decide({
      id,
      digest,
      approve: answer === "yes",
      by: `person via ${quotedClient(client ?? "")}`,
      note: "",
      now: this.options.clock.now(),
    });
  }

  /** Sends what a person has approved and no caller waits for, where the server has the tool. */
  async release(
    isOffered: (tool: string) => boolean,
    forward: (item: ApprovalItem) => Promise<JsonObject>,
  ): Promise<void> {
    const { policy, storage, clock, log } = this.options;
    for (const item of await storage.releasable(clock.now())) {
      const { tool, args, client, principal } = item;
      const rule = policy.toolRule(tool);
      if (rule.rule === "deny" || !isOffered(tool)) continue;
      const call = { id: crypto.randomUUID(), tool, args, client, principal, forward: () => forward(item) };
      const notes: Notes = { itemId: item.id, receiptId: undefined };
      const what = await this.recorded(call, rule, clock.now(), notes, () =>
        this.send(call, rule, item.id, notes, false),
      ).then(
        (result) => codeOf(result) ?? "sent",
        (error: Error) => `the server has refused it: ${error.message}`,
      );
      log(`Item ${item.id} (${tool}) was released: ${what}.`);
    }
  }

  private async decide(call: GatedCall, rule: ToolRule, notes: Notes): Promise<JsonObject> {
    const { storage, clock } = this.options;
    const tooMuch = excess(call.args);
    if (tooMuch !== undefined) return refusal("bad_arguments", `The arguments ${tooMuch}. Nothing was sent.`);
    if (rule.rule === "deny")
      return refusal("denied_by_policy", `The policy of this gate refuses ${call.tool}. Nothing was sent.`);
    if (rule.rule === "read_only") return this.read(call, rule, notes);
    const now = clock.now();
    const { sameCallMs, needs } = rule;
    const earlier = await storage.earlier(call, { sameCallMs, now });
    if (earlier !== undefined) return this.answerEarlier(call, earlier, notes);
    const trial = await storage.claim({
      ...call,
      sameCallMs,
      needs,
      now,
      leaseMs: 0,
      receiptId: "",
      isTrial: true,
    });
    if (!trial.ok) return this.refuse(call, trial.failure, notes);
    if (rule.rule === "allow") return this.send(call, rule, undefined, notes, true);
    const decided = await this.waitForPerson(call, rule, notes);
    return decided.ok ? this.send(call, rule, decided.value, notes, true) : decided.failure;
  }

  private async read(call: GatedCall, rule: ToolRule, notes: Notes): Promise<JsonObject> {
    const { needs } = rule;
    if (needs.costMicros === 0 && needs.limits.length === 0) return readAnswer(call);
    let result: JsonObject | undefined;
    const sent = await sendOnce(
      this.options.storage,
      this.options.clock,
      { ...call, needs, sameCallMs: 0, isRead: true },
      async () => {
        result = await readAnswer(call);
        return { state: "done", result: null };
      },
    );
    if (!sent.ok) return this.refuse(call, sent.failure, notes);
    notes.receiptId = sent.value.receiptId;
    if (result === undefined) throw new Error("The server has not answered.");
    return result;
  }

  private async send(
    call: Pick<GatedCall, "id" | "tool" | "args" | "key" | "principal" | "forward"> & {
      readonly signal?: AbortSignal;
    },
    { needs, sameCallMs }: ToolRule,
    itemId: number | undefined,
    notes: Notes,
    hasCaller: boolean,
  ): Promise<JsonObject> {
    const { storage, clock } = this.options;
    const claim = {
      tool: call.tool,
      args: call.args,
      key: call.key,
      principal: call.principal,
      needs,
      sameCallMs,
      itemId,
    };
    let refused: ProtocolError | undefined;
    const sent = await sendOnce(storage, clock, claim, (receiptId) => {
      notes.receiptId = receiptId;
      return sendingOf(call, (error) => {
        refused = error;
      });
    });
    if (refused !== undefined) throw refused;
    if (!sent.ok) return this.refuse(call, sent.failure, notes);
    const { receiptId, ending } = sent.value;
    if (ending.state === "done" && hasCaller && call.signal?.aborted !== true)
      await storage.delivered(receiptId);
    return answerOf(call.tool, receiptId, ending);
  }

  /** The item that a person has approved, or what to answer instead. */
  private async waitForPerson(
    call: GatedCall,
    rule: ToolRule,
    notes: Notes,
  ): Promise<Outcome<number, JsonObject>> {
    const { policy, storage, clock } = this.options;
    const now = clock.now();
    const heldUntil = now + policy.waitMs;
    const proposed = await storage.propose({
      ...call,
      reason: rule.isNamed
        ? `The policy says that a person decides about ${call.tool}.`
        : `The policy does not name ${call.tool}, so a person decides.`,
      expiresAt: now + policy.expiresMs,
      // A little longer, so that nobody else sends it while this caller is about to.
      heldUntil: heldUntil + 2 * POLL_MS,
      now,
    });
    if (!proposed.ok)
      return failed(refusal("inbox_full", "Too many calls wait for a person already. Nothing was sent."));
    const { id } = proposed.value;
    notes.itemId = id;
    let item: ApprovalItem | undefined = proposed.value;
    if (item.status === "waiting" && call.askPerson !== undefined) {
      const answer = await call.askPerson(item).catch((): PersonsAnswer => "no_answer");
      await this.takeAnswer(item, answer, call.client);
      item = await storage.item(id);
    }
    for (
      let polls = 0;
      item?.status === "waiting" && clock.now() < heldUntil && !call.signal.aborted;
      polls++
    ) {
      if (polls % TELL_EVERY === 0)
        call.tell(`Waiting for a person to decide about item ${id}.`, polls / TELL_EVERY + 1);
      await setTimeout(POLL_MS, undefined, { signal: call.signal }).catch(() => {});
      item = await storage.item(id);
    }
    switch (item?.status) {
      case "approved":
        return ok(id);
      case "rejected":
        return failed(
          refusal(
            "rejected_by_person",
            `A person has rejected this call${item.note === undefined ? "" : `: ${item.note}`}. Nothing was sent. Do not make the same call again.`,
            { item_id: id },
          ),
        );
      default: {
        await storage.hold(id, 0);
        return failed(
          refusal(
            "waiting_for_person",
            `This call waits for a person as item ${id}. Nothing was sent yet; it is sent once they approve it. Make the same call with the same arguments later to get its outcome.`,
            { item_id: id, expires_at: new Date(proposed.value.expiresAt).toISOString() },
          ),
        );
      }
    }
  }

  private async answerEarlier(
    call: Pick<GatedCall, "tool">,
    earlier: EarlierCall<Receipt>,
    notes: Notes,
  ): Promise<JsonObject> {
    const { receipt } = earlier;
    const about = { receipt_id: receipt.id };
    notes.receiptId = receipt.id;
    notes.itemId = receipt.itemId;
    switch (earlier.kind) {
      case "running":
        return refusal(
          "still_running",
          "The same call is being carried out. Make it again later to get its outcome.",
          about,
        );
      case "in_doubt":
      case "partly_done":
        return inDoubt(call.tool, receipt.id);
      case "key_reused":
        return refusal(
          "key_reused",
          `This key belongs to an earlier call of ${receipt.tool} with other arguments. Use another key for another call.`,
          about,
        );
      case "just_done":
      case "done": {
        await this.options.storage.delivered(receipt.id);
        if (receipt.result === undefined)
          return refusal(
            "settled_by_person",
            `This call was carried out before, and its answer was lost: a person has looked and found that it was done${receipt.note ? ` (${receipt.note})` : ""}. It was not sent again.`,
            about,
          );
        return marked(storedAnswer(JSON.parse(receipt.result) as Json), { ...about, from_receipt: true });
      }
    }
  }

  private async refuse(call: Pick<GatedCall, "tool">, why: NotClaimed, notes: Notes): Promise<JsonObject> {
    switch (why.kind) {
      case "repeat":
        return this.answerEarlier(call, why.earlier, notes);
      case "item_used":
        return refusal(
          "waiting_for_person",
          "The approval of this call was used or has expired. Call again to ask anew.",
        );
      case "limit": {
        const { tool, max, periodMs } = why.limit;
        return refusal(
          "limit_reached",
          `At most ${max} calls${tool === undefined ? "" : ` of ${tool}`} are allowed in ${periodMs / 1_000} s. Nothing was sent. Try again at ${new Date(why.resetsAt).toISOString()}.`,
          { retry_after_ms: Math.max(0, why.resetsAt - this.options.clock.now()) },
        );
      }
      case "budget":
        return refusal(
          "over_budget",
          `The budget of the ${why.cap} is ${usdOf(why.capMicros)} USD, of which ${usdOf(why.spentMicros ?? 0)} USD are spent or held: there is not enough left for ${call.tool}. Nothing was sent.`,
        );
    }
  }
}

/** What the guards have to do with a call, for its record. */
interface Notes {
  itemId: number | undefined;
  receiptId: string | undefined;
}

/** How sending ended. `onRefused` gets the error of a server that has refused to begin. */
async function sendingOf(
  { forward }: Pick<GatedCall, "forward">,
  onRefused: (error: ProtocolError) => void,
): Promise<Ending> {
  try {
    return { state: "done", result: { result: await forward() } };
  } catch (error) {
    // Whatever is thrown here is an error.
    const { message } = error as Error;
    switch (failureKind(error)) {
      case "answered": {
        const refused = error as ProtocolError;
        const { code, data } = refused;
        if (NEVER_BEGUN.has(code)) {
          onRefused(code === MISSING_CAPABILITY ? withoutExtensions(refused) : refused);
          return { state: "not_done", note: message };
        }
        // It came as JSON.
        return { state: "done", result: { error: { code, message, data: (data ?? null) as Json } } };
      }
      case "not_sent":
        return { state: "not_done", note: message };
      case "lost":
        return { state: "in_doubt", note: message };
    }
  }
}

/**
 * Parse error, invalid request, unknown method, wrong params, contradicting headers and a missing capability: the server has
 * refused to begin.
 */
const MISSING_CAPABILITY = -32_021;
const NEVER_BEGUN: ReadonlySet<number> = new Set([
  -32_700,
  -32_600,
  -32_601,
  -32_602,
  -32_020,
  MISSING_CAPABILITY,
]);

/** The client may have what the server misses, where it is an extension: then it has to know where it was lost. */
function withoutExtensions(error: ProtocolError): ProtocolError {
  // What the server has written there, if it keeps to the protocol.
  const { requiredCapabilities } = (error.data ?? {}) as { requiredCapabilities?: JsonObject };
  if (requiredCapabilities?.extensions === undefined) return error;
  const names = Object.keys(requiredCapabilities.extensions as object).join(", ");
  return new ProtocolError(
    error.code,
    `The server does this only for clients with ${printable(names)}. ${NO_TASKS} It passes no other extension either. Nothing was done.`,
    error.data,
  );
}

function answerOf(tool: string, receiptId: string, ending: Ending): JsonObject {
  switch (ending.state) {
    case "done":
      return marked(storedAnswer(ending.result), { receipt_id: receiptId });
    case "in_doubt":
      return inDoubt(tool, receiptId);
    case "not_done":
      return refusal("server_unreachable", `${ending.note} Nothing was done.`, { receipt_id: receiptId });
  }
}

/** The server's answer as it was stored. An error of the protocol is thrown again. */
function storedAnswer(stored: Json): JsonObject {
  // Written above.
  const { result, error } = stored as {
    readonly result?: JsonObject;
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  };
  if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data);
  return result ?? {};
}

/** Reads may be made again, so that a lost answer is a failure like any other. */
async function readAnswer({ forward, tool }: GatedCall): Promise<JsonObject> {
  try {
    return marked(await forward(), undefined);
  } catch (error) {
    if (failureKind(error) === "answered") throw error;
    return refusal(
      "server_unreachable",
      `${tool} got no answer: ${(error as Error).message}. It only reads: call again.`,
    );
  }
}

function inDoubt(tool: string, receiptId: string): JsonObject {
  return refusal(
    "in_doubt",
    `This call of ${tool} was sent, and its answer was lost: nobody knows whether it was carried out. It is not sent again. A person looks and settles it with toolpact gate approve.`,
    { receipt_id: receiptId },
  );
}

/** The answer with what the gate knows of it, in place of what the server may have written there. */
function marked(result: JsonObject, about: JsonObject | undefined): JsonObject {
  // A result's `_meta` is an object where it is there.
  const { [GATE_META]: _, ...meta } = (result._meta ?? {}) as JsonObject;
  if (about === undefined && result._meta === undefined) return result;
  return { ...result, _meta: { ...meta, ...(about && { [GATE_META]: about }) } };
}

/** The question to a person, with all that will be sent. */
export function questionFor(gate: string, { id, tool, args, reason }: ApprovalItem): string {
  return `May ${tool} of ${gate} be called with exactly these arguments? ${reason} (Item ${id}.)\n\n${visibleJson(args)}`;
}
