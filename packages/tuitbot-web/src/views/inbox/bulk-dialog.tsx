import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PendingItem } from "tuitbot/src/web/api.ts";
import type { Problem } from "../../api/problem.ts";
import { dateTime } from "../../format/dates.ts";
import { price } from "../../format/numbers.ts";
import { Dialog, DialogEnd } from "../../parts/dialog.tsx";
import { PostMarks } from "../../parts/post-marks.tsx";
import { OwnText, Plain } from "../../parts/post-text.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { words } from "../../text/words.ts";
import { approveMany, reject } from "./decisions.ts";
import { optionsOf, otherArguments, textsOf, titleOf } from "./item-content.ts";
import { Files } from "./item-schedule.tsx";

interface Props {
  readonly items: readonly PendingItem[];
  readonly decision: "approve" | "reject";
  readonly onClose: () => void;
  /** Called with the ids of the items that were decided, and how many were not. */
  readonly onDone: (done: readonly number[], failed: number) => void;
}

/** Decides about several items, after showing every one of them whole. Recurring posts are too many for that. */
export function BulkDialog({ items: chosen, decision, onClose, onDone }: Props): JSX.Element {
  const [reason, setReason] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const isApproval = decision === "approve";
  const items = isApproval ? chosen.filter(({ schedule }) => schedule?.series === undefined) : chosen;
  const leftOut = chosen.filter((item) => !items.includes(item));
  const total = items.reduce((sum, item) => sum + item.estimated_usd, 0);
  async function decide() {
    setBusy(true);
    setProblem(undefined);
    const done = isApproval ? await approveAll() : await rejectAll();
    setBusy(false);
    if (done !== undefined) onDone(done, items.length - done.length);
  }
  /** Those that were carried out; undefined if the person did not go through with it. */
  async function approveAll(): Promise<readonly number[] | undefined> {
    const answer = await approveMany(items);
    if (answer.ok) return answer.value.results.flatMap(({ id, message }) => (message === null ? [id] : []));
    setProblem(answer.failure);
    return undefined;
  }
  async function rejectAll(): Promise<readonly number[]> {
    const done: number[] = [];
    for (const item of items) if ((await reject(item, reason.trim())).ok) done.push(item.id);
    return done;
  }
  return (
    <Dialog
      title={isApproval ? words.inbox.bulkApprove(items.length) : words.inbox.bulkReject(items.length)}
      onClose={onClose}
    >
      {isApproval && <p class="soft">{words.inbox.bulkCost(total)}</p>}
      <ul class="bulk-items">
        {items.map((item) => (
          <li key={item.id}>
            <p class="item-head">
              <b>{titleOf(item)}</b>
              <span class="num soft">{price(item.estimated_usd)}</span>
            </p>
            {textsOf(item).map((text) => (
              <p class="post-text" dir="auto" key={text}>
                <OwnText text={text} />
              </p>
            ))}
            <PostMarks options={optionsOf(item)} />
            <Files files={item.files} />
            {item.schedule !== undefined && (
              <p class="soft">{words.inbox.bulkGoesOut(dateTime(item.schedule.at))}</p>
            )}
            {otherArguments(item).map(([name, value]) => (
              <p class="mono soft" key={name}>
                {name} <Plain text={value} />
              </p>
            ))}
          </li>
        ))}
        {leftOut.map((item) => (
          <li key={item.id}>
            <p class="item-head">
              <b>{titleOf(item)}</b>
            </p>
            <p class="soft">{words.inbox.bulkSeries}</p>
          </li>
        ))}
      </ul>
      {!isApproval && (
        <label class="field">
          <span>{words.inbox.rejectHint}</span>
          <input value={reason} maxLength={500} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
      )}
      {problem !== undefined && <ProblemBox problem={problem} />}
      <DialogEnd onClose={onClose}>
        <button
          type="button"
          class={isApproval ? "primary" : "danger"}
          disabled={isBusy || items.length === 0}
          onClick={() => void decide()}
        >
          {isApproval ? words.inbox.bulkApproveYes : words.inbox.bulkRejectYes}
        </button>
      </DialogEnd>
    </Dialog>
  );
}
