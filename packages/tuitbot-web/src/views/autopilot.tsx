import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Answer, SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import { type Query, useQuery } from "../api/query.ts";
import type { RunnerState } from "../api/shapes.ts";
import { now } from "../format/clock.ts";
import { since, when } from "../format/dates.ts";
import { Dialog, DialogEnd } from "../parts/dialog.tsx";
import { Icon } from "../parts/icons.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Plain } from "../parts/post-text.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { may, RoleNote } from "../parts/role-note.tsx";
import { toast } from "../parts/toasts.tsx";
import { WithCode } from "../parts/with-code.tsx";
import { words } from "../text/words.ts";
import { RehearsalPanel } from "./rehearsal.tsx";

/** Current and next work of the loops, a switch for each, and a preview of the coming days. */
export function Autopilot({ here }: { readonly here: SignedIn }): JSX.Element {
  const query = useQuery("runner", () => runCommand("runner"), ["runner", "stop"]);
  return (
    <Page title={words.views.autopilot} lead={words.autopilot.lead[here.mode]} actions={<DryRun />}>
      <Loaded query={query} height={480}>
        {(state) => (
          <>
            <Figures state={state} timezone={here.timezone} />
            {!state.runner.alive && (
              <section class="panel">
                <p>{words.autopilot.start}</p>
                <code class="command">tuitbot run</code>
              </section>
            )}
            <section class="panel" aria-label={words.autopilot.loops}>
              <header>
                <h2>{words.autopilot.loops}</h2>
              </header>
              <RoleNote here={here} needs="owner" what="switch" />
              <ul class="loops">
                {state.loops.map((loop) => (
                  <Loop
                    key={loop.name}
                    loop={loop}
                    state={state}
                    query={query}
                    isSandbox={here.is_sandbox}
                    maySwitch={may(here, "owner")}
                  />
                ))}
              </ul>
            </section>
            <RehearsalPanel here={here} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Figures({
  state,
  timezone,
}: {
  readonly state: RunnerState;
  readonly timezone: string;
}): JSX.Element {
  const { runner, stop, at_work: atWork } = state;
  return (
    <div class="cards">
      <section class="panel figure">
        <h2>{words.autopilot.runner}</h2>
        <p class="big">
          <i class={`dot ${stop !== null || !runner.alive ? "warn" : "ok"}`} />
          {stop !== null ? words.shell.stopped : runner.alive ? words.autopilot.alive : words.autopilot.none}
        </p>
        <p class="soft small">
          {atWork
            ? words.autopilot.atWork
            : runner.last_worked_at === null
              ? words.autopilot.never
              : words.shell.loopLast(since(runner.last_worked_at, now.value))}
        </p>
      </section>
      <section class="panel figure">
        <h2>{words.autopilot.hours}</h2>
        <p class="big">{state.is_active ? words.autopilot.within : words.autopilot.outside}</p>
        <p class="soft small">{timezone}</p>
      </section>
      <section class="panel figure">
        <h2>{words.autopilot.sends}</h2>
        <p class="big">{state.approval_mode ? words.autopilot.asks : words.autopilot.byItself}</p>
        <p class="soft small">
          {state.approval_mode ? words.autopilot.asksWhat : words.autopilot.byItselfWhat}
        </p>
      </section>
    </div>
  );
}

type LoopState = RunnerState["loops"][number];

/** The sandbox of a server runs only these by itself. */
const SANDBOX_LOOPS: ReadonlySet<string> = new Set(["scheduled", "analytics"]);

function Loop({
  loop,
  state,
  query,
  isSandbox,
  maySwitch,
}: {
  readonly loop: LoopState;
  readonly state: RunnerState;
  readonly query: Query<RunnerState>;
  readonly isSandbox: boolean;
  readonly maySwitch: boolean;
}): JSX.Element {
  const { name, does, last_ran_at: last, failures, off } = loop;
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const title = words.autopilot.loopNames[name] ?? name;
  const why =
    loop.idle === null
      ? isSandbox && last === null && !SANDBOX_LOOPS.has(name)
        ? words.autopilot.idle.sandbox
        : undefined
      : words.autopilot.idle[loop.idle];
  const isQuiet = state.stop !== null || off !== null || !state.runner.alive || why !== undefined;
  const tone = isQuiet ? "" : failures > 0 ? "warn" : "ok";

  async function turn(on: boolean): Promise<void> {
    setBusy(true);
    const answer = await runCommand("loop_switch", { name, on });
    setProblem(answer.ok ? undefined : answer.failure);
    if (answer.ok) toast(on ? words.autopilot.switchedOn(title) : words.autopilot.switchedOff(title));
    await query.reload();
    setBusy(false);
  }

  return (
    <li class={off === null && why === undefined ? undefined : "off"}>
      <i class={`dot ${tone}`} />
      <div>
        <b>{title}</b>
        <p class="soft small">{words.autopilot.does[name] ?? does}</p>
        {loop.last !== null && off === null && <LastRun last={loop.last} />}
        {off !== null && (
          <p class="small">
            <Plain text={words.autopilot.offBy(off.by, since(off.at, now.value))} />
          </p>
        )}
        {why !== undefined && off === null && (
          <p class="small warn-text">
            <WithCode text={why} />
          </p>
        )}
      </div>
      <dl class="loop-times num">
        <div>
          <dt>{words.autopilot.last}</dt>
          <dd>{last === null ? words.autopilot.neverShort : since(last, now.value)}</dd>
        </div>
        <div>
          <dt>{words.autopilot.next}</dt>
          <dd>{why === undefined ? nextText(loop, state) : "–"}</dd>
        </div>
      </dl>
      <button
        type="button"
        class="switch"
        role="switch"
        aria-checked={off === null}
        aria-label={words.autopilot.switchLabel(title)}
        disabled={!maySwitch || isBusy}
        onClick={() => void turn(off !== null)}
      >
        <i aria-hidden="true" />
      </button>
      {problem !== undefined && <ProblemBox problem={problem} />}
      {failures > 0 && off === null && (
        <p class="verdict warn">
          <Icon name="warning" size={16} />
          {words.autopilot.failures(failures)}
        </p>
      )}
    </li>
  );
}

function LastRun({ last }: { readonly last: NonNullable<LoopState["last"]> }): JSX.Element {
  const counts = Object.entries(last.counts).filter(([, value]) => value > 0);
  return (
    <p class="small">
      <Plain text={last.status === "failed" ? (last.message ?? "") : words.autopilot.did(counts)} />
    </p>
  );
}

function nextText({ next_at: next, off }: LoopState, { stop }: RunnerState): string {
  if (off !== null) return words.autopilot.off;
  if (stop !== null) return words.shell.stopped;
  if (next === null) return words.autopilot.whenDue;
  return Date.parse(next) <= now.value ? words.autopilot.due : when(next, now.value);
}

type DryLoop = Answer<"dry_run">["loops"][number];

/** The actions each loop would take now, on demand. */
function DryRun(): JSX.Element {
  const [loops, setLoops] = useState<readonly DryLoop[]>();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const isOpen = loops !== undefined || problem !== undefined;

  async function ask(): Promise<void> {
    setBusy(true);
    const answer = await runCommand("dry_run");
    setBusy(false);
    if (answer.ok) setLoops(answer.value.loops);
    else setProblem(answer.failure);
  }

  function close(): void {
    setLoops(undefined);
    setProblem(undefined);
  }

  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void ask()}>
        <Icon name="play" size={16} />
        {words.autopilot.dryRun.button}
      </button>
      {isOpen && (
        <Dialog title={words.autopilot.dryRun.title} onClose={close}>
          {problem !== undefined && <ProblemBox problem={problem} onRetry={() => void ask()} />}
          {loops !== undefined && (
            <>
              <p class="soft">{words.autopilot.dryRun.lead}</p>
              <ul class="dry-loops">
                {loops.map((loop) => (
                  <li key={loop.name}>
                    <b>{words.autopilot.loopNames[loop.name] ?? loop.name}</b>
                    <span class={loop.status === "completed" ? "" : "soft"}>
                      <Plain text={dryText(loop)} />
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )}
          <DialogEnd onClose={close} />
        </Dialog>
      )}
    </>
  );
}

function dryText({ status, counts, reason }: DryLoop): string {
  const { would, skips, fails } = words.autopilot.dryRun;
  if (status === "completed") {
    const some = Object.entries(counts).filter(([, value]) => value > 0);
    return some.length === 0 ? words.autopilot.did([]) : `${would}: ${words.autopilot.did(some)}`;
  }
  return `${status === "skipped" ? skips : fails}: ${reason ?? words.general.unknown}`;
}
