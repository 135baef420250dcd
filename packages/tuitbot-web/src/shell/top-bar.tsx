import type { JSX } from "preact";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { now } from "../format/clock.ts";
import { since } from "../format/dates.ts";
import { Icon } from "../parts/icons.tsx";
import { words } from "../text/words.ts";
import { AccountName } from "./accounts.tsx";
import { type Status, useStatus } from "./status.ts";
import { StopButton } from "./stop.tsx";
import { isDark, toggleTheme } from "./theme.ts";
import { address } from "./views.ts";

/** Whether X answers, money against the cap and the stop button: on every view. On a phone also the account. */
export function TopBar({ here }: { readonly here: SignedIn }): JSX.Element {
  const { value: status } = useStatus();
  return (
    <header class="top">
      <AccountName here={here} />
      <span class="grow" />
      <XState />
      {status !== undefined && <Money status={status} />}
      <button
        type="button"
        class="quiet square theme"
        aria-label={isDark.value ? words.shell.theme.light : words.shell.theme.dark}
        onClick={toggleTheme}
      >
        <Icon name={isDark.value ? "sun" : "moon"} />
      </button>
      <StopButton here={here} />
    </header>
  );
}

const NEARLY = 0.8;

function Money({ status }: { readonly status: Status }): JSX.Element {
  const { day_usd: spent, day_cap_usd: cap } = status.spending;
  const [amount, rest] = cap === null ? words.shell.spentNoCap(spent) : words.shell.spentOf(spent, cap);
  const part = cap === null || cap === 0 ? 0 : Math.min(1, spent / cap);
  const tone = part >= 1 ? "bad" : part >= NEARLY ? "warn" : "";
  return (
    <a class="meter num" href={address({ id: "spend" })}>
      <span>
        <b>{amount}</b> <span class="of">{rest}</span>
      </span>
      {cap !== null && (
        <span class={`gauge ${tone}`}>
          <i style={{ width: `${part * 100}%` }} />
        </span>
      )}
    </a>
  );
}

/** Whether X answers, by the latest request of any process. Nothing is asked for this. */
function XState(): JSX.Element | null {
  const { value } = useStatus();
  if (value === undefined) return null;
  const { asked_at: at, failed } = value.x;
  const tone = at === null ? "" : failed ? "bad" : "ok";
  const ago = at === null ? "" : since(at, now.value);
  const text = at === null ? words.shell.xUnknown : failed ? words.shell.xFailed(ago) : words.shell.xAnswers;
  return (
    <a class="x-state" href={address({ id: "setup" })} title={at === null || failed ? undefined : ago}>
      <i class={`dot ${tone}`} />
      <span class="label">{text}</span>
    </a>
  );
}
