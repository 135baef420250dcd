import type { JSX } from "preact";
import { session } from "../api/client.ts";
import { now } from "../format/clock.ts";
import { since } from "../format/dates.ts";
import { words } from "../text/en.ts";
import { useStatus } from "./status.ts";

/** Whether the loop works, and whether everything is stopped. */
export function Alive(): JSX.Element {
  const { value } = useStatus();
  const here = session.value;
  const stop = here?.signed_in ? here.stop : null;
  const { alive = false, last_worked_at: last = null } = value?.runner ?? {};
  return (
    <div class="alive-list">
      {stop !== null && (
        <span class="alive">
          <i class="dot bad" />
          {words.shell.stopped}
        </span>
      )}
      <span class="alive">
        <i class={`dot ${alive ? "ok" : "warn"}`} />
        <span>
          {alive ? words.shell.loopAlive : words.shell.loopNone}
          {last !== null && `, ${words.shell.loopLast(since(last, now.value))}`}
        </span>
      </span>
    </div>
  );
}
