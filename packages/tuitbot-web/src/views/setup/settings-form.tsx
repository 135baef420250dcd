import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { changed, useQuery } from "../../api/query.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { may } from "../../parts/role-note.tsx";
import { toast } from "../../parts/toasts.tsx";
import { words } from "../../text/words.ts";
import { Field, type Setting, type Value } from "./settings-field.tsx";

const GROUPS: Readonly<Record<keyof typeof words.settings.groups, RegExp>> = {
  schedule: /^schedule\./,
  approval: /^(mode|approval_mode|approvals\..*|mcp_policy\.(require_approval_for|template))$/,
  spending: /^budget\./,
  limits: /^(limits\.|mcp_policy\.max)/,
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
    // The old text of a secret is not known here.
    const canUndo =
      !isUndo && settings.every(({ name, is_secret: isSecret }) => !isSecret || !(name in values));
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
                  value={setting.name in edited ? (edited[setting.name] ?? null) : setting.value}
                  onChange={(value) => setEdited({ ...edited, [setting.name]: value })}
                />
              ))}
          </fieldset>
        ))}
      </div>
      {problem !== undefined && <ProblemBox problem={problem} />}
      <div class={changes.length > 0 ? "row save-bar changed" : "row save-bar"}>
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
