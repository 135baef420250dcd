import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Role, SignedIn } from "tuitbot/src/web/api.ts";
import { readSession, runCommand } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import { changed } from "../api/query.ts";
import { now } from "../format/clock.ts";
import { since } from "../format/dates.ts";
import { Dialog, DialogEnd } from "../parts/dialog.tsx";
import { Icon } from "../parts/icons.tsx";
import { Plain } from "../parts/post-text.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { may } from "../parts/role-note.tsx";
import { toast } from "../parts/toasts.tsx";
import { words } from "../text/words.ts";

interface Props {
  readonly here: SignedIn;
}

/** Stops every agent and every loop, in all processes; or lets them work again. */
export function StopButton({ here }: Props): JSX.Element {
  const { stop, role } = here;
  /** The action of the open dialog. It does not change if somebody else stops or resumes meanwhile. */
  const [asked, setAsked] = useState<"stop" | "resume">();
  const label = stop === null ? words.stop.button : words.stop.resume;
  const needed: Role = stop === null ? "approver" : "owner";
  const lacks = words.roles.lacks(
    words.roles.needs[stop === null ? "stop" : "resume"],
    words.roles.names[needed],
    words.roles.names[role],
  );
  return (
    <>
      <button
        type="button"
        class={stop === null ? "danger stop" : "danger filled stop"}
        disabled={!may(here, needed)}
        title={may(here, needed) ? undefined : lacks}
        aria-label={label}
        onClick={() => setAsked(stop === null ? "stop" : "resume")}
      >
        <Icon name={stop === null ? "stop" : "play"} />
        <span class="label long">{label}</span>
        <span class="label brief">{stop === null ? words.stop.short : words.stop.resume}</span>
      </button>
      {asked !== undefined && (
        <StopDialog isResuming={asked === "resume"} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

function StopDialog({
  isResuming,
  onClose,
}: {
  readonly isResuming: boolean;
  readonly onClose: () => void;
}): JSX.Element {
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  async function act() {
    setBusy(true);
    const done = isResuming
      ? await runCommand("resume")
      : await runCommand("stop", reason.trim() === "" ? {} : { reason: reason.trim() });
    if (!done.ok) {
      setBusy(false);
      return setProblem(done.failure);
    }
    await readSession();
    changed();
    onClose();
    toast(isResuming ? words.stop.resumed : words.stop.done);
  }
  return (
    <Dialog title={isResuming ? words.stop.resumeTitle : words.stop.title} onClose={onClose}>
      <p class="soft">{isResuming ? words.stop.resumeWhat : words.stop.what}</p>
      {!isResuming && (
        <label class="field">
          <span>{words.stop.reason}</span>
          <input value={reason} maxLength={300} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
      )}
      {problem !== undefined && <ProblemBox problem={problem} />}
      <DialogEnd onClose={onClose}>
        <button
          type="button"
          class={isResuming ? "primary" : "danger filled"}
          disabled={isBusy}
          onClick={() => void act()}
        >
          {isResuming ? words.stop.resume : words.stop.yes}
        </button>
      </DialogEnd>
    </Dialog>
  );
}

/** Says on every view that everything is stopped. */
export function StopBanner({ here }: Props): JSX.Element | null {
  const { stop, role } = here;
  if (stop === null) return null;
  return (
    <div class="banner bad" role="status">
      <Icon name="stop" />
      <span>
        {words.stop.banner(stop.by, since(stop.at, now.value))}
        {stop.reason !== null && (
          <>
            {" "}
            <q>
              <Plain text={stop.reason} />
            </q>
          </>
        )}
        {!may(here, "owner") &&
          ` ${words.roles.lacks(words.roles.needs.resume, words.roles.names.owner, words.roles.names[role])}`}
      </span>
    </div>
  );
}
