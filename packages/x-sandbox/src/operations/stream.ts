import { success } from "../http/answer.ts";
import type { Fields } from "../http/input.ts";
import { badValue, tooManyConnections } from "../http/problems.ts";
import { iso, type JsonObject } from "../json.ts";
import { pageOf } from "../render/page.ts";
import { parseQuery } from "../search/query.ts";
import { Timeline } from "../world/timeline.ts";
import type { StreamRule, World } from "../world/world.ts";
import { type Handlers, viewOf } from "./context.ts";

export const stream = {
  streamPosts: (input, context) => {
    const lines = context.streams.connect(context.app.id, context.world, () => viewOf(input, context));
    return lines === undefined
      ? tooManyConnections()
      : { status: 200, body: lines, contentType: "application/json" };
  },

  getRules: (input, { world }) => {
    const ids = input.list("ids");
    const rules = new Timeline();
    for (const id of world.streamRules.keys()) rules.add(id);
    const page = pageOf(rules, input, {
      scope: "rules",
      size: 1_000,
      accept: (id) => ids.length === 0 || ids.includes(id),
    });
    if ("refusal" in page) return page.refusal;
    const data = page.items.flatMap((id) => world.streamRules.get(id) ?? []).map(render);
    const meta = {
      result_count: data.length,
      ...(page.next !== undefined && { next_token: page.next }),
    };
    return success({ ...(data.length > 0 && { data }), meta });
  },

  getRuleCounts: (_input, { world, app }) =>
    success({
      data: {
        cap_per_client_app: String(maxRules),
        cap_per_project: String(maxRules),
        client_app_rules_count: { client_app_id: app.id, rule_count: world.streamRules.size },
        project_rules_count: String(world.streamRules.size),
      },
    }),

  updateRules: (input, { world, now }) => {
    const dryRun = input.flag("dry_run");
    const doomed = doomedRules(world, input.body.object("delete"), input.flag("delete_all"));
    const requested = input.body
      .objects("add")
      .map((rule) => ({ value: rule.text("value") ?? "", tag: rule.text("tag") }));
    for (const { value } of requested) {
      const parsed = parseQuery(value);
      if ("complaint" in parsed) return badValue("add", value, parsed.complaint);
    }
    if (world.streamRules.size - doomed.length + requested.length > maxRules) {
      return badValue("add", String(requested.length), `There can be at most ${maxRules} rules.`);
    }
    const known = new Set([...world.streamRules.values()].map((rule) => rule.value));
    const added: StreamRule[] = requested
      .filter(({ value }) => !known.has(value))
      .map((rule) => ({ id: world.idAt(now), ...rule }));
    if (!dryRun) {
      for (const rule of doomed) world.streamRules.delete(rule.id);
      for (const rule of added) world.streamRules.set(rule.id, rule);
    }
    const summary = {
      ...(requested.length > 0 && {
        created: added.length,
        not_created: requested.length - added.length,
        valid: added.length,
        invalid: requested.length - added.length,
      }),
      ...(doomed.length > 0 && { deleted: doomed.length, not_deleted: 0 }),
    };
    return success({
      ...(added.length > 0 && { data: added.map(render) }),
      meta: { sent: iso(now), summary },
    });
  },
} satisfies Handlers;

const maxRules = 1_000;

function doomedRules(world: World, wish: Fields | undefined, all: boolean): StreamRule[] {
  const rules = [...world.streamRules.values()];
  if (all) return rules;
  return rules.filter(
    ({ id, value }) =>
      wish?.texts("ids")?.includes(id) === true || wish?.texts("values")?.includes(value) === true,
  );
}

function render({ id, value, tag }: StreamRule): JsonObject {
  return { id, value, ...(tag !== undefined && { tag }) };
}
