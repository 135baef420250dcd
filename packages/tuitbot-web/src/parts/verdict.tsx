import { weighPost } from "@toolpact/x-api/text";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { JsonObject } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import { type Problem, refusalText } from "../api/problem.ts";
import type { Draft, DraftOptions, DryRun } from "../api/shapes.ts";
import { count, price } from "../format/numbers.ts";
import { words } from "../text/words.ts";
import { Icon } from "./icons.tsx";
import { reasonText } from "./rule-reason.ts";

interface Props {
  /** The posts and files to judge as the person's own; empty if there is nothing yet. */
  readonly content?: {
    readonly texts: readonly string[];
    readonly media: readonly Draft["media"][number][];
    readonly options: DraftOptions;
  };
  /** Another call, judged as an agent's. */
  readonly call?: { readonly tool: string; readonly args: JsonObject } | undefined;
  readonly isEmpty: boolean;
  /** Why nothing is shown. */
  readonly emptyNote?: string | undefined;
  /** Called with the price that is shown; undefined while none is. */
  readonly onPrice?: (usd: number | undefined) => void;
}

const PAUSE_MS = 500;

/** The price of a call, and whether policy, limits and budget let it through. Nothing is sent or used up. */
export function Verdict({ content, call, isEmpty, emptyNote, onPrice }: Props): JSX.Element {
  const [found, setFound] = useState<DryRun>();
  const [problem, setProblem] = useState<Problem>();
  const key = JSON.stringify([content, call]);
  useEffect(() => {
    onPrice?.(undefined);
    if (isEmpty) {
      setFound(undefined);
      setProblem(undefined);
      return;
    }
    let isOld = false;
    const timer = setTimeout(async () => {
      const answer =
        content === undefined
          ? await runCommand("test_call", call ?? { tool: "", args: {} })
          : await runCommand("check_post", {
              texts: [...content.texts],
              media: content.media.map((file) => ({ ...file })),
              options: content.options,
            });
      if (isOld) return;
      setFound(answer.ok ? answer.value : undefined);
      setProblem(answer.ok ? undefined : answer.failure);
      onPrice?.(answer.ok ? answer.value.estimated_usd : undefined);
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
      {found === undefined && problem === undefined && (
        <p class="soft small">{emptyNote ?? words.compose.dryRunWhat}</p>
      )}
      {found !== undefined && (
        <Found
          found={found}
          isOwn={content !== undefined}
          hasLink={content?.texts.some(costsMore) ?? false}
        />
      )}
    </div>
  );
}

function costsMore(text: string): boolean {
  return weighPost(text).billable_as === "post_with_url";
}

interface FoundProps {
  readonly found: DryRun;
  readonly isOwn: boolean;
  readonly hasLink: boolean;
}

function Found({ found, isOwn, hasLink }: FoundProps): JSX.Element {
  // Pressing the button accepts the price of a link, which is shown.
  const isPrice = found.budget?.reason === "url_price" && found.why === found.budget.message;
  const isRefused = found.would === "refuse" && !isPrice;
  const isApprovedByClick = isOwn && found.people_needed === 1;
  const [text, tone] = isRefused
    ? words.compose.verdicts.deny
    : isApprovedByClick
      ? words.compose.verdicts.ready
      : isOwn
        ? words.compose.verdicts.others
        : words.compose.verdicts[found.policy_decision];
  const why = isRefused
    ? (refusalText(found.because?.reason, found.because?.details) ?? reasonText(found.why))
    : isOwn
      ? undefined
      : reasonText(found.reason);
  return (
    <>
      <p class={`verdict ${tone}`}>
        <Icon name={tone === "ok" ? "check" : "policy"} size={16} />
        <span>
          {text}
          {why !== undefined && ` ${why}`}
        </span>
      </p>
      {(hasLink || isPrice) && (
        <p class="verdict warn">
          <Icon name="spend" size={16} />
          <span>{words.compose.linkPrice}</span>
        </p>
      )}
      {found.budget !== undefined && !isPrice && found.budget.message !== found.why && (
        <p class="verdict warn">
          <Icon name="spend" size={16} />
          <span>{refusalText(found.budget.reason, found.budget.details) ?? found.budget.message}</span>
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
