import type { Repeat } from "../../x/operation-table.ts";
import type { CallIdentity } from "./call-identity.ts";

/** Within this time a repeated call is refused, not answered: it is a slip, not a wish. */
export const REFUSAL_MS = 30_000;

const DAY_MS = 86_400_000;

/** From when a call made at this time may be made again; null for as long as it is not undone. */
export function replayUntil(
  repeat: Repeat,
  createdAt: number,
  { hasKey, hasOwnKey }: Pick<CallIdentity, "hasKey" | "hasOwnKey">,
): number | null {
  // A draft goes out once, however late somebody goes on with what a dead process left; a year is as good as for ever.
  if (hasOwnKey) return createdAt + 366 * DAY_MS;
  switch (repeat) {
    case "day":
      return createdAt + DAY_MS;
    case "until_undone":
      return null;
    case "moments":
    case "free":
      // Whoever names a call wants it once, whatever it does.
      return createdAt + (hasKey ? DAY_MS : REFUSAL_MS);
  }
}
