import { language } from "../format/locale.ts";
import { apps as german } from "../text/de/apps.ts";
import { apps as english } from "../text/en/apps.ts";

/** The texts of the windows in chats, in the language of the browser. */
export const appWords: typeof english = language === "de" ? german : english;
