import type { Json, JsonObject } from "@toolpact/contract";
import { isJsonObject } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import { MASK, masked } from "../config/effective-config.ts";
import { configKeys } from "../config/keys.ts";
import { errors } from "../errors.ts";
import type { Services } from "./services.ts";

/** All others are in the file only. */
const EDITABLE: readonly string[] = [
  "schedule.timezone",
  "schedule.posting_slots",
  "schedule.active_hours_start",
  "schedule.active_hours_end",
  "schedule.active_days",
  "mode",
  "approval_mode",
  "mcp_policy.require_approval_for",
  "mcp_policy.template",
  "approvals.expires_hours",
  "budget.max_usd_per_day",
  "budget.max_usd_per_month",
  "limits.max_tweets_per_day",
  "limits.max_replies_per_day",
  "limits.max_threads_per_week",
  "mcp_policy.max_mutations_per_hour",
  "limits.banned_phrases",
  "business.product_name",
  "business.product_description",
  "business.product_keywords",
  "business.industry_topics",
  "business.brand_voice",
  "targets.accounts",
  "llm.provider",
  "llm.api_key",
  "llm.model",
  "notify.people",
  "notify.digest_times",
  "notify.telegram_bot_token",
  "notify.slack_bot_token",
  "notify.slack_app_token",
  "notify.ntfy_token",
  "notify.smtp_url",
  "notify.email_from",
];

/** As saved now, and as this server started with them. */
export async function settings({ config }: Pick<Services, "config">) {
  const saved = await config.saved();
  const values = saved.ok ? saved.value.values : config.values;
  const fromEnvironment = saved.ok ? saved.value.fromEnvironment : [];
  const keys = configKeys().filter(({ name }) => EDITABLE.includes(name));
  const shown = masked(values);
  return ok({
    file: config.file ?? null,
    settings: keys.map(({ name, kind, choices, describe, isSecret }) => ({
      name,
      kind,
      choices: [...choices],
      describe,
      /** Secrets are masked. */
      value: valueIn(shown, name),
      is_secret: isSecret,
      /** The environment sets it, so the file has no effect. */
      is_fixed: fromEnvironment.includes(name),
      /** The file differs from this server's start. */
      needs_restart: JSON.stringify(valueIn(values, name)) !== JSON.stringify(valueIn(config.values, name)),
    })),
  });
}

/** For the next start. */
export async function writeSettings(
  { values }: { readonly values: JsonObject },
  session: Pick<Services, "config">,
) {
  const unknown = Object.keys(values).find((name) => !EDITABLE.includes(name));
  if (unknown !== undefined)
    return errors.fail("validation_error", `${unknown} cannot be changed in the dashboard.`, {
      suggestedFix: "Change it in the configuration file.",
      fixBy: "human",
    });
  const set = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const saved = await session.config.saved();
  const old = saved.ok ? saved.value.values : session.config.values;
  const written = await session.config.write(
    Object.fromEntries(set.map(([name, value]) => [name, unmasked(value, valueIn(old, name))])),
  );
  if (!written.ok)
    return errors.fail("validation_error", written.failure, {
      suggestedFix: "Correct the value, then save again.",
      fixBy: "human",
    });
  return settings(session);
}

/** Also in lists of tables with names. */
function unmasked(value: Json, old: Json): Json {
  if (value === MASK) return old;
  if (Array.isArray(value))
    return value.map((one) => {
      const same =
        isJsonObject(one) && Array.isArray(old) ? old.find((was) => nameIn(was) === one.name) : undefined;
      return unmasked(one, same ?? null);
    });
  if (!isJsonObject(value)) return value;
  const known = isJsonObject(old) ? old : {};
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, unmasked(part ?? null, known[key] ?? null)]),
  );
}

const nameIn = (table: Json) => (isJsonObject(table) ? table.name : undefined);

function valueIn(config: object, name: string): Json {
  const [section = "", key] = name.split(".");
  // Names come from the schema, and file values are JSON.
  const found = (config as Readonly<Record<string, Json | undefined>>)[section];
  const value = key === undefined ? found : (found as Readonly<Record<string, Json | undefined>>)[key];
  return value ?? null;
}
