import { useState } from "preact/hooks";
import type { JsonObject, PendingItem, SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { changed } from "../../api/query.ts";
import { forgetUnsaved, unsavedKey } from "../../api/unsaved.ts";
import { dateTime } from "../../format/dates.ts";
import { may } from "../../parts/role-note.tsx";
import { toast, UNDO_MS } from "../../parts/toasts.tsx";
import { words } from "../../text/words.ts";
import {
  approve,
  approveSimilar,
  edit,
  offSchedule,
  reject,
  settle,
  toNextSlot,
  unapprove,
  unreject,
} from "./decisions.ts";
import { keepEdit, unsavedEdit } from "./edit-panel.tsx";

export type Panel = "none" | "edit" | "reject";

interface View {
  readonly here: SignedIn;
  /** The item is decided. */
  readonly leave: (id: number) => void;
  /** Items wait again. */
  readonly recall: (ids: readonly number[]) => void;
  readonly open: (id: number | undefined) => void;
  /** Asks whether to take back what was sent. */
  readonly undo: (ids: readonly number[]) => void;
  readonly panelOf: (id: number, panel: Panel) => void;
}

/** The decisions about an item. Each is reported with an undo if there is one. */
export function useDecisions({ here, leave, recall, open, undo, panelOf }: View) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  async function act<Value>(
    work: () => Promise<
      { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly failure: Problem }
    >,
    done: (value: Value) => void,
  ) {
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    const answer = await work();
    setBusy(false);
    if (answer.ok) return done(answer.value);
    setProblem(answer.failure);
    changed(["approvals"]);
  }
  /** Reports a decision, which an owner can undo. */
  function report(said: string, run: () => void) {
    toast(said, may(here, "owner") ? { label: words.inbox.undo, key: "u", run } : undefined);
  }
  function reportRejection(said: string, ids: readonly number[]) {
    const run = async () => {
      if (!(await unreject(ids))) return toast(words.inbox.rejectedAlready);
      recall(ids);
      open(ids[0]);
    };
    toast(said, { label: words.inbox.undo, key: "u", run: () => void run() }, UNDO_MS);
  }
  const approveIt = (it: PendingItem) =>
    act(
      () => approve(it),
      ({ status }) => {
        if (status === "pending") {
          changed(["approvals"]);
          return toast(words.inbox.waitsForOthers);
        }
        leave(it.id);
        if (it.schedule === undefined) return report(words.inbox.approved, () => undo([it.id]));
        const said = words.inbox.approvedLater(dateTime(it.schedule.at));
        if (it.schedule.series !== undefined) return toast(said);
        report(said, async () => toast(await unapprove(it.id)));
      },
    );
  const allowSimilarTo = (it: PendingItem, period: "day" | "week") =>
    act(
      () => approveSimilar(it, period),
      ({ rule }) => {
        leave(it.id);
        toast(words.inbox.similarAdded(rule), {
          label: words.policy.learned.off,
          key: "u",
          run: () =>
            void runCommand("rule_off", { id: rule }).then(() => toast(words.policy.learned.isOff(rule))),
        });
      },
    );
  const slotIt = (it: PendingItem) =>
    act(
      () => toNextSlot(it),
      ({ draft }) => {
        leave(it.id);
        report(words.inbox.slotted(dateTime(draft.scheduled_for ?? "")), async () =>
          toast(await offSchedule(draft.draft_id)),
        );
      },
    );
  const rejectIt = (it: PendingItem, reason: string) =>
    act(
      () => reject(it, reason),
      () => {
        leave(it.id);
        forgetUnsaved(unsavedKey(here, "reason", it.id));
        reportRejection(words.inbox.rejected, [it.id]);
      },
    );
  const saveIt = (it: PendingItem, args: JsonObject) =>
    act(
      () => edit(it, args),
      (edited) => {
        forgetUnsaved(unsavedKey(here, "item", it.id));
        panelOf(it.id, "none");
        changed(["approvals"]);
        const run = () =>
          void act(
            () => edit(edited, it.args),
            () => changed(["approvals"]),
          );
        toast(words.inbox.edited, { label: words.inbox.undo, key: "u", run });
      },
    );
  function dropEdit(it: PendingItem) {
    const texts = unsavedEdit(here, it);
    forgetUnsaved(unsavedKey(here, "item", it.id));
    panelOf(it.id, "none");
    if (texts === undefined) return;
    const run = () => {
      keepEdit(here, it, texts);
      open(it.id);
      panelOf(it.id, "edit");
    };
    toast(words.compose.dropped, { label: words.inbox.undo, key: "u", run });
  }
  const settleIt = (it: PendingItem, isOut: boolean) =>
    act(
      () => settle(it, isOut),
      () => leave(it.id),
    );
  /** Reports what was decided about several items. */
  function reportDone(decision: "approve" | "reject", said: string, done: readonly number[]) {
    if (decision === "reject") reportRejection(said, done);
    else report(said, () => undo(done));
  }
  return {
    isBusy,
    problem,
    setProblem,
    reportDone,
    approveIt,
    allowSimilarTo,
    slotIt,
    rejectIt,
    saveIt,
    dropEdit,
    settleIt,
  };
}
