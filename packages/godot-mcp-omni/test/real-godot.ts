import { fetchedGodot } from "./fetched-godot.ts";

/** The Godot that tests run on. */
export const realGodot: string | undefined = await fetchedGodot({
  variable: "GODOT_PATH",
  folder: "godot-template",
  parts: ["template"],
});
