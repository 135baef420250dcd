export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

const STORED = "tuitbot-language";

/** The chosen language, or undefined for that of the browser. */
export function chosenLanguage(): Language | undefined {
  try {
    return LANGUAGES.find((one) => one === localStorage.getItem(STORED));
  } catch {
    return undefined;
  }
}

/** Stores the choice. It holds from the next load of the page on. */
export function chooseLanguage(language: Language | undefined): void {
  try {
    if (language === undefined) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, language);
  } catch {
    // The browser stores nothing for this page, so its own language stays.
  }
}

const isOf = (language: Language) => (tag: string) => tag.split("-")[0] === language;

/** The language of the page: the choice, else the browser's first one that the page has. */
export const language: Language =
  chosenLanguage() ??
  navigator.languages.flatMap((tag) => LANGUAGES.filter((one) => isOf(one)(tag)))[0] ??
  "en";

/** Formats of numbers and dates: the browser's variant of the language, such as de-AT. */
export const locale: string = navigator.languages.find(isOf(language)) ?? language;
