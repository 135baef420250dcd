import * as z from "zod";
import * as p from "../params.ts";

/** Arguments that several actions of godot_inspector share. */
export const place = { scene: p.scene, mode: p.mode };
export const group = z.string().describe("Group: enemies");
export const signal = z.string().describe("Signal: body_entered");
export const property = z.string().describe("Property: position, position:x, shape:size");
