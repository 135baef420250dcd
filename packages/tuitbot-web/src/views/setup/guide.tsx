import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SetupLine, SetupState } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { Icon, type IconName } from "../../parts/icons.tsx";
import { Plain } from "../../parts/post-text.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { words } from "../../text/words.ts";
import { Question } from "./question.tsx";

interface Props {
  readonly canRun: boolean;
  readonly onDone: () => void;
}

/** The guided set-up: the server asks what `tuitbot init` asks, and the page shows it. */
export function Guide({ canRun, onDone }: Props): JSX.Element | null {
  const [state, setState] = useState<SetupState>();
  const [problem, setProblem] = useState<Problem>();
  const isRunning = state?.status === "running";
  async function tell(request: object) {
    const answer = await runCommand("setup", request);
    setProblem(answer.ok ? undefined : answer.failure);
    if (answer.ok)
      setState((old) => (old !== undefined && old.version > answer.value.version ? old : answer.value));
  }
  useEffect(() => {
    if (canRun) void tell({});
  }, [canRun]);
  useEffect(() => {
    // Each answer of the server brings the next one; what is asked and done meanwhile arrives by itself.
    if (isRunning && problem === undefined) void tell({ after: state.version });
    if (state !== undefined && !isRunning) onDone();
  }, [state?.version, problem]);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isRunning) end.current?.scrollIntoView({ block: "nearest" });
  }, [state?.version]);
  if (!canRun) return null;
  return (
    <section class="panel guide" aria-label={words.guide.title}>
      <header>
        <div>
          <h2>{words.guide.title}</h2>
          <p class="soft">{words.guide.what}</p>
        </div>
        {isRunning ? (
          <button type="button" onClick={() => void tell({ do: "stop" })}>
            {words.guide.stop}
          </button>
        ) : (
          <button type="button" class="primary" onClick={() => void tell({ do: "begin" })}>
            {state === undefined || state.status === "none" ? words.guide.begin : words.guide.again}
          </button>
        )}
      </header>
      {state !== undefined && state.lines.length > 0 && (
        <ol class="guide-lines" aria-live="polite">
          {state.lines.map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </ol>
      )}
      <div ref={end} class="guide-end">
        {isRunning && state.question === null && (
          <p class="soft" role="status">
            {words.guide.working}
          </p>
        )}
        {isRunning && state.question !== null && (
          <Question
            key={state.question.number}
            question={state.question}
            onAnswer={(value) => void tell({ answer: { question: state.question?.number, value } })}
          />
        )}
        {state !== undefined && state.status in words.guide.ends && (
          <p class={state.status === "done" ? "verdict warn" : "soft"}>
            {words.guide.ends[state.status as keyof typeof words.guide.ends]}
          </p>
        )}
      </div>
      {problem !== undefined && <ProblemBox problem={problem} onRetry={() => void tell({})} />}
    </section>
  );
}

const ICONS: Readonly<Partial<Record<SetupLine["kind"], IconName>>> = { step: "check", warn: "warning" };

function Line({ line }: { readonly line: SetupLine }): JSX.Element | null {
  const { kind, title, text } = line;
  const icon = ICONS[kind];
  if (kind === "title") return null;
  if (kind === "page")
    return (
      <li class="page">
        <a class="button" href={text} target="_blank" rel="noreferrer">
          <Icon name="link" size={16} />
          {words.guide.open}
        </a>{" "}
        <span class="mono soft small">
          <Plain text={text} />
        </span>
      </li>
    );
  return (
    <li class={kind}>
      {icon !== undefined && <Icon name={icon} size={16} />}
      <div>
        {title !== null && <p class={kind === "answer" ? "soft" : "strong"}>{title}</p>}
        <p class={kind === "note" ? "mono note-text" : ""}>
          <Plain text={text.trim()} />
        </p>
      </div>
    </li>
  );
}
