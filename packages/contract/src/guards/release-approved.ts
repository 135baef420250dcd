import type { Answer } from "../call-state.ts";
import type { Clock } from "../clock.ts";
import type { CallRequest, Pipeline } from "../pipeline.ts";
import type { ApprovalItem } from "./approval-item.ts";
import type { GuardStorage } from "./storage.ts";

export interface ReleaseOptions<Context> {
  readonly pipeline: Pipeline<Context>;
  readonly storage: Pick<GuardStorage, "releasable" | "takeReleasable" | "hold">;
  readonly clock: Clock;
  /**
   * Undefined if the call cannot run here. `approval.released` must return the item, and `once.isDelivered`
   * false.
   */
  readonly callOf: (item: ApprovalItem) => CallRequest<Context> | undefined;
  readonly onReleased: (item: ApprovalItem, answer: Answer) => void;
  /** The storage failed; the next round tries again. */
  readonly onError: (error: Error) => void;
}

const RELEASE_MS = 1_000;
/** Milliseconds until another process may send an item that this one took. */
const TAKEN_MS = 20_000;

/** Runs approved calls whose callers left, once a second, until the returned function is called. */
export function releaseApproved<Context>(options: ReleaseOptions<Context>): () => void {
  let isStopped = false;
  let cancel = () => {};
  const again = () => {
    if (isStopped) return;
    cancel = options.clock.after(RELEASE_MS, () => {
      release(options).catch(options.onError).finally(again);
    });
  };
  again();
  return () => {
    isStopped = true;
    cancel();
  };
}

async function release<Context>({
  pipeline,
  storage,
  clock,
  callOf,
  onReleased,
}: ReleaseOptions<Context>): Promise<void> {
  for (const item of await storage.releasable(clock.now())) {
    const request = callOf(item);
    if (request === undefined) continue;
    const takenAt = clock.now();
    if (!(await storage.takeReleasable(item.id, takenAt, takenAt + TAKEN_MS))) continue;
    onReleased(item, await pipeline.call(request));
    // A call that was refused before it was sent is tried again in the next round.
    if (clock.now() < takenAt + TAKEN_MS) await storage.hold(item.id, 0);
  }
}
