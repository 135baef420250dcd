import type { JsonObject } from "../json.ts";
import type { Topic } from "../world/space.ts";
import { withFields } from "./fields.ts";
import type { View } from "./view.ts";

export function renderTopic(topic: Topic, view: View): JsonObject {
  return withFields({ id: topic.id, name: topic.name }, view.wanted.topics, {
    description: topic.description,
  });
}
