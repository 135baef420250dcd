import { stat } from "node:fs/promises";
import type { Check } from "@toolpact/cli";
import { systemClock } from "@toolpact/contract";
import type { Config } from "../../config/schema.ts";
import { readKey } from "../../server/persistence.ts";
import { openModel } from "../../writing/open-llm.ts";
import { dollars } from "../daily/daily-session.ts";
import type { Machine } from "../machine.ts";
import { broken, canBeMade, exposedFile, fine, skipped, warning } from "./check.ts";

/** Asks the configured language model one short question. */
export async function checkLanguageModel({ llm }: Config, { fetch }: Pick<Machine, "fetch">): Promise<Check> {
  const opened = openModel(llm, { fetch, clock: systemClock, random: Math.random });
  if (!opened.ok) return skipped(MODEL, "None is configured; only generating content needs one.");
  const { provider, model } = opened.value.writer;
  const answer = await opened.value.answer(
    { system: "You are asked whether you work.", prompt: "Answer with the word ok.", maxOutputTokens: 1_000 },
    AbortSignal.timeout(ANSWER_MS),
  );
  if (!answer.ok)
    return broken(
      MODEL,
      `${provider}, ${model}: ${answer.failure.message}`,
      "Check llm.provider, llm.model, llm.api_key and llm.base_url.",
    );
  return answer.value.text.trim() === ""
    ? warning(MODEL, `${provider}, ${model} answers with nothing.`, "Try another llm.model.")
    : fine(MODEL, `${provider}, ${model} answers.`);
}

const MODEL = "language model";
const ANSWER_MS = 30_000;

/** Checks that a folder exists from which media can be uploaded. */
export async function checkMediaRoots({ media }: Config): Promise<Check> {
  const missing: string[] = [];
  for (const root of media.roots) {
    const found = await stat(root).catch(() => undefined);
    if (!found?.isDirectory()) missing.push(root);
  }
  if (missing.length === media.roots.length)
    return warning(
      "media",
      "None of the folders in media.roots exists, so nothing can be uploaded.",
      `Make ${missing[0] ?? "one"}, or set media.roots.`,
    );
  return fine("media", media.roots.filter((root) => !missing.includes(root)).join(", "));
}

/** Checks that the key of approvals can be used, and that only its owner can read it. */
export async function checkApprovalKey({ approvals }: Pick<Config, "approvals">): Promise<Check> {
  const { key, key_file: path } = approvals;
  if (key !== undefined) return fine("approval key", "approvals.key is set.");
  const file = await stat(path).catch(() => undefined);
  if (file === undefined)
    return (await canBeMade(path))
      ? fine("approval key", `${path} will be made when it is needed.`)
      : broken(
          "approval key",
          `${path} cannot be written, so nothing can be approved.`,
          "Give yourself the right to, or set approvals.key_file.",
        );
  if (!file.isFile())
    return broken("approval key", `${path} is no file.`, "Set approvals.key_file to a file.");
  const isKey = await readKey(path).then(
    () => true,
    () => false,
  );
  if (!isKey)
    return broken(
      "approval key",
      `${path} is no key, or cannot be read.`,
      "Make it readable, or delete it; what waits for approval then has to be asked again.",
    );
  return (await exposedFile("approval key", path)) ?? fine("approval key", path);
}

/** Checks that caps limit what may be spent. */
export function checkBudget({ budget }: Pick<Config, "budget">): Check {
  const { max_usd_per_day, max_usd_per_month, unlimited } = budget;
  return unlimited
    ? warning(
        "budget",
        "No cap limits what is spent at X: budget.unlimited is set.",
        "Remove budget.unlimited, and set budget.max_usd_per_day and budget.max_usd_per_month.",
      )
    : fine("budget", `At most ${dollars(max_usd_per_day)} a day and ${dollars(max_usd_per_month)} a month.`);
}

/** Checks that the token of HTTP callers, if one was made, is private. */
export async function checkServerToken({ server }: Pick<Config, "server">): Promise<Check> {
  const { token, token_file: path } = server;
  if (token !== undefined) return fine("HTTP token", "server.token is set.");
  const exposed = await exposedFile("HTTP token", path);
  return exposed ?? fine("HTTP token", `In ${path}, or made there by the first \`mcp serve --http\`.`);
}
