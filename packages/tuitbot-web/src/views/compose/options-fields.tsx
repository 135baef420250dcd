import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { DraftOptions } from "../../api/shapes.ts";
import { Icon } from "../../parts/icons.tsx";
import { postAddress, postIdIn } from "../../parts/post-address.ts";
import { words } from "../../text/words.ts";
import type { Change, Editing } from "./editing.ts";

interface Props {
  readonly editing: Editing;
  readonly isOff: boolean;
  readonly onChange: (change: Change) => void;
}

const MAX_CHOICES = 4;
const MAX_CHOICE = 25;
const DURATIONS = [60, 360, 1_440, 4_320, 10_080] as const;
const DAY = 1_440;
const REPLIERS = ["following", "mentionedUsers", "subscribers", "verified"] as const;

/** Everything that a post can have besides texts and files: a poll, who may reply, labels, and the post that it is about. */
export function OptionsFields({ editing, isOff, onChange }: Props): JSX.Element {
  const { options, texts } = editing;
  const isThread = texts.length > 1;
  const [isLinking, setLinking] = useState(false);
  const set = (next: DraftOptions) => onChange((now) => ({ ...now, options: { ...now.options, ...next } }));
  const about = options.in_reply_to_id ?? options.quoted_tweet_id;
  return (
    <div class="options">
      <div class="row">
        {options.poll_options === undefined && (
          <button
            type="button"
            class="small"
            disabled={isOff || isThread || editing.media.length > 0}
            title={isThread || editing.media.length > 0 ? words.compose.options.pollAlone : undefined}
            onClick={() => set({ poll_options: ["", ""], poll_minutes: DAY })}
          >
            <Icon name="analytics" size={16} />
            {words.compose.options.poll}
          </button>
        )}
        {about === undefined && !isLinking && (
          <button type="button" class="small" disabled={isOff || isThread} onClick={() => setLinking(true)}>
            <Icon name="reply" size={16} />
            {words.compose.options.about}
          </button>
        )}
        <label class="field inline">
          <span>{words.compose.options.repliers}</span>
          <select
            value={options.reply_settings ?? ""}
            disabled={isOff || options.in_reply_to_id !== undefined}
            onChange={({ currentTarget: { value } }) =>
              set({ reply_settings: REPLIERS.find((one) => one === value) })
            }
          >
            <option value="">{words.compose.options.everybody}</option>
            {REPLIERS.map((one) => (
              <option key={one} value={one}>
                {words.compose.options.replierNames[one]}
              </option>
            ))}
          </select>
        </label>
        {(["made_with_ai", "paid_partnership"] as const).map((label) => (
          <label class="check" key={label}>
            <input
              type="checkbox"
              checked={options[label] ?? false}
              disabled={isOff}
              onChange={(event) => set({ [label]: event.currentTarget.checked })}
            />
            {words.compose.options.labels[label]}
          </label>
        ))}
      </div>
      {options.poll_options !== undefined && (
        <Poll choices={options.poll_options} minutes={options.poll_minutes} isOff={isOff} onSet={set} />
      )}
      {(isLinking || about !== undefined) && (
        <About
          editing={editing}
          isOff={isOff}
          onChange={onChange}
          onClose={() => {
            setLinking(false);
            set({ in_reply_to_id: undefined, quoted_tweet_id: undefined });
          }}
        />
      )}
    </div>
  );
}

interface PollProps {
  readonly choices: readonly string[];
  readonly minutes: number | undefined;
  readonly isOff: boolean;
  readonly onSet: (next: DraftOptions) => void;
}

function Poll({ choices, minutes = DAY, isOff, onSet }: PollProps): JSX.Element {
  const texts = words.compose.options;
  return (
    <Group title={texts.poll} close={texts.noPoll} onClose={() => onSet({ poll_options: undefined })}>
      {choices.map((choice, index) => (
        <label class="field" key={index}>
          <span>{texts.choice(index + 1)}</span>
          <input
            value={choice}
            maxLength={MAX_CHOICE}
            disabled={isOff}
            onInput={({ currentTarget: { value } }) => onSet({ poll_options: choices.with(index, value) })}
          />
        </label>
      ))}
      <div class="row">
        {choices.length < MAX_CHOICES && (
          <button
            type="button"
            class="small"
            disabled={isOff}
            onClick={() => onSet({ poll_options: [...choices, ""] })}
          >
            <Icon name="plus" size={16} />
            {texts.addChoice}
          </button>
        )}
        <label class="field inline">
          <span>{texts.lasts}</span>
          <select
            value={minutes}
            disabled={isOff}
            onChange={(event) => onSet({ poll_minutes: Number(event.currentTarget.value) })}
          >
            {DURATIONS.map((one) => (
              <option key={one} value={one}>
                {one < DAY ? texts.hours(one / 60) : texts.days(one / DAY)}
              </option>
            ))}
          </select>
        </label>
      </div>
    </Group>
  );
}

function About({
  editing: { options },
  isOff,
  onChange,
  onClose,
}: Props & { readonly onClose: () => void }): JSX.Element {
  const texts = words.compose.options;
  const known = options.in_reply_to_id ?? options.quoted_tweet_id;
  const [address, setAddress] = useState(known === undefined ? "" : postAddress(known));
  const [isQuote, setQuote] = useState(options.quoted_tweet_id !== undefined);
  const id = postIdIn(address);
  function choose(next: string, asQuote: boolean) {
    setAddress(next);
    setQuote(asQuote);
    const found = postIdIn(next);
    const about = asQuote
      ? { in_reply_to_id: undefined, quoted_tweet_id: found }
      : { in_reply_to_id: found, quoted_tweet_id: undefined };
    onChange((now) => ({ ...now, options: { ...now.options, ...about } }));
  }
  return (
    <Group title={texts.about} close={texts.noAbout} onClose={onClose}>
      <label class="field">
        <span>{texts.address}</span>
        <input
          value={address}
          placeholder="https://x.com/name/status/1234567890"
          disabled={isOff}
          onInput={(event) => choose(event.currentTarget.value, isQuote)}
        />
      </label>
      {address !== "" && id === undefined && <p class="warn-text small">{texts.noAddress}</p>}
      <div class="row">
        {([false, true] as const).map((asQuote) => (
          <label class="check" key={String(asQuote)}>
            <input
              type="radio"
              name="about"
              checked={isQuote === asQuote}
              disabled={isOff}
              onChange={() => choose(address, asQuote)}
            />
            {asQuote ? texts.quote : texts.reply}
          </label>
        ))}
        {isQuote && id !== undefined && (
          <button
            type="button"
            class="small"
            disabled={isOff}
            onClick={() => {
              onChange((now) => ({ ...now, texts: now.texts.with(0, withLink(now.texts[0] ?? "", id)) }));
              onClose();
            }}
          >
            <Icon name="link" size={16} />
            {texts.asLink}
          </button>
        )}
      </div>
    </Group>
  );
}

function withLink(text: string, id: string): string {
  return `${text.trimEnd()} ${postAddress(id)}`.trimStart();
}

interface GroupProps {
  readonly title: string;
  /** The name of the button that removes it. */
  readonly close: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

function Group({ title, close, onClose, children }: GroupProps): JSX.Element {
  return (
    <fieldset class="option-group">
      <legend class="visually-hidden">{title}</legend>
      {children}
      <button
        type="button"
        class="quiet small square close"
        aria-label={close}
        title={close}
        onClick={onClose}
      >
        <Icon name="close" size={16} />
      </button>
    </fieldset>
  );
}
