import type { Failure, JsonObject, OkNotes, Outcome } from "@toolpact/contract";
import type { GodotCode } from "../errors.ts";

/** What a tool's action comes to. */
export type Answer = Outcome<JsonObject, Failure<GodotCode>, OkNotes>;
