import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { chooseLanguage, chosenLanguage, LANGUAGES, type Language } from "../../format/locale.ts";
import { noticeState, turnOnNotices } from "../../parts/notices.ts";
import { words } from "../../text/words.ts";

/** Settings of this browser: the language of the dashboard, and notifications. */
export function ThisBrowser(): JSX.Element {
  const texts = words.thisBrowser;
  const [notices, setNotices] = useState(noticeState());
  return (
    <section class="panel this-browser" aria-label={texts.title}>
      <header>
        <h2>{texts.title}</h2>
      </header>
      <label class="field">
        <span class="setting-name">{texts.language}</span>
        <select
          value={chosenLanguage() ?? "browser"}
          onChange={({ currentTarget }) => {
            chooseLanguage(LANGUAGES.find((one: Language) => one === currentTarget.value));
            location.reload();
          }}
        >
          {(["browser", ...LANGUAGES] as const).map((one) => (
            <option key={one} value={one}>
              {texts.languages[one]}
            </option>
          ))}
        </select>
      </label>
      <div class="field">
        <span class="setting-name">{texts.notices}</span>
        <span class="row">
          <span class="soft">{texts[notices]}</span>
          {notices === "off" && (
            <button
              type="button"
              class="small"
              onClick={() => void turnOnNotices().then(() => setNotices(noticeState()))}
            >
              {texts.turnOn}
            </button>
          )}
        </span>
      </div>
    </section>
  );
}
