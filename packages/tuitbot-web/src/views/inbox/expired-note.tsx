import type { JSX } from "preact";
import { runCommand } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { now } from "../../format/clock.ts";
import { DAY_MS } from "../../format/dates.ts";
import { addressOf } from "../../parts/route.ts";
import { words } from "../../text/words.ts";

const RECENT_MS = 3 * DAY_MS;
const MAX_COUNTED = 50;

/** How many proposals of the last days expired before anybody decided, with a link to them. */
export function ExpiredNote(): JSX.Element | null {
  const { value } = useQuery("expired", () => runCommand("log", { status: "expired", limit: MAX_COUNTED }), [
    "approvals",
  ]);
  const recent = (value?.entries ?? []).filter(
    // With `decided_by`, it was withdrawn.
    ({ created_at, decided_by }) => decided_by === null && now.value - Date.parse(created_at) < RECENT_MS,
  );
  if (recent.length === 0) return null;
  return (
    <p class="expired-note soft small">
      {words.inbox.expired(recent.length)}{" "}
      <a href={addressOf("activity", undefined, { status: "expired" })}>{words.inbox.expiredShow}</a>
    </p>
  );
}
