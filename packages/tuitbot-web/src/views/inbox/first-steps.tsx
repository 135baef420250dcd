import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Answer, SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { Empty } from "../../parts/empty.tsx";
import { Icon } from "../../parts/icons.tsx";
import { may } from "../../parts/role-note.tsx";
import { addressOf } from "../../parts/route.ts";
import { words } from "../../text/words.ts";
import { ExpiredNote } from "./expired-note.tsx";

type Steps = Answer<"first_steps">;

/** An empty inbox; for an owner whose agents have never proposed anything, how to get there. */
export function NothingWaits({ here }: { readonly here: SignedIn }): JSX.Element {
  return may(here, "owner") ? <OwnersEmptyInbox here={here} /> : <Nothing />;
}

function Nothing(): JSX.Element {
  return (
    <Empty icon="inbox" title={words.inbox.empty} what={words.inbox.emptyWhat}>
      <ExpiredNote />
      <p class="row">
        <a href={addressOf("activity")}>{words.inbox.seeSent}</a>
        <a href={addressOf("compose")}>{words.inbox.write}</a>
      </p>
    </Empty>
  );
}

function OwnersEmptyInbox({ here }: { readonly here: SignedIn }): JSX.Element {
  const { value, problem } = useQuery("first-steps", () => runCommand("first_steps"), [
    "approvals",
    "activity",
    "spend",
  ]);
  if (value === undefined && problem === undefined) return <div class="ghost first-steps" />;
  if (value === undefined || value.has_proposed) return <Nothing />;
  // An agent that need not ask may never propose anything.
  return value.is_connected && !here.approval_mode ? <Nothing /> : <FirstSteps steps={value} here={here} />;
}

function FirstSteps({ steps, here }: { readonly steps: Steps; readonly here: SignedIn }): JSX.Element {
  const { connect, is_connected } = steps;
  const { firstSteps } = words.inbox;
  const connectNote = !connect.startsWith("claude ")
    ? firstSteps.connectBySetup
    : connect.includes("YOUR_TOKEN")
      ? firstSteps.connectWithToken
      : firstSteps.connectHere;
  return (
    <div class="first-steps fade">
      <header>
        <h2>{firstSteps.title}</h2>
        <p class="soft">
          {here.is_sandbox && firstSteps.sandbox} {here.approval_mode && firstSteps.asksFirst}
        </p>
      </header>
      <ol class="card acts-on">
        <Step number={1} title={firstSteps.connect} isDone={is_connected}>
          <p class="soft">{is_connected ? firstSteps.connected : connectNote}</p>
          {!is_connected && <Copyable text={connect} />}
        </Step>
        <Step number={2} title={firstSteps.ask} isDone={false}>
          <p class="soft">{firstSteps.askWhat}</p>
          <Copyable text={firstSteps.question(here.is_sandbox)} isSaid />
        </Step>
        <Step number={3} title={firstSteps.approve} isDone={false}>
          <p class="soft">{firstSteps.approveWhat}</p>
          <p class="awaits" role="status">
            <i aria-hidden="true" />
            {firstSteps.waiting}
          </p>
        </Step>
      </ol>
    </div>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ComponentChildren;
}

function Step({ number, title, isDone, children }: StepProps): JSX.Element {
  return (
    <li>
      <span class={isDone ? "step-mark done" : "step-mark"}>
        {isDone ? <Icon name="check" size={16} /> : <span aria-hidden="true">{number}</span>}
      </span>
      <div>
        <h3>
          {title}
          {isDone && <span class="visually-hidden">, {words.setup.done}</span>}
        </h3>
        {children}
      </div>
    </li>
  );
}

const SAID_MS = 2_000;

/** A line to take along: for a shell, or words for somebody. */
function Copyable({
  text,
  isSaid = false,
}: {
  readonly text: string;
  readonly isSaid?: boolean;
}): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // The browser does not let the page; the line can still be selected.
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), SAID_MS);
  }
  return (
    <div class="copyable">
      <code class={isSaid ? "command said" : "command"}>{text}</code>
      {/* Browsers have no clipboard for pages that came without TLS from another machine. */}
      {"clipboard" in navigator && (
        <button type="button" class="small" onClick={() => void copy()}>
          <Icon name={isCopied ? "check" : "copy"} size={16} />
          {isCopied ? words.inbox.firstSteps.copied : words.inbox.firstSteps.copy}
        </button>
      )}
    </div>
  );
}
