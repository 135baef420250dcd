import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { Answer, SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { changed, useQuery } from "../../api/query.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { may } from "../../parts/role-note.tsx";
import { toast } from "../../parts/toasts.tsx";
import { words } from "../../text/words.ts";

type Setting = Answer<"settings">["settings"][number];
type Value = Setting["value"];

const GROUPS: Readonly<Record<keyof typeof words.settings.groups, RegExp>> = {
  schedule: /^schedule\./,
  approval: /^(mode|approval_mode)$/,
  spending: /^budget\./,
  limits: /^limits\./,
  topics: /^(business|targets)\./,
  model: /^llm\./,
  notifications: /^notify\./,
};

/** The settings that an owner changes. They are written to the same file as by hand, with its comments kept. */
export function SettingsForm({ here }: { readonly here: SignedIn }): JSX.Element {
  const query = useQuery("settings", () => runCommand("settings"));
  return (
    <Loaded query={query} height={420}>
      {({ settings, file }) => (
        <Form
          settings={settings}
          file={file}
          isOff={!may(here, "owner")}
          onSaved={() => void query.reload()}
        />
      )}
    </Loaded>
  );
}

interface FormProps {
  readonly settings: readonly Setting[];
  readonly file: string | null;
  readonly isOff: boolean;
  readonly onSaved: () => void;
}

function Form({ settings, file, isOff, onSaved }: FormProps): JSX.Element {
  const [edited, setEdited] = useState<Readonly<Record<string, Value>>>({});
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const changes = Object.entries(edited).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(settings.find((one) => one.name === name)?.value),
  );
  async function save(values: Readonly<Record<string, Value>>, isUndo = false): Promise<void> {
    setBusy(true);
    const answer = await runCommand("settings_write", { values });
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    if (!answer.ok) return;
    setEdited({});
    onSaved();
    changed();
    const before = Object.fromEntries(
      Object.keys(values).map((name) => [name, settings.find((one) => one.name === name)?.value ?? null]),
    );
    // A setting that was not set has no value to write back.
    const canUndo = !isUndo && Object.values(before).every((value) => value !== null);
    toast(
      words.settings.saved,
      canUndo ? { label: words.inbox.undo, key: "u", run: () => void save(before, true) } : undefined,
    );
  }
  return (
    <form
      class="settings-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(Object.fromEntries(changes));
      }}
    >
      {settings.some((one) => one.needs_restart) && (
        <p class="verdict warn" role="status">
          {words.settings.restart}
        </p>
      )}
      <div class="columns">
        {Object.entries(GROUPS).map(([group, pattern]) => (
          <fieldset key={group} class="panel" disabled={isOff || isBusy}>
            <legend>{words.settings.groups[group as keyof typeof GROUPS]}</legend>
            {settings
              .filter(({ name }) => pattern.test(name))
              .map((setting) => (
                <Field
                  key={setting.name}
                  setting={setting}
                  value={edited[setting.name] ?? setting.value}
                  onChange={(value) => setEdited({ ...edited, [setting.name]: value })}
                />
              ))}
          </fieldset>
        ))}
      </div>
      {problem !== undefined && <ProblemBox problem={problem} />}
      <div class="row save-bar">
        <button type="submit" class="primary" disabled={isOff || isBusy || changes.length === 0}>
          {words.settings.save}
        </button>
        {changes.length > 0 && (
          <button type="button" onClick={() => setEdited({})}>
            {words.general.cancel}
          </button>
        )}
        <span class="soft small">
          {file === null ? words.settings.newFile : words.settings.file} <span class="mono">{file}</span>
        </span>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly setting: Setting;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

function Field({ setting, value, onChange }: FieldProps): JSX.Element {
  const { name, kind, is_fixed: isFixed } = setting;
  const id = useId();
  const label = words.settings.names[name] ?? name;
  const help = isFixed
    ? words.settings.fixed
    : (words.settings.help[name] ?? setting.describe.replaceAll("`", ""));
  if (kind === "switch")
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={value === true}
          disabled={isFixed}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>
          {label}
          <span class="soft small">{help}</span>
        </span>
      </label>
    );
  return (
    <div class="field">
      <label class="setting-name" for={id}>
        {label}
      </label>
      <Input id={id} setting={setting} value={value} onChange={onChange} />
      <span class="soft small">{help}</span>
    </div>
  );
}

function Input({ id, setting, value, onChange }: FieldProps & { readonly id: string }): JSX.Element {
  const { name, kind, choices, is_fixed: disabled } = setting;
  if (kind === "texts")
    return (
      <textarea
        id={id}
        rows={Math.min(5, Math.max(2, Array.isArray(value) ? value.length : 2))}
        disabled={disabled}
        defaultValue={Array.isArray(value) ? value.join("\n") : ""}
        onInput={(event) => onChange(linesOf(event.currentTarget.value))}
      />
    );
  if (choices.length > 0)
    return (
      <select
        id={id}
        value={String(value ?? "")}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice === "" ? words.general.none : choice}
          </option>
        ))}
      </select>
    );
  if (kind === "integer" || kind === "number")
    return (
      <input
        id={id}
        type="number"
        min="0"
        step={kind === "integer" ? 1 : "any"}
        value={typeof value === "number" ? value : ""}
        disabled={disabled}
        onInput={(event) =>
          onChange(event.currentTarget.value === "" ? null : event.currentTarget.valueAsNumber)
        }
      />
    );
  return (
    <>
      <input
        id={id}
        value={typeof value === "string" ? value : ""}
        disabled={disabled}
        list={name === "schedule.timezone" ? "time-zones" : undefined}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {name === "schedule.timezone" && (
        <datalist id="time-zones">
          {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      )}
    </>
  );
}

function linesOf(text: string): readonly string[] {
  return text.split(/[\n,]/).flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}
