import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PendingItem, SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import { changed, useQuery } from "../../api/query.ts";
import { forgetUnsaved, unsavedKey } from "../../api/unsaved.ts";
import { Empty } from "../../parts/empty.tsx";
import { Icon } from "../../parts/icons.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { may } from "../../parts/role-note.tsx";
import { addressOf, go, goInstead, route } from "../../parts/route.ts";
import { isPhone } from "../../parts/screen.ts";
import { words } from "../../text/words.ts";
import { BulkDialog } from "./bulk-dialog.tsx";
import { EditPanel, keepEdit, unsavedEdit } from "./edit-panel.tsx";
import { NothingWaits } from "./first-steps.tsx";
import { canWait, ItemActions, ItemDetail } from "./item-detail.tsx";
import { ItemList } from "./item-list.tsx";
import { RejectPanel } from "./reject-panel.tsx";
import { useShownItems } from "./shown-items.ts";
import { UndoDialog } from "./undo-dialog.tsx";
import { type Panel, useDecisions } from "./use-decisions.ts";

/** The waiting items, and the controls to decide about them. */
export function Inbox({ here }: { readonly here: SignedIn }): JSX.Element {
  const query = useQuery("pending", () => runCommand("pending"), ["approvals"]);
  return (
    <Loaded query={query} height={420}>
      {(pending) => <InboxView items={pending.items} isOld={query.isOld} here={here} />}
    </Loaded>
  );
}

interface InboxViewProps {
  readonly items: readonly PendingItem[];
  readonly isOld: boolean;
  readonly here: SignedIn;
}

/** The open item is in the address, where links in messages and the Back button find it. */
function itemInAddress(): number | undefined {
  const { view, thing } = route.value;
  return view === "inbox" && thing !== undefined ? Number(thing) : undefined;
}

function InboxView({ items, isOld, here }: InboxViewProps): JSX.Element {
  const { shown, arrived, showArrived, isGone, forget, recall } = useShownItems(items, isOld);
  const asked = itemInAddress();
  /** On a phone the list and an item are two pages. */
  const isItemPage = asked !== undefined;
  const setOpened = (id: number | undefined) => goInstead(addressOf("inbox", id));
  useEffect(() => {
    const begun = items.find((one) => unsavedEdit(here, one) !== undefined)?.id;
    if (itemInAddress() === undefined && begun !== undefined) setOpened(begun);
  }, []);
  // A link may lead to an item that came after the list was drawn.
  const hasArrived = items.some(({ id }) => id === asked) && !shown.some(({ id }) => id === asked);
  useEffect(() => {
    if (hasArrived) showArrived();
  }, [hasArrived]);
  const isUnknown = asked !== undefined && !isOld && !hasArrived && !shown.some(({ id }) => id === asked);
  const [chosenPanel, choosePanel] = useState<{ of: number | undefined; panel: Panel }>();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [bulk, setBulk] = useState<"approve" | "reject">();
  const [undoing, setUndoing] = useState<readonly number[]>();

  const index = Math.max(
    0,
    shown.findIndex(({ id }) => id === asked),
  );
  const item = shown[index];
  const current = item?.id;
  const setPanel = (panel: Panel) => choosePanel({ of: current, panel });
  // An edit that was begun goes on.
  const hasEdit = item !== undefined && may(here, "approver") && unsavedEdit(here, item) !== undefined;
  const panel = current === chosenPanel?.of ? (chosenPanel?.panel ?? "none") : hasEdit ? "edit" : "none";

  function move(step: number) {
    const next = shown[Math.min(shown.length - 1, Math.max(0, index + step))];
    if (next !== undefined) setOpened(next.id);
  }
  function choose(id: number) {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  }
  /** The item is decided: the next one takes its place. */
  function leave(id: number) {
    const next = shown[index + 1] ?? shown[index - 1];
    setOpened(isPhone.value ? undefined : next?.id);
    forget([id]);
    forgetUnsaved(unsavedKey(here, "item", id));
    setChosen(new Set([...chosen].filter((one) => one !== id)));
    changed(["approvals", "spend", "activity", "drafts"]);
  }
  const {
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
  } = useDecisions({
    here,
    leave,
    recall,
    open: setOpened,
    undo: setUndoing,
    panelOf: (of, panel) => choosePanel({ of, panel }),
  });
  useEffect(() => setProblem(undefined), [current]);

  const mayDecide = may(here, "approver");
  const canDecide =
    mayDecide && item !== undefined && panel === "none" && !isGone(item.id) && item.status !== "releasing";
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    a: canDecide ? () => void approveIt(item) : undefined,
    s: canDecide && canWait(item) ? () => void slotIt(item) : undefined,
    e: canDecide ? () => setPanel("edit") : undefined,
    r: canDecide ? () => setPanel("reject") : undefined,
    x: item === undefined || !mayDecide ? undefined : () => choose(item.id),
  });

  const dialogs = (
    <>
      {bulk !== undefined && (
        <BulkDialog
          decision={bulk}
          items={shown.filter(({ id }) => chosen.has(id) && !isGone(id))}
          onClose={() => setBulk(undefined)}
          onDone={(done, failed) => {
            setBulk(undefined);
            setChosen(new Set());
            forget(done);
            changed();
            reportDone(bulk, words.inbox.bulkDone[bulk](done.length, failed), done);
          }}
        />
      )}
      {undoing !== undefined && <UndoDialog items={undoing} onClose={() => setUndoing(undefined)} />}
    </>
  );
  if (item === undefined)
    return (
      <>
        <NothingWaits here={here} />
        {dialogs}
      </>
    );
  const handle = here.account.username === null ? here.account.id : `@${here.account.username}`;
  return (
    <div class={isItemPage ? "inbox item-page" : "inbox"}>
      <ItemList
        items={shown}
        current={current}
        chosen={chosen}
        arrived={arrived}
        isGone={isGone}
        mayDecide={mayDecide}
        onOpen={(id) => go(addressOf("inbox", id))}
        onChoose={choose}
        onShowArrived={showArrived}
        onBulk={setBulk}
        onClear={() => setChosen(new Set())}
      />
      <section class="item" aria-label={words.inbox.position(index + 1, shown.length)}>
        <div class="item-body">
          <button type="button" class="quiet small to-list" onClick={() => setOpened(undefined)}>
            <Icon name="back" size={16} />
            {words.inbox.back}
          </button>
          {isUnknown ? (
            <Gone onNext={() => setOpened(undefined)} />
          ) : isGone(item.id) ? (
            <Gone onNext={() => leave(item.id)} />
          ) : (
            <div class="fade" key={item.id}>
              <ItemDetail
                item={item}
                handle={handle}
                name={here.account.name}
                editor={
                  panel === "edit" ? (
                    <EditPanel
                      key={item.digest}
                      item={item}
                      isBusy={isBusy}
                      note={
                        item.people_needed > 1
                          ? words.inbox.editWithOthers(item.people_needed - 1)
                          : words.inbox.editAlone
                      }
                      begun={unsavedEdit(here, item)}
                      onType={(texts) => keepEdit(here, item, texts)}
                      onSave={(args) => void saveIt(item, args)}
                      onCancel={() => dropEdit(item)}
                    />
                  ) : undefined
                }
              />
              {problem !== undefined && <ProblemBox problem={problem} />}
              {panel === "reject" && (
                <RejectPanel
                  unsavedKey={unsavedKey(here, "reason", item.id)}
                  isBusy={isBusy}
                  onReject={(reason) => void rejectIt(item, reason)}
                  onCancel={() => setPanel("none")}
                />
              )}
              {panel === "none" && (
                <ItemActions
                  item={item}
                  here={here}
                  isBusy={isBusy}
                  onApprove={() => void approveIt(item)}
                  onSimilar={(period) => void allowSimilarTo(item, period)}
                  onSlot={() => void slotIt(item)}
                  onEdit={() => setPanel("edit")}
                  onReject={() => setPanel("reject")}
                  onSettle={(isOut) => void settleIt(item, isOut)}
                />
              )}
            </div>
          )}
        </div>
      </section>
      {dialogs}
    </div>
  );
}

function Gone({ onNext }: { readonly onNext: () => void }): JSX.Element {
  return (
    <Empty icon="check" title={words.inbox.elsewhere} what={words.inbox.elsewhereWhat}>
      <button type="button" onClick={onNext}>
        {words.inbox.elsewhereNext}
      </button>
    </Empty>
  );
}
