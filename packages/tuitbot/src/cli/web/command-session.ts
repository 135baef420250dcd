import type { Core } from "../../server/core.ts";
import type { Services } from "../../tools/product.ts";
import type { Visitor } from "../../web/sign-in.ts";
import { type ApprovalSession, approvalSession } from "../approve/approval-session.ts";
import type { SetupConversation } from "./setup-conversation.ts";

/** Who is at the browser, and when and where, by the clock of this machine. */
interface CommandVisitor extends Visitor {
  /** Of the page, as the browser knows it. */
  readonly origin: string;
  readonly now: number;
}

/** What a command works with: everything that its like at the terminal has. */
export interface CommandSession extends Pick<Services, "db" | "workflow" | "config" | "approvals"> {
  readonly core: Core;
  readonly setup: SetupConversation;
  /** How to connect and ask an agent, for somebody at this origin. */
  readonly firstLines: (origin: string) => { readonly connect: string; readonly ask: string };
  /** Who gives the command, as the audit names them. */
  readonly by: string;
  readonly visitor: CommandVisitor;
  readonly signal: AbortSignal;
}

/** What whoever gives the command can do with waiting items. */
export function approvalsOf(session: CommandSession): ApprovalSession {
  return approvalSession(session, session.by, session.signal);
}
