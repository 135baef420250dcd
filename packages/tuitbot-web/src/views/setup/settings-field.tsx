import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { Answer } from "tuitbot/src/web/api.ts";
import { weekdays } from "../../format/dates.ts";
import { WEEKDAYS } from "../../format/zones.ts";
import { toolName } from "../../parts/tool-name.ts";
import { words } from "../../text/words.ts";
import { PeopleField } from "./people-field.tsx";

export type Setting = Answer<"settings">["settings"][number];
export type Value = Setting["value"];

/** Tools that an owner may want to be asked about. */
const ASKABLE = [
  "x_post_tweet",
  "x_reply_to_tweet",
  "x_quote_tweet",
  "x_post_thread",
  "x_retweet",
  "x_like_tweet",
  "x_follow_user",
  "x_unfollow_user",
  "x_v2_dm_send_to_participant",
] as const;

interface FieldProps {
  readonly setting: Setting;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** One setting with its label and what it does. */
export function Field({ setting, value, onChange }: FieldProps): JSX.Element {
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
  const options = optionsOf(setting);
  if (options !== undefined || name === "notify.people")
    return (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset here is drawn as a panel
      <div class="field" role="group" aria-labelledby={id}>
        <span class="setting-name" id={id}>
          {label}
        </span>
        {options === undefined ? (
          <PeopleField value={value} disabled={isFixed} onChange={onChange} />
        ) : (
          <Checks options={options} value={listOf(value)} disabled={isFixed} onChange={onChange} />
        )}
        <span class="soft small">{help}</span>
      </div>
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

type Options = readonly (readonly [value: string, label: string])[];

/** The options of a multiple-choice setting; undefined for other settings. */
function optionsOf({ name, value }: Setting): Options | undefined {
  if (name === "schedule.active_days") {
    const names = weekdays("short");
    return WEEKDAYS.map((day, index) => [day, names[index] ?? day]);
  }
  if (name !== "mcp_policy.require_approval_for") return undefined;
  // The file may name further tools.
  return [...new Set([...ASKABLE, ...listOf(value)])].map((tool) => [tool, toolName(tool)]);
}

interface ChecksProps {
  readonly options: Options;
  readonly value: readonly string[];
  readonly disabled: boolean;
  readonly onChange: (value: string[]) => void;
}

/** Checkboxes for a multiple-choice setting. */
export function Checks({ options, value, disabled, onChange }: ChecksProps): JSX.Element {
  return (
    <span class="checks">
      {options.map(([option, label]) => (
        <label key={option}>
          <input
            type="checkbox"
            checked={value.includes(option)}
            disabled={disabled}
            onChange={({ currentTarget }) =>
              onChange(
                options.flatMap(([one]) =>
                  (one === option ? currentTarget.checked : value.includes(one)) ? [one] : [],
                ),
              )
            }
          />
          {label}
        </label>
      ))}
    </span>
  );
}

function Input({ id, setting, value, onChange }: FieldProps & { readonly id: string }): JSX.Element {
  const { name, kind, choices, is_fixed: disabled, is_secret: isSecret } = setting;
  if (kind === "texts")
    return (
      <textarea
        id={id}
        rows={Math.min(5, Math.max(2, listOf(value).length))}
        disabled={disabled}
        defaultValue={listOf(value).join("\n")}
        onInput={(event) => onChange(linesOf(event.currentTarget.value))}
      />
    );
  if (choices.length > 0)
    return (
      <select
        id={id}
        value={String(value ?? "")}
        disabled={disabled}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === "" && !choices.includes("") ? null : currentTarget.value)
        }
      >
        {[...(choices.includes("") ? [] : setting.value === null ? [""] : []), ...choices].map((choice) => (
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
        class="number"
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
  if (isSecret)
    return (
      <input
        id={id}
        type="password"
        autocomplete="off"
        placeholder={setting.value === null ? words.settings.notSet : words.settings.unchanged}
        disabled={disabled}
        onInput={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? setting.value : currentTarget.value)
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
        onInput={({ currentTarget }) =>
          onChange(currentTarget.value === "" && setting.value === null ? null : currentTarget.value)
        }
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

function listOf(value: Value): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function linesOf(text: string): string[] {
  return text.split(/[\n,]/).flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}
