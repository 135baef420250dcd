import { extname } from "node:path";
import { systemClock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors, type Result } from "../../errors.ts";
import { exportBuild } from "../../export/build.ts";
import { type SmokeRun, smokeReport, smokeRun } from "../../export/logged-run.ts";
import { type BuildKind, endingsOf, PACK_ENDINGS, PLATFORMS } from "../../export/platforms.ts";
import { addPreset, checkPreset, type Preset, presetNamed, readPresets } from "../../export/presets.ts";
import { howToInstall, templateOf, templatesFolder } from "../../export/templates.ts";
import { cacheFolder, editorEnvironment } from "../../godot/environment.ts";
import type { Project } from "../../project/project.ts";
import type { PathCode, ProjectPath } from "../../project/project-path.ts";
import { count as amount, list, severity, text } from "../../shapes.ts";
import { loggedProblem } from "../../testing/engine-log.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { count, EDIT, logsOf, product, READ } from "../product.ts";

const preset = z.string().min(1).describe("Name of the preset, such as Linux");
const path = z.string().describe("res://build/game.x86_64, res://build/game.pck");
const frames = z.int().min(1).max(100_000).optional().describe("Longest run in frames; default: 60");
const SMOKE_FRAMES = 60;
const SMOKE_MS = 60_000;
const QUIET_RELEASE = "Release builds do not report every script error; a debug build or a pack does.";

const template = z.strictObject({
  kind: z.enum(["release", "debug"]),
  path: text,
  isThere: z.boolean(),
  isCustom: z.boolean(),
});

const newPreset = z.strictObject({ name: text, platform: text, exportPath: text });

const checkedPreset = newPreset.extend({
  isRunnable: z.boolean(),
  filter: text,
  architecture: text,
  templates: list(template),
  problems: list(z.strictObject({ severity, message: text, fix: text })),
});

const build = z.strictObject({
  path: text,
  files: list(z.strictObject({ path: text, bytes: amount })),
  durationMs: z.number(),
  problems: list(loggedProblem),
  smoke: smokeReport.exactOptional(),
});

export const exportTool = product.defineActionTool({
  name: "godot_export",
  title: "Export",
  description:
    "Export the game by its presets: check presets and templates, make packs (no templates needed) and builds, and run them once.",
  category: "export",
  openWorld: false,
  profiles: ["full"],
  needs: ["project", "workspace"],
  errors: EDIT,
  deadlineMs: 1_800_000,
  actions: (action) => ({
    presets: action({
      description: "List presets with their problems and templates.",
      effect: "none",
      errors: READ,
      input: z.strictObject({}),
      output: z.strictObject({ presets: list(checkedPreset) }),
      handler: async (_input, { project, workspace }) => {
        const presets = await readPresets(project);
        if (!presets.ok) return presets;
        const binary = await workspace.binary();
        const checked = [];
        for (const preset of presets.value) {
          const templates = binary.ok ? templatesOf(preset, folderOf(binary.value, workspace)) : [];
          const install = binary.ok ? howToInstall(binary.value, folderOf(binary.value, workspace)) : "";
          const problems = await checkPreset(preset, presets.value, templates, project, install);
          const { name, platform, isRunnable, exportPath, filter, architecture } = preset;
          checked.push({ name, platform, isRunnable, exportPath, filter, architecture, templates, problems });
        }
        const bad = checked.filter(({ problems }) => problems.some(({ severity }) => severity === "error"));
        return ok(
          { presets: checked },
          {
            summary: `${count(checked.length, "preset")}, ${bad.length === 0 ? "none with errors" : `${bad.length} with errors`}.`,
            ...(!binary.ok && { warnings: [`Templates were not checked: ${binary.failure.message}`] }),
          },
        );
      },
    }),
    add_preset: action({
      description: "Add a preset whose builds go to path.",
      effect: "create",
      errors: EDIT,
      input: z.strictObject({
        preset,
        platform: z.string().describe(Object.keys(PLATFORMS).join(", ")),
        path,
      }),
      output: z.strictObject({ preset: newPreset }),
      handler: async ({ preset: name, platform, path }, { project }) => {
        const place = await project.resolve(path);
        if (!place.ok) return place;
        const exportPath = place.value.res.slice("res://".length);
        const added = await addPreset(project, { name, platform, exportPath });
        return added.ok
          ? ok({ preset: { name, platform, exportPath } }, { summary: `The preset "${name}" is there.` })
          : added;
      },
    }),
    build: action({
      description: "Export a preset to path, or else to its export_path; with smoke, run the build once.",
      effect: "update",
      input: z.strictObject({
        preset,
        kind: z.enum(["release", "debug", "pack"]).optional().describe("Default: release"),
        path: path.optional(),
        overwrite: z.boolean().optional().describe("Replace a file that no earlier build left there"),
        smoke: z.boolean().optional().describe("Run it for some frames without a window"),
        frames,
        timeoutMs: z.int().min(1000).max(1_700_000).optional().describe("Default: 600000"),
      }),
      output: build,
      handler: async (
        {
          preset: name,
          kind = "release",
          path,
          overwrite = false,
          smoke,
          frames = SMOKE_FRAMES,
          timeoutMs = 600_000,
        },
        { project, workspace, signal, progress },
      ) => {
        const preset = await presetNamed(project, name);
        if (!preset.ok) return preset;
        const target = await targetOf(project, preset.value, kind, path);
        if (!target.ok) return target;
        const binary = await (smoke ? workspace.binaryOutsideSandbox() : workspace.binaryForProject());
        if (!binary.ok) return binary;
        if (kind !== "pack") {
          const template = templateOf(preset.value, kind, folderOf(binary.value, workspace));
          if (!template.isThere)
            return errors.fail(
              "E_NOT_FOUND",
              `There is no template for ${kind} builds at ${template.path}.`,
              {
                suggestedFix: `${howToInstall(binary.value, folderOf(binary.value, workspace))} A pack can be made without.`,
                fixBy: "operator",
                details: { template: template.path },
              },
            );
        }
        const runsHere = kind === "pack" || PLATFORMS[preset.value.platform]?.runsOn === process.platform;
        if (smoke && !runsHere)
          return errors.fail(
            "E_UNSUPPORTED",
            `A build for ${preset.value.platform} does not run on this machine.`,
            { suggestedFix: "Leave smoke out, or build a pack with it." },
          );
        const built = await exportBuild(preset.value, {
          binary: binary.value,
          project: project.root,
          env: environmentOf(workspace),
          kind,
          target: target.value,
          overwrite,
          clock: systemClock,
          signal,
          timeoutMs,
          progress,
        });
        if (!built.ok) return built;
        const ran = smoke
          ? await smokeRun({
              ...(kind === "pack"
                ? { command: binary.value.path, args: ["--main-pack", target.value.absolute] }
                : { command: target.value.absolute, args: [] }),
              env: workspace.env,
              frames,
              timeoutMs: SMOKE_MS,
              clock: systemClock,
              signal,
            })
          : undefined;
        if (ran !== undefined && !ran.ok) return ran;
        const { output, ...made } = built.value;
        const { files } = made;
        const size = files.reduce((sum, { bytes }) => sum + bytes, 0);
        return ok(
          { ...made, ...(ran !== undefined && { smoke: ran.value }) },
          {
            summary: `${made.path}: ${count(files.length, "file")}, ${size} bytes.${ran === undefined ? "" : ` ${howItRan(ran.value, frames)}`}`,
            execution: { mode: "engine", godot: binary.value.version },
            ...logsOf([...output, ...(ran?.value.output ?? [])]),
            ...(smoke && kind === "release" && { warnings: [QUIET_RELEASE] }),
          },
        );
      },
    }),
    smoke_run: action({
      description: "Run a pack for some frames and report its errors.",
      effect: "mark",
      input: z.strictObject({ path, frames }),
      output: smokeReport,
      handler: async ({ path, frames = SMOKE_FRAMES }, { project, workspace, signal }) => {
        const place = await project.resolve(path);
        if (!place.ok) return place;
        if (!PACK_ENDINGS.includes(extname(place.value.res).slice(1)))
          return errors.fail("E_SCHEMA_VALIDATION", `${place.value.res} is not a pack.`, {
            suggestedFix: "Only packs are run by name. To run another build, make it with smoke.",
          });
        const read = await project.bytesAt(place.value);
        if (!read.ok) return read;
        const binary = await workspace.binaryOutsideSandbox();
        if (!binary.ok) return binary;
        const ran = await smokeRun({
          command: binary.value.path,
          args: ["--main-pack", place.value.absolute],
          env: workspace.env,
          frames,
          timeoutMs: SMOKE_MS,
          clock: systemClock,
          signal,
        });
        if (!ran.ok) return ran;
        return ok(ran.value, { summary: howItRan(ran.value, frames), ...logsOf(ran.value.output) });
      },
    }),
  }),
});

type Binary = Parameters<typeof templatesFolder>[0];

function environmentOf(workspace: Workspace): Readonly<Record<string, string>> {
  return editorEnvironment(workspace.env, `${cacheFolder(workspace.env, process.platform)}/home`);
}

function folderOf(binary: Binary, workspace: Workspace): string {
  return templatesFolder(binary, environmentOf(workspace), process.platform);
}

function templatesOf(preset: Preset, folder: string) {
  if (PLATFORMS[preset.platform] === undefined) return [];
  return (["release", "debug"] as const).map((kind) => templateOf(preset, kind, folder));
}

async function targetOf(
  project: Project,
  preset: Preset,
  kind: BuildKind,
  path: string | undefined,
): Promise<Result<ProjectPath, PathCode>> {
  const endings = endingsOf(preset, kind);
  const given = path ?? (kind === "pack" ? preset.exportPath.replace(/\.\w+$/, ".pck") : preset.exportPath);
  if (given === "")
    return errors.fail("E_SCHEMA_VALIDATION", `The preset "${preset.name}" has no export_path.`, {
      suggestedFix: `Give a path, such as res://build/game.${endings[0]}.`,
    });
  const place = await project.resolve(given);
  if (!place.ok) return place;
  if (endings.includes(extname(place.value.res).slice(1))) return place;
  return errors.fail(
    "E_SCHEMA_VALIDATION",
    `${place.value.res}: a ${kind === "pack" ? "pack" : `build for ${preset.platform}`} ends with .${endings.join(" or .")}.`,
  );
}

function howItRan({ isFine, exit, tookTooLong, problems }: SmokeRun, frames: number): string {
  if (isFine) return `It ended with 0 after ${count(frames, "frame")} or before, without an error.`;
  const [first] = problems.filter(({ severity }) => severity === "error");
  const how = tookTooLong ? "was stopped, as it did not end" : `ended with ${exit}`;
  return `It ${how}; ${count(problems.length, "problem")}${first === undefined ? "" : `, first: ${first.message}`}.`;
}
