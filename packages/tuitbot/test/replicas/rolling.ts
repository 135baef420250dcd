import { connectAgent, type Fleet } from "./fleet.ts";

export interface CallCounts {
  calls: number;
  done: number;
  /** Calls that got no answer. */
  readonly broken: string[];
  /** Answers other than a success, by code and reason. */
  readonly refused: Record<string, number>;
  /** The texts of the posts that were answered with a success. */
  readonly posted: string[];
  readonly elapsedMs: number[];
}

/** Agents that call through the proxy, one call after the other, until stopped. */
export async function startAgents(
  { proxy }: Pick<Fleet, "proxy">,
  count: number,
  calls: number,
  share = 0.08,
): Promise<{
  readonly counts: CallCounts;
  readonly ended: Promise<void>;
  readonly reached: (n: number) => Promise<void>;
}> {
  const counts: CallCounts = { calls: 0, done: 0, broken: [], refused: {}, posted: [], elapsedMs: [] };
  const waiting: { readonly at: number; readonly resolve: () => void }[] = [];
  let begun = 0;

  async function work(name: string): Promise<void> {
    const agent = await connectAgent(proxy.url, name);
    while (begun < calls) {
      const number = ++begun;
      const isPost = Math.floor(number * share) > Math.floor((number - 1) * share);
      const text = `call ${number}`;
      const started = performance.now();
      const answer = isPost
        ? await agent.call("x_post_tweet", { text, idempotency_key: text })
        : await agent.call("list_drafts");
      counts.elapsedMs.push(performance.now() - started);
      counts.calls += 1;
      if ("broken" in answer) counts.broken.push(`${text}: ${answer.broken}`);
      else if (answer.success) {
        counts.done += 1;
        if (isPost) counts.posted.push(text);
      } else {
        const name = `${answer.error?.code} ${answer.error?.reason ?? ""}`.trim();
        counts.refused[name] = (counts.refused[name] ?? 0) + 1;
      }
      for (const one of waiting) if (counts.calls >= one.at) one.resolve();
    }
    await agent.close();
  }

  const ended = Promise.all(Array.from({ length: count }, (_, index) => work(`agent ${index}`))).then(() => {
    for (const { resolve } of waiting) resolve();
  });
  return {
    counts,
    ended,
    reached: (at) =>
      new Promise((resolve) => {
        if (counts.calls >= at) resolve();
        else waiting.push({ at, resolve });
      }),
  };
}
