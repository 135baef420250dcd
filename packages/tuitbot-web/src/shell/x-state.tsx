import type { JSX } from "preact";
import { now } from "../format/clock.ts";
import { since } from "../format/dates.ts";
import { words } from "../text/en.ts";
import { address } from "./route.ts";
import { useStatus } from "./status.ts";

/** Whether X answers, by the latest request of any process. Nothing is asked for this. */
export function XState(): JSX.Element | null {
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
      <span class="short" aria-hidden="true">
        X
      </span>
    </a>
  );
}
