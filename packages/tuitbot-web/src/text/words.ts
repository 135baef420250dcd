import { language } from "../format/locale.ts";
import { english } from "./en/english.ts";

/** The texts in the language of the page. Only a page in another language loads more than the English ones. */
export const words: typeof english = language === "de" ? (await import("./de/german.ts")).german : english;
