import { userInfo } from "node:os";
import { personVia } from "@toolpact/contract/internal/guards";

/** Names the person who decides at this terminal: the user of the operating system. */
export function decider(): string {
  try {
    return personVia("terminal", `user ${JSON.stringify(userInfo().username)}`);
  } catch {
    // The user has no entry in the machine's list of users, as in some containers.
    return personVia("terminal", `uid ${process.getuid?.()}`);
  }
}
