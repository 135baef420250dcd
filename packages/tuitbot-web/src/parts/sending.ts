import { signal } from "@preact/signals";
import { failed, type Outcome } from "@toolpact/outcome";
import type { Answer, CommandArgs } from "tuitbot/src/web/api.ts";
import { callTool, runCommand } from "../api/client.ts";
import { runSigned } from "../api/passkeys.ts";
import type { Problem } from "../api/problem.ts";
import { changed } from "../api/query.ts";
import type { Draft } from "../api/shapes.ts";
import { dateTime } from "../format/dates.ts";
import { price } from "../format/numbers.ts";
import { words } from "../text/words.ts";
import { toast, UNDO_MS } from "./toasts.tsx";

type Request = Omit<CommandArgs<"send_draft">[0], "id" | "revision">;
type Sent = Answer<"send_draft">;

/** How long the dashboard waits for the result of publishing. */
const RESULT_MS = 120_000;
const LOOK_MS = 1_000;

/** A draft that was taken back, for the editor to open. */
export const broughtBack = signal<Draft | undefined>(undefined);

/** The draft that is published unless the user takes it back now. Its time is that of a sandbox's faster clock. */
export const inUndoTime = signal<number | undefined>(undefined);

/** Publishes or schedules a draft. The person's act is the approval; the toast has the undo. */
export async function send(
  { draft_id: id, revision }: Pick<Draft, "draft_id" | "revision">,
  request: Request,
  scheduledAt = (at: string) => words.compose.scheduled(dateTime(at)),
): Promise<Outcome<Sent, Problem>> {
  const sent = await runCommand("send_draft", { id, revision, ...request });
  if (!sent.ok) return sent;
  const { item } = sent.value;
  let waitsForOthers = sent.value.waits_for === "others";
  if (sent.value.waits_for === "passkey" && item !== null) {
    const signed = await runSigned("approve", item, { purpose: "approve", items: [item] });
    if (!signed.ok) {
      // Without the signature nothing may stay on its way.
      await runCommand("take_back", { id });
      return failed(signed.failure);
    }
    waitsForOthers = signed.value.status === "pending";
  }
  changed();
  const isForLater = request.scheduled_for !== undefined || request.next_slot === true;
  const undo = {
    label: words.inbox.undo,
    key: "u",
    run: () => void takeBack(sent.value, isForLater, scheduledAt),
  };
  if (waitsForOthers) toast(words.compose.waitsForOthers, undo);
  else if (isForLater) toast(scheduledAt(sent.value.draft.scheduled_for ?? ""), undo);
  else {
    toast(words.compose.sending(price(sent.value.estimated_usd)), undo, UNDO_MS);
    inUndoTime.value = id;
    void reportResult(id, sent.value.draft.scheduled_for).finally(() => {
      if (inUndoTime.peek() === id) inUndoTime.value = undefined;
    });
  }
  return sent;
}

async function takeBack(
  { draft: { draft_id: id }, scheduled_before }: Sent,
  isForLater: boolean,
  scheduledAt: (at: string) => string,
): Promise<void> {
  const back = await runCommand("take_back", { id });
  if (!back.ok) {
    toast(words.compose.tooLate);
    return;
  }
  if (inUndoTime.peek() === id) inUndoTime.value = undefined;
  if (scheduled_before !== null) {
    await send(back.value.draft, { scheduled_for: scheduled_before }, scheduledAt);
    return;
  }
  changed();
  toast(words.compose.takenBack);
  if (isForLater) return;
  broughtBack.value = back.value.draft;
  location.hash = "#/compose";
}

/** Deletes a draft; the toast brings it back, with its time and approval. Returns why it was refused. */
export async function discardDraft(draft: Draft): Promise<Problem | undefined> {
  const { draft_id: id, scheduled_for, approval } = draft;
  const gone = await callTool("discard_draft", { id });
  if (!gone.ok) return gone.failure;
  changed();
  const run = async () => {
    const back = await runCommand("draft_restore", {
      id,
      ...(scheduled_for !== null && { scheduled_for, approve: approval !== "waiting" }),
    });
    changed();
    toast(back.ok ? words.compose.restored : back.failure.message);
    if (back.ok && scheduled_for === null) broughtBack.value = back.value.draft;
  };
  toast(words.compose.discarded, { label: words.inbox.undo, key: "u", run: () => void run() });
  return undefined;
}

/** Replies to a post. The person's act is the approval; `onTakenBack` runs if they undo it. */
export async function sendReply(
  post_id: string,
  text: string,
  onTakenBack: () => void,
): Promise<Outcome<unknown, Problem>> {
  return reportSent(await runCommand("send_reply", { post_id, text }), onTakenBack);
}

/** Writes a direct message, as `sendReply`. */
export async function sendMessage(
  conversation_id: string,
  text: string,
  onTakenBack: () => void,
): Promise<Outcome<unknown, Problem>> {
  return reportSent(await runCommand("send_message", { conversation_id, text }), onTakenBack);
}

async function reportSent(
  sent: Outcome<Answer<"send_reply">, Problem>,
  onTakenBack: () => void,
): Promise<Outcome<unknown, Problem>> {
  if (!sent.ok) return sent;
  const { item, state } = sent.value;
  if (state === "passkey" && item !== null) {
    const signed = await runSigned("approve", item, { purpose: "approve", items: [item] });
    if (!signed.ok) {
      await runCommand("take_back_reply", item);
      return signed;
    }
  }
  changed();
  if (item === null || state === "passkey") toast(words.compose.published);
  else {
    const run = async () => {
      const back = await runCommand("take_back_reply", item);
      changed();
      if (back.ok) onTakenBack();
      toast(back.ok ? words.discovery.takenBack : words.compose.tooLate);
    };
    const undo = { label: words.inbox.undo, key: "u", run: () => void run() };
    if (state === "others") toast(words.compose.waitsForOthers, undo);
    else toast(words.discovery.sending, undo, UNDO_MS);
  }
  return sent;
}

/** Reports what became of a post that was to be published at this time. Ends once it is taken back. */
async function reportResult(id: number, at: string | null): Promise<void> {
  const until = Date.now() + RESULT_MS;
  while (Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const found = await runCommand("drafts", { id });
    const [draft] = found.ok ? found.value.drafts : [];
    if (!found.ok || draft === undefined) continue;
    if (PENDING.has(draft.status)) {
      // Taken back and sent once more, which has its own report.
      if (draft.scheduled_for !== at) return;
      continue;
    }
    changed();
    if (draft.status === "published") toast(words.compose.published);
    const last = found.value.revisions.at(-1);
    // A post that the user took back is not a failure.
    if (draft.status === "draft" && last?.what === "failed") {
      const run = () => {
        broughtBack.value = draft;
        location.hash = "#/compose";
      };
      toast(
        words.compose.notPublished(last.note ?? ""),
        { label: words.compose.open, key: "o", run },
        RESULT_MS,
      );
    }
    return;
  }
}

const PENDING: ReadonlySet<Draft["status"]> = new Set(["scheduled", "publishing"]);
