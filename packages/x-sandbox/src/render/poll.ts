import { iso, type JsonObject } from "../json.ts";
import type { Poll } from "../world/post.ts";
import { withFields } from "./fields.ts";
import type { View } from "./view.ts";

export function renderPoll(poll: Poll, view: View): JsonObject {
  const options = poll.options.map(({ label, votes }, i) => ({ position: i + 1, label, votes }));
  return withFields({ id: poll.id, options }, view.wanted.polls, {
    duration_minutes: poll.minutes,
    end_datetime: iso(poll.endsAt),
    voting_status: view.now < poll.endsAt ? "open" : "closed",
  });
}
