import type { JSX } from "preact";
import { words } from "../../text/words.ts";
import { Checks, type Value } from "./settings-field.tsx";

type Person = Readonly<Record<string, Value>>;

const ADDRESSES = ["telegram_id", "slack_id", "email", "ntfy_topic", "webhook_url"] as const;

interface Props {
  readonly value: Value;
  readonly disabled: boolean;
  readonly onChange: (value: Value) => void;
}

/** The people who are notified: how, about what, and when. */
export function PeopleField({ value, disabled, onChange }: Props): JSX.Element {
  const texts = words.settings.people;
  // The schema of the configuration allows tables only.
  const people = (Array.isArray(value) ? value : []) as readonly Person[];
  const set = (at: number, changes: Person) =>
    onChange(people.map((person, index) => withoutUnset(index === at ? { ...person, ...changes } : person)));
  const kinds = Object.entries(texts.kinds);
  return (
    <>
      {people.map((person, at) => (
        // People have no id, and their names change while they are typed.
        <fieldset key={at} class="person" disabled={disabled}>
          <TextField name="name" person={person} onChange={(name) => set(at, { name })} />
          <ChoiceField
            label={texts.role}
            options={texts.roles}
            value={person.role ?? "approver"}
            onChange={(role) => set(at, { role })}
          />
          <ChoiceField
            label={texts.when}
            options={texts.times}
            value={person.when ?? "at_once"}
            onChange={(when) => set(at, { when })}
          />
          <TextField
            name="quiet_hours"
            person={person}
            onChange={(quiet_hours) => set(at, { quiet_hours })}
          />
          {ADDRESSES.map((name) => (
            <TextField
              key={name}
              name={name}
              person={person}
              onChange={(text) => set(at, { [name]: text })}
            />
          ))}
          {/* biome-ignore lint/a11y/useSemanticElements: it is a part of a fieldset */}
          <div class="wide" role="group" aria-label={texts.about}>
            <span>{texts.about}</span>
            <Checks
              options={kinds}
              value={Array.isArray(person.kinds) ? person.kinds.map(String) : kinds.map(([kind]) => kind)}
              disabled={disabled}
              onChange={(chosen) => set(at, { kinds: chosen })}
            />
          </div>
          <button
            type="button"
            class="small"
            onClick={() => onChange(people.filter((_, index) => index !== at).map(withoutUnset))}
          >
            {texts.remove}
          </button>
        </fieldset>
      ))}
      <p>
        <button
          type="button"
          class="small"
          disabled={disabled}
          onClick={() => onChange([...people, { name: "" }].map(withoutUnset))}
        >
          {texts.add}
        </button>
      </p>
    </>
  );
}

function withoutUnset(person: Person): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(person).filter(([name, value]) => name === "name" || (value !== null && value !== "")),
  );
}

interface TextFieldProps {
  readonly name: "name" | "quiet_hours" | (typeof ADDRESSES)[number];
  readonly person: Person;
  readonly onChange: (value: string) => void;
}

function TextField({ name, person, onChange }: TextFieldProps): JSX.Element {
  return (
    <label>
      <span>{words.settings.people[name]}</span>
      <input value={String(person[name] ?? "")} onInput={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}

interface ChoiceFieldProps {
  readonly label: string;
  readonly options: Readonly<Record<string, string>>;
  readonly value: Value;
  readonly onChange: (value: string) => void;
}

function ChoiceField({ label, options, value, onChange }: ChoiceFieldProps): JSX.Element {
  return (
    <label>
      <span>{label}</span>
      <select value={String(value)} onChange={(event) => onChange(event.currentTarget.value)}>
        {Object.entries(options).map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
