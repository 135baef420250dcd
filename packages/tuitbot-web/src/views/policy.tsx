import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { callTool, runCommand } from "../api/client.ts";
import { useQuery } from "../api/query.ts";
import type { PolicyRule, PolicyStatus, RateLimit, ShownConfig } from "../api/shapes.ts";
import { count, price } from "../format/numbers.ts";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { postIdIn } from "../parts/post-address.ts";
import { toolName } from "../parts/tool-name.ts";
import { Verdict } from "../parts/verdict.tsx";
import { words } from "../text/words.ts";
import { LearnedRules } from "./learned-rules.tsx";

/** The rules in force in words, the limits, and what would happen to a text. */
export function Policy({ here }: { readonly here: SignedIn }): JSX.Element {
  const query = useQuery("policy", () => callTool<PolicyStatus>("get_policy_status"), ["activity"]);
  return (
    <Page title={words.views.policy} lead={words.policy.lead}>
      <section class="panel" aria-labelledby="tester">
        <header>
          <div>
            <h2 id="tester">{words.policy.tester}</h2>
            <p class="soft small">{words.policy.testerWhat}</p>
          </div>
        </header>
        <Tester />
      </section>
      <LearnedRules here={here} />
      <Loaded query={query} height={420}>
        {(policy) => (
          <>
            <section class="panel" aria-label={words.policy.rules}>
              <header>
                <div>
                  <h2>{words.policy.rules}</h2>
                  <p class="soft small">{words.policy.order}</p>
                </div>
                {policy.dry_run_mutations && <span class="chip warn">{words.policy.dryRun}</span>}
              </header>
              <ol class="rules">
                {grouped(policy.rules).map((rule) => (
                  <li key={rule.id} title={rule.id}>
                    <span class={`chip ${TONES[rule.action] ?? ""}`}>
                      {words.policy.actions[rule.action] ?? rule.action}
                    </span>
                    <p>{sentenceOf(rule)}</p>
                  </li>
                ))}
              </ol>
            </section>
            <section class="panel" aria-label={words.policy.limitsTitle}>
              <header>
                <h2>{words.policy.limitsTitle}</h2>
              </header>
              <ul class="limits">
                {policy.rate_limits.map((limit) => (
                  <Limit key={limit.action_type} limit={limit} />
                ))}
              </ul>
            </section>
          </>
        )}
      </Loaded>
      <Caps here={here} />
    </Page>
  );
}

/** The calls offered by the tester: with an id, a text, or both. */
const TESTED = [
  { tool: "x_post_tweet", id: undefined, hasText: true },
  { tool: "x_reply_to_tweet", id: "in_reply_to_id", hasText: true },
  { tool: "x_quote_tweet", id: "quoted_tweet_id", hasText: true },
  { tool: "x_like_tweet", id: "tweet_id", hasText: false },
  { tool: "x_retweet", id: "tweet_id", hasText: false },
  { tool: "x_follow_user", id: "target_user_id", hasText: false },
  { tool: "x_delete_tweet", id: "tweet_id", hasText: false },
] as const;

/** The outcome of a call, with the reason. */
function Tester(): JSX.Element {
  const [tool, setTool] = useState<string>(TESTED[0].tool);
  const [text, setText] = useState("");
  const [id, setId] = useState("");
  const kind = TESTED.find((one) => one.tool === tool) ?? TESTED[0];
  const number = postIdIn(id);
  const isEmpty = (kind.hasText && text.trim() === "") || (kind.id !== undefined && number === undefined);
  const args = {
    ...(kind.hasText && { text }),
    ...(kind.id !== undefined && { [kind.id]: number ?? "" }),
  };
  return (
    <div class="tester">
      <div class="row">
        <label class="field inline">
          <span>{words.policy.testerKind}</span>
          <select value={tool} onChange={(event) => setTool(event.currentTarget.value)}>
            {TESTED.map((one) => (
              <option key={one.tool} value={one.tool}>
                {toolName(one.tool)}
              </option>
            ))}
          </select>
        </label>
        {kind.id !== undefined && (
          <label class="field inline">
            <span>{words.policy.testerId}</span>
            <input value={id} onInput={(event) => setId(event.currentTarget.value)} />
          </label>
        )}
      </div>
      {kind.hasText && (
        <textarea
          rows={3}
          dir="auto"
          aria-label={words.policy.testerText}
          placeholder={words.policy.testerText}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      <Verdict isEmpty={isEmpty} call={{ tool: kind.tool, args }} />
    </div>
  );
}

/** Whose account it is, and the most that may be spent for it. */
function Caps({ here }: { readonly here: SignedIn }): JSX.Element {
  const query = useQuery("config", () => runCommand("config"));
  const texts = words.policy.caps;
  const { username, id } = here.account;
  return (
    <section class="panel" aria-label={texts.title}>
      <header>
        <h2>{texts.title}</h2>
      </header>
      <Loaded query={query} height={160}>
        {({ config: { budget, x_api: x } }) => {
          const cap = (name: "max_usd_per_call" | "max_usd_per_day" | "max_usd_per_month") => {
            const value = budget[name];
            if (value === undefined) return texts.none;
            return budget.unlimited && name !== "max_usd_per_call" ? texts.none : price(value);
          };
          return (
            <dl class="details">
              <div>
                <dt>{texts.account}</dt>
                <dd>
                  <span title={id}>{username === null ? id : `@${username}`}</span>
                </dd>
              </div>
              <div>
                <dt>{texts.plan}</dt>
                <dd>{planText(x)}</dd>
              </div>
              {(["max_usd_per_call", "max_usd_per_day", "max_usd_per_month"] as const).map((name) => (
                <div key={name}>
                  <dt>{texts[name]}</dt>
                  <dd class="num">{cap(name)}</dd>
                </div>
              ))}
            </dl>
          );
        }}
      </Loaded>
    </section>
  );
}

function planText({ plan, premium }: ShownConfig["config"]["x_api"]): string {
  const texts = words.policy.caps;
  return `${texts.plans[plan] ?? plan}${premium ? texts.premium : ""}`;
}

const TONES: Readonly<Record<string, string>> = { deny: "bad", require_approval: "warn", allow: "ok" };

/** Merges rules that are the same for several tools into one sentence. */
function grouped(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const groups = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const key = rule.tools.length === 0 ? rule.id : `${rule.kind} ${rule.action} ${rule.reason}`;
    const first = groups.get(key);
    groups.set(
      key,
      first === undefined
        ? rule
        : { ...first, id: first.id.replace(/:[^:]+$/, ":*"), tools: [...first.tools, ...rule.tools] },
    );
  }
  return [...groups.values()];
}

/** The subject of a rule, and its reason. */
export function sentenceOf({ id, tools, categories, reason: given = "" }: PolicyRule): string {
  const known = id.startsWith("v1:approval:") ? "v1:approval" : id;
  const reason = words.policy.reasons[known] ?? given;
  const named = [
    ...tools.map(toolName),
    ...categories.map((category) => words.policy.categories[category] ?? category),
  ];
  return named.length === 0 ? reason : `${named.join(", ")}. ${reason}`;
}

function Limit({ limit }: { readonly limit: RateLimit }): JSX.Element {
  const { action_type, request_count: used, max_requests: max } = limit;
  const part = max === 0 ? 1 : Math.min(1, used / max);
  return (
    <li>
      <span>{words.policy.limits[action_type] ?? action_type}</span>
      <span class={`gauge ${part >= 1 ? "bad" : part >= 0.8 ? "warn" : ""}`}>
        <i style={{ width: `${part * 100}%` }} />
      </span>
      <b class="num">{words.policy.used(count(used), count(max))}</b>
    </li>
  );
}
