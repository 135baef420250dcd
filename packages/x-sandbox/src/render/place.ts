import type { JsonObject } from "../json.ts";
import { withFields } from "./fields.ts";
import type { View } from "./view.ts";

/** The sandbox has no map: every place that a post names is a town of that name. */
export function renderPlace(id: string, view: View): JsonObject {
  return withFields({ id, full_name: `Town ${id}` }, view.wanted.places, {
    name: `Town ${id}`,
    place_type: "city",
    country: "Sandbox",
    country_code: "XX",
  });
}
