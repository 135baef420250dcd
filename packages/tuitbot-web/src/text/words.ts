import { language } from "../format/locale.ts";
import { english } from "./en/english.ts";

/** The texts in the language of the page. Read them while rendering: a constant of a module would stay English. */
export let words: typeof english = english;

/** Loads the texts of the page's language. Only a page in another language loads more than the English ones. */
export async function loadWords(): Promise<void> {
  if (language === "de") words = (await import("./de/german.ts")).german;
}
