import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { JsonObject } from "tuitbot/src/web/api.ts";
import { callTool, runCommand } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import type { DryRun } from "../api/shapes.ts";
import { count, price } from "../format/numbers.ts";
import { words } from "../text/en.ts";
import { Icon } from "./icons.tsx";

interface Props {
  readonly texts: readonly string[];
  readonly isEmpty: boolean;
  /** Another call than a post or thread of these texts. */
  readonly call?: { readonly tool: string; readonly args: JsonObject } | undefined;
}

const PAUSE_MS = 500;

/** What would become of the texts if they were sent now: price, rule, limits. Nothing is sent or used up. */
export function Verdict({ texts, isEmpty, call }: Props): JSX.Element {
  const [found, setFound] = useState<DryRun>();
  const [problem, setProblem] = useState<Problem>();
  const [only = ""] = texts;
  const key = JSON.stringify([texts, call]);
  useEffect(() => {
    if (isEmpty) {
      setFound(undefined);
      setProblem(undefined);
      return;
    }
    let isOld = false;
    const timer = setTimeout(async () => {
      const answer =
        call !== undefined
          ? await runCommand("test_call", call)
          : texts.length > 1
            ? await callTool<DryRun>("x_post_thread_dry_run", { tweets: texts })
            : await callTool<DryRun>("x_post_tweet_dry_run", { text: only });
      if (isOld) return;
      setFound(answer.ok ? answer.value : undefined);
      setProblem(answer.ok ? undefined : answer.failure);
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [key, isEmpty]);
  return (
    <div class="dry-run" aria-live="polite">
      <h2 class="soft small">{words.compose.dryRun}</h2>
      {problem !== undefined && (
        <p class="verdict bad">
          <Icon name="warning" size={16} />
          <span>{problem.message}</span>
        </p>
      )}
      {found === undefined && problem === undefined && <p class="soft small">{words.compose.dryRunWhat}</p>}
      {found !== undefined && <Found found={found} />}
    </div>
  );
}

function Found({ found }: { readonly found: DryRun }): JSX.Element {
  // Who presses the button accepts the price of a link, which is shown.
  const isPrice = found.budget?.reason === "url_price" && found.why === found.budget.message;
  const isRefused = found.would === "refuse" && !isPrice;
  const [text, tone] = words.compose.verdicts[isRefused ? "deny" : found.policy_decision];
  const why = isRefused ? found.why : found.reason;
  return (
    <>
      <p class={`verdict ${tone}`}>
        <Icon name={tone === "ok" ? "check" : "policy"} size={16} />
        <span>
          {text}
          {why !== undefined && ` ${why}`}
        </span>
      </p>
      {found.budget !== undefined && found.budget.message !== why && (
        <p class="verdict warn">
          <Icon name="spend" size={16} />
          <span>{found.budget.message}</span>
        </p>
      )}
      <dl class="facts">
        <div>
          <dt>{words.inbox.facts.cost}</dt>
          <dd>{price(found.estimated_usd)}</dd>
        </div>
        {found.limits.map(({ key, used, max }) => (
          <div key={key}>
            <dt>{words.policy.limits[key] ?? key}</dt>
            <dd>{words.policy.used(count(used), count(max))}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
