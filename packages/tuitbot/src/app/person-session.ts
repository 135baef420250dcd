import { type Approvals, approvalsFor } from "./approvals.ts";
import type { Services } from "./services.ts";
import type { Visitor } from "./sign-in/sessions.ts";

/** A person who uses an account in a browser. */
export interface PersonSession extends Pick<Services, "db" | "workflow" | "config" | "approvals"> {
  /** The person, as approvals and the audit name them. */
  readonly by: string;
  readonly visitor: Visitor & {
    /** The origin of the dashboard, as the browser knows it. */
    readonly origin: string;
    /** By the clock of this machine. */
    readonly now: number;
  };
  readonly signal: AbortSignal;
}

/** The decisions that the person can make. */
export function approvalsOf(session: PersonSession): Approvals {
  return approvalsFor(session, session.by, session.signal);
}
