import { fetchedGodot } from "./fetched-godot.ts";

/** A Godot process that can draw, with a virtual display. */
export const displayGodot: string | undefined = await fetchedGodot({
  variable: "GODOT_DISPLAY_PATH",
  folder: "godot-display",
  parts: ["gl", "xvfb"],
});
