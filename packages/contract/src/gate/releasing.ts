import type { Clock } from "../clock.ts";
import type { GuardStorage } from "../guards/storage.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Forward } from "./forward.ts";
import type { GateContext } from "./gate-product.ts";
import type { UpstreamCatalog } from "./upstream-catalog.ts";

interface ReleaseOptions {
  readonly storage: GuardStorage;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  readonly catalog: UpstreamCatalog;
  readonly pipeline: Pipeline<Partial<GateContext>>;
  readonly forward: Forward;
}

const RELEASE_MS = 1_000;

/** Makes approved calls whose callers have gone, if the server has their tool. The returned function stops that. */
export function releasing(options: ReleaseOptions): () => void {
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    release(options)
      .catch((error: Error) => options.log(`Approved calls cannot be sent: ${error.message}`))
      .finally(() => {
        isBusy = false;
      });
  }, RELEASE_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function release({ storage, clock, log, catalog, pipeline, forward }: ReleaseOptions): Promise<void> {
  for (const { id, tool, args, client, principal } of await storage.releasable(clock.now())) {
    if (catalog.get(tool) === undefined) continue;
    const answer = await pipeline.call({
      tool,
      args,
      // The approver makes the call, for the caller who has gone.
      caller: {
        transport: "web",
        ...(client !== undefined && { client }),
        ...(principal !== undefined && { principal }),
      },
      context: {
        forward: (given) => forward("tools/call", { name: tool, arguments: given }, undefined),
        releasedItem: id,
      },
    });
    const failure = answer.kind === "rendered" && !answer.outcome.ok ? answer.outcome.failure : undefined;
    log(`Item ${id} (${tool}) was released: ${failure === undefined ? "sent" : failure.code}.`);
  }
}
