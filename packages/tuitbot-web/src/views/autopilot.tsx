import type { JSX } from "preact";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import { useQuery } from "../api/query.ts";
import type { RunnerState } from "../api/shapes.ts";
import { now } from "../format/clock.ts";
import { since, when } from "../format/dates.ts";
import { Icon } from "../parts/icons.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { words } from "../text/en.ts";

/** What the loops do now and next. */
export function Autopilot({ here }: { readonly here: SignedIn }): JSX.Element {
  const query = useQuery("runner", () => runCommand<RunnerState>("runner"), ["runner", "stop"]);
  return (
    <Page title={words.views.autopilot} lead={words.autopilot.lead[here.mode]}>
      <Loaded query={query} height={480}>
        {(state) => (
          <>
            <div class="cards">
              <section class="panel figure">
                <h2>{words.autopilot.runner}</h2>
                <p class="big">
                  {state.stop !== null
                    ? words.shell.stopped
                    : state.runner.alive
                      ? words.autopilot.alive
                      : words.autopilot.none}
                </p>
                <p class="soft small">
                  {state.runner.last_worked_at === null
                    ? words.autopilot.never
                    : words.shell.loopLast(since(state.runner.last_worked_at, now.value))}
                </p>
              </section>
              <section class="panel figure">
                <h2>{words.autopilot.hours}</h2>
                <p class="big">{state.is_active ? words.autopilot.within : words.autopilot.outside}</p>
                <p class="soft small">{here.timezone}</p>
              </section>
              <section class="panel figure">
                <h2>{words.autopilot.sends}</h2>
                <p class="big">{state.approval_mode ? words.autopilot.asks : words.autopilot.byItself}</p>
                <p class="soft small">
                  {state.approval_mode ? words.autopilot.asksWhat : words.autopilot.byItselfWhat}
                </p>
              </section>
            </div>
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
              <ul class="loops">
                {state.loops.map((loop) => (
                  <Loop key={loop.name} loop={loop} isStopped={state.stop !== null} />
                ))}
              </ul>
            </section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Loop({
  loop,
  isStopped,
}: {
  readonly loop: RunnerState["loops"][number];
  readonly isStopped: boolean;
}): JSX.Element {
  const { name, does, next_at: next, last_ran_at: last, failures } = loop;
  const isDue = next !== null && Date.parse(next) <= now.value;
  const tone = isStopped ? "" : failures > 0 ? "warn" : "ok";
  return (
    <li>
      <i class={`dot ${tone}`} />
      <div>
        <b>{words.autopilot.loopNames[name] ?? name}</b>
        <p class="soft small">{does}</p>
      </div>
      <dl class="loop-times num">
        <div>
          <dt>{words.autopilot.last}</dt>
          <dd>{last === null ? words.autopilot.neverShort : since(last, now.value)}</dd>
        </div>
        <div>
          <dt>{words.autopilot.next}</dt>
          <dd>
            {next === null
              ? words.autopilot.whenDue
              : isStopped
                ? words.shell.stopped
                : isDue
                  ? words.autopilot.due
                  : when(next, now.value)}
          </dd>
        </div>
      </dl>
      {failures > 0 && (
        <p class="verdict warn">
          <Icon name="warning" size={16} />
          {words.autopilot.failures(failures)}
        </p>
      )}
    </li>
  );
}
