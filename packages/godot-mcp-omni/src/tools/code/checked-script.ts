import { ok } from "@toolpact/outcome";
import type { Drivers } from "../../drivers/drivers.ts";
import type { GodotCode } from "../../errors.ts";
import type { Problem } from "../../operations/results.ts";
import { count } from "../counted.ts";
import type { ToolAnswer } from "../tool-answer.ts";

/** A script that does not compile within this time is answered without its problems. */
const CHECK_MS = 30_000;

/**
 * Adds what the compiler says of a script that was just written. Only where an engine is running: a call that writes a
 * file does not start one.
 */
export async function withProblems<T extends { readonly path: string }, Code extends GodotCode>(
  written: ToolAnswer<T, Code>,
  { workspace, signal }: { readonly workspace: Drivers; readonly signal: AbortSignal },
): Promise<ToolAnswer<T & { readonly problems?: readonly Problem[] }, Code>> {
  if (!written.ok || !written.value.path.endsWith(".gd")) return written;
  const engine = await workspace.engine();
  if (!engine.ok || !engine.value.isReady) return written;
  const { path } = written.value;
  const checked = await engine.value.request(
    "diagnostics",
    { paths: [path] },
    { signal, timeoutMs: CHECK_MS },
  );
  if (!checked.ok) return written;
  const { problems } = checked.value;
  const found = problems.length === 0 ? "It compiles." : `It has ${count(problems.length, "problem")}.`;
  return ok(
    { ...written.value, problems },
    { ...written.notes, summary: `${written.notes?.summary ?? ""} ${found}`.trim() },
  );
}
