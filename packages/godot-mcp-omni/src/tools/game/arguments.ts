import * as z from "zod";

/** Arguments that several actions of godot_game share. */
export const game = z.string().optional().describe("game-1; default: the newest");
export const node = z.string().describe("/root/Main/Player, Player, %Unique, #id");
export const after = z.int().optional().describe("`next` of the last page");
export const frames = z.int().min(1).max(36_000).optional().describe("Default: 1; profile, watch: 60");
export const frame = z.int().min(0).optional().describe("Of the stack; 0 is innermost");
export const expression = z.string().describe("count > 3, $Player.x, Autoload.z");
export const on = z.boolean().optional().describe("false: remove, or wait until gone");
export const breakpoints = z.array(z.string()).describe("res://a.gd:12");

/** Below the deadline of the tool. */
export const MAX_MS = 110_000;

/** Default of `limit`. */
export const PAGES = "a page";

/** Frames that are measured unless the caller says how many. */
export const MEASURED_FRAMES = 60;
