import type { JSX, TargetedInputEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SetupQuestion } from "tuitbot/src/web/api.ts";
import { words } from "../../text/words.ts";

interface Props {
  readonly question: SetupQuestion;
  readonly onAnswer: (value: string | boolean) => void;
}

/** One question of the set-up, with what is proposed as its answer. */
export function Question({ question, onAnswer }: Props): JSX.Element {
  const { kind, message, initial, options = [], problem } = question;
  const [value, setValue] = useState(String(initial));
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>("[data-first], input, button")?.focus();
  }, []);
  const wrong = problem !== null && (
    <p class="wrong" role="alert">
      {problem}
    </p>
  );
  const field = {
    id: "answer",
    autocomplete: "off",
    value,
    "aria-invalid": problem !== null,
    onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => setValue(currentTarget.value),
  };
  if (kind === "confirm")
    return (
      <form ref={form} class="question" onSubmit={(event) => event.preventDefault()}>
        <p class="strong">{message}</p>
        <p class="row">
          {[true, false].map((answer) => (
            <button
              key={String(answer)}
              type="button"
              class={answer === initial ? "primary" : ""}
              data-first={answer === initial ? "" : undefined}
              onClick={() => onAnswer(answer)}
            >
              {answer ? words.guide.yes : words.guide.no}
            </button>
          ))}
        </p>
        {wrong}
      </form>
    );
  return (
    <form
      ref={form}
      class="question"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(value);
      }}
    >
      {kind === "choice" ? (
        <fieldset>
          <legend class="strong">{message}</legend>
          {options.map((option) => (
            <label key={option.value} class="choice">
              <input
                type="radio"
                name={`question-${question.number}`}
                value={option.value}
                checked={option.value === value}
                data-first={option.value === value ? "" : undefined}
                onChange={() => setValue(option.value)}
              />
              <span>
                {option.label}
                {option.hint !== undefined && <span class="soft small"> {option.hint}</span>}
              </span>
            </label>
          ))}
        </fieldset>
      ) : (
        <label class="field" for="answer">
          <span>{message}</span>
          {kind === "secret" ? (
            <input {...field} type="password" />
          ) : (
            <input {...field} type="text" dir="auto" />
          )}
        </label>
      )}
      {wrong}
      <p class="row">
        <button type="submit" class="primary">
          {words.guide.next}
        </button>
      </p>
    </form>
  );
}
