import { constants, existsSync } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import type { Check } from "@toolpact/cli";
import type { Failure, Outcome } from "@toolpact/contract";
import type { GodotCode } from "../errors.ts";
import { findXvfb, hasScreen, NO_XVFB } from "../game/display.ts";
import { usesCSharp, withoutDotNet } from "../godot/binary.ts";
import { stopOf } from "../project/state-folder.ts";
import { addonStatus, otherAddon } from "./addon.ts";
import type { Workspace } from "./workspace.ts";

export interface DoctorReport {
  /** False if a check failed. */
  readonly ok: boolean;
  readonly summary: string;
  readonly checks: readonly Check[];
}

export interface DoctorOptions {
  /** Real path of the project. */
  readonly project: Outcome<string, Failure>;
  readonly workspace: Workspace | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Checks everything that this server depends on. Changes nothing. */
export async function doctor({ project, workspace, env }: DoctorOptions): Promise<DoctorReport> {
  const checks: Check[] = [nodeCheck(), await godotCheck(workspace)];
  if (project.ok) {
    const root = project.value;
    checks.push(
      await projectCheck(root),
      ...(workspace === undefined ? [] : [trustCheck(workspace)]),
      await writableCheck(root),
      await addonCheck(root, workspace),
      ...stopCheck(root),
      importCheck(root),
      ...(await cSharpCheck(root, workspace)),
    );
  } else {
    checks.push(failed("project", project.failure));
  }
  checks.push(editorCheck(workspace), await displayCheck(workspace, env), await portCheck());
  const errors = checks.filter((check) => check.status === "failed").length;
  const warnings = checks.filter((check) => check.status === "warning").length;
  return {
    ok: errors === 0,
    summary: summaryOf(errors, warnings),
    checks,
  };
}

function summaryOf(errors: number, warnings: number): string {
  if (errors + warnings === 0) return "All is well.";
  const inTheWay =
    errors === 0
      ? "Nothing is in the way"
      : `${errors} ${errors === 1 ? "thing is" : "things are"} in the way`;
  return `${inTheWay}, ${warnings} worth knowing.`;
}

const MARKS: Readonly<Record<Check["status"], string>> = { ok: "✓", warning: "!", failed: "✗", skipped: "–" };

/** The report as a text page, for a file or a bug report. */
export function doctorMarkdown({ summary, checks }: DoctorReport): string {
  const rows = checks.map(
    ({ name, status, message, fix }) => `| ${MARKS[status]} | ${name} | ${message} | ${fix ?? ""} |`,
  );
  return [
    "# godot-mcp-omni doctor",
    "",
    summary,
    "",
    "| | what | how it stands | what to do |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function nodeCheck(): Check {
  return { name: "node", status: "ok", message: process.version };
}

async function godotCheck(workspace: Workspace | undefined): Promise<Check> {
  const binary = await workspace?.binary();
  if (binary === undefined)
    return { name: "godot", status: "skipped", message: "Not looked for, since there is no project." };
  if (binary.ok) {
    const { path: place, version, origin } = binary.value;
    const tooOld = workspace?.whyTooOld(version);
    if (tooOld !== undefined)
      return {
        name: "godot",
        status: "warning",
        message: `${version} at ${place} (${origin}). ${tooOld} ${EDITED_BY_FILES}`,
        fix: "Set GODOT_PATH to a Godot binary as new as the project.",
      };
    return { name: "godot", status: "ok", message: `${version} at ${place} (${origin})` };
  }
  // Without Godot the files driver still works; a configured path that is not Godot is an error.
  if (binary.failure.details?.origin !== undefined) return failed("godot", binary.failure);
  return { ...failed("godot", binary.failure), status: "warning" };
}

/** The warning for a project that is newer than the Godot binary. */
export const EDITED_BY_FILES = "So it is read and edited as text.";

/** Godot 3 writes 4 there, Godot 4 writes 5. */
async function projectCheck(root: string): Promise<Check> {
  const settings = await readFile(path.join(root, "project.godot"), "utf8").catch(() => "");
  const version = Number(/^config_version\s*=\s*(\d+)/m.exec(settings)?.[1] ?? 5);
  return version >= 5
    ? { name: "project", status: "ok", message: root }
    : {
        name: "project",
        status: "failed",
        message: `${root} is a project of Godot 3.`,
        fix: "Open it once in the editor of Godot 4, which converts it.",
      };
}

function trustCheck({ trust }: Workspace): Check {
  return trust.isTrusted
    ? { name: "trust", status: "ok", message: "Trusted: Godot may open the project and run its code." }
    : {
        name: "trust",
        status: "warning",
        message: "Not trusted: the project is worked on as files, and Godot does not open it.",
        fix: `If it is yours: ${trust.command}`,
      };
}

async function writableCheck(root: string): Promise<Check> {
  const writable = await access(root, constants.W_OK).then(
    () => true,
    () => false,
  );
  return writable
    ? { name: "folder", status: "ok", message: "The project can be written." }
    : {
        name: "folder",
        status: "failed",
        message: "The project's folder cannot be written.",
        fix: "Give this user the right to write it, or start with --read-only.",
      };
}

/** Only if it is in force. */
function stopCheck(root: string): Check[] {
  const stop = stopOf(root);
  if (stop === undefined) return [];
  const message = `A person has stopped all changes by agents${stop.at === undefined ? "" : ` at ${stop.at}`}.`;
  return [{ name: "stop", status: "warning", message, fix: "godot-mcp-omni resume" }];
}

async function addonCheck(root: string, workspace: Workspace | undefined): Promise<Check> {
  const status = await addonStatus(root);
  const { installed, enabled, version } = status;
  const fix = "godot-mcp-omni addon install";
  if (!installed)
    return { name: "addon", status: "warning", message: "Not installed: no work in an open editor.", fix };
  const other = otherAddon(status, workspace?.editor(), workspace?.serverVersion ?? version ?? "");
  if (other !== undefined)
    return { name: "addon", status: "warning", message: other, ...(!status.current && { fix }) };
  if (!enabled) return { name: "addon", status: "warning", message: "Installed, not enabled.", fix };
  return { name: "addon", status: "ok", message: `${version}, enabled` };
}

/** Only for a project with C#, and a Godot binary to run it. */
async function cSharpCheck(root: string, workspace: Workspace | undefined): Promise<Check[]> {
  const binary = await workspace?.binary();
  if (!binary?.ok || !usesCSharp(root)) return [];
  const message = withoutDotNet(binary.value, root);
  if (message === undefined) return [{ name: "c#", status: "ok", message: "This Godot runs C#." }];
  return [{ name: "c#", status: "warning", message, fix: "Set GODOT_PATH to a Godot binary with .NET." }];
}

function importCheck(root: string): Check {
  return existsSync(path.join(root, ".godot", "global_script_class_cache.cfg"))
    ? { name: "import", status: "ok", message: "Godot has imported the project." }
    : {
        name: "import",
        status: "warning",
        message: "Godot has not imported the project yet; the first engine call does.",
      };
}

function editorCheck(workspace: Workspace | undefined): Check {
  const editor = workspace?.editor();
  return editor === undefined
    ? { name: "editor", status: "warning", message: "No editor is connected." }
    : { name: "editor", status: "ok", message: `Connected, Godot ${editor.version}.` };
}

async function displayCheck(workspace: Workspace | undefined, env: DoctorOptions["env"]): Promise<Check> {
  if (hasScreen(env)) return { name: "display", status: "ok", message: "There is a screen." };
  const binary = await workspace?.binary();
  if (!binary?.ok)
    return { name: "display", status: "skipped", message: "Not looked for, since there is no Godot." };
  return findXvfb({ godot: binary.value.path, env }) === undefined
    ? { name: "display", status: "warning", message: "None: there are no pictures of games.", fix: NO_XVFB }
    : {
        name: "display",
        status: "ok",
        message: "A virtual one is opened for games; editors have no window.",
      };
}

/** Engine and editors connect on loopback. */
async function portCheck(): Promise<Check> {
  const server = createServer();
  const failure = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once("error", resolve);
    server.listen(0, "127.0.0.1", () => resolve(undefined));
  });
  server.close();
  return failure === undefined
    ? { name: "ports", status: "ok", message: "Loopback can be listened on." }
    : {
        name: "ports",
        status: "failed",
        message: `Loopback cannot be listened on (${failure.code ?? "unknown"}).`,
        fix: "Let this process listen on 127.0.0.1.",
      };
}

function failed(name: string, { message, suggestedFix }: Failure<GodotCode | string>): Check {
  return { name, status: "failed", message, ...(suggestedFix !== undefined && { fix: suggestedFix }) };
}
