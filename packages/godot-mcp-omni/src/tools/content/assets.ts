import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { Settings } from "../../config/settings.ts";
import { ask, type DriverContext } from "../../drivers/ask.ts";
import { commitFiles } from "../../drivers/commit/commit-files.ts";
import { errors } from "../../errors.ts";
import type { Mode } from "../../operations/driver.ts";
import { logEntry } from "../../operations/results.ts";
import { readOutside } from "../../project/outside-file.ts";
import type { Project } from "../../project/project.ts";
import { count as amount, jsonObject, list, text } from "../../shapes.ts";
import * as p from "../params.ts";
import type { ToolAnswer } from "../product.ts";
import { taken } from "../scene/create.ts";
import { type ImportFile, readImportFile, settingText, withSettings } from "./import-file.ts";

const settings = p.anyObject
  .optional()
  .describe('Settings of the importer to change: {"mipmaps/generate": true}; the others stay');

export const addAssetInput = z.strictObject({
  from: z.string().describe("File in a folder of --asset-folders: /home/me/art/hero.png, hero.png"),
  path: p.path,
  settings,
  overwrite: p.overwrite,
  mode: p.mode,
});

export const importSettingsInput = z.strictObject({ path: p.path, settings, mode: p.mode });

const importState = {
  path: text,
  importer: text,
  /** The class that it loads as. */
  type: text.exactOptional(),
  uid: text.exactOptional(),
  settings: jsonObject,
  /** Errors and warnings of the import. */
  said: list(logEntry),
};

export const assetAdded = z.strictObject({
  ...importState,
  bytes: amount,
  /** False if no Godot was available. */
  imported: z.boolean(),
});
export const importRead = z.strictObject({ ...importState, imported: z.boolean() });

/** Copies an external file into the project, imports it, and checks that it loads. */
export async function addAsset(
  context: DriverContext & { readonly settings: Settings },
  input: z.infer<typeof addAssetInput>,
): Promise<ToolAnswer<z.input<typeof assetAdded>>> {
  const { project } = context;
  const place = await project.resolve(input.path);
  if (!place.ok) return place;
  const { res } = place.value;
  const ending = endingOf(res);
  if (!ASSET_ENDINGS.includes(ending) || endingOf(input.from) !== ending)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `from and path end alike, in one of ${ASSET_ENDINGS.join(", ")}.`,
      { details: { from: endingOf(input.from), path: ending } },
    );
  const read = readOutside(context.settings.assetFolders, input.from);
  if (!read.ok) return read;
  const bytes = read.value;
  if (!isOfKind(ending, bytes))
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `The content of ${input.from.slice(0, 200)} is not that of a .${ending}.`,
      {
        details: { expected: ending, begins: bytes.subarray(0, 8).toString("hex") },
      },
    );
  const refused = await taken(project, place.value, input.overwrite);
  if (refused !== undefined) return refused;
  const was = input.overwrite ? undefined : null;
  const old = input.overwrite ? await contentOf(project, res) : null;
  const oldImport = input.overwrite ? await contentOf(project, `${res}.import`) : null;
  const copied = await project.inTurn(res, () =>
    commitFiles(project, `add ${res}`, [{ path: place.value, content: bytes, was }]),
  );
  if (!copied.ok) return copied;
  const files = [{ kind: "file", pathAbs: place.value.absolute, resPath: res, bytes: bytes.length }];
  const first = await importAndRead(context, res, input.mode);
  if (!first.ok) {
    const why = `It is copied and not imported: ${first.failure.message}`;
    const nothing = { importer: "", settings: {}, said: [], imported: false };
    return ok(
      { path: res, bytes: bytes.length, ...nothing },
      { summary: `Copied ${res}.`, execution: { mode: "files" }, files, warnings: [why] },
    );
  }
  const done =
    input.settings === undefined
      ? first
      : await changeSettings(context, first.value.file, { ...input, path: res, settings: input.settings });
  if (!done.ok) return done;
  const { file, said, mode } = done.value;
  if (!file.isValid || file.type === undefined) {
    // A file that cannot be imported is useless, and would fail again at every start.
    const restored = await project.inTurn(res, () =>
      commitFiles(project, `take away ${res}`, [
        { path: place.value, content: old },
        { path: file.path, content: oldImport },
      ]),
    );
    if (!restored.ok) return restored;
    if (old !== null) await importAndRead(context, res, input.mode);
    const left = old === null ? "nothing was added" : `${res} is as it was`;
    return errors.fail("E_UNSUPPORTED", `Godot could not import ${input.from.slice(0, 200)}; ${left}.`, {
      details: { importer: file.importer, said },
    });
  }
  return ok(
    { ...stateOf(res, file, said), bytes: bytes.length, imported: true },
    { summary: `Added ${res}, a ${file.type}.`, execution: { mode }, files },
  );
}

/** Null if there is no such file. */
async function contentOf(project: Project, res: string): Promise<Buffer | null> {
  const read = await project.readBytes(res);
  return read.ok ? read.value.bytes : null;
}

/** Reads the import settings of an asset; given new ones, changes them, imports it again and waits for that. */
export async function importSettings(
  context: DriverContext,
  input: z.infer<typeof importSettingsInput>,
): Promise<ToolAnswer<z.input<typeof importRead>>> {
  const place = await context.project.readBytes(input.path);
  if (!place.ok) return place;
  const { res } = place.value.path;
  const file = await readImportFile(context.project, res);
  if (file === undefined)
    return errors.fail("E_NOT_FOUND", `${res} was not imported yet.`, {
      details: { path: `${res}.import` },
      suggestedFix: "Call godot_asset scan to import it.",
    });
  if (input.settings === undefined)
    return ok(
      { ...stateOf(res, file, []), imported: file.isValid },
      { summary: `${res} is imported by ${file.importer}.`, execution: { mode: "files" } },
    );
  const done = await changeSettings(context, file, { ...input, path: res, settings: input.settings });
  if (!done.ok) return done;
  const names = Object.keys(input.settings).join(", ");
  return ok(
    { ...stateOf(res, done.value.file, done.value.said), imported: done.value.file.isValid },
    { summary: `Set ${names} of ${res} and imported it again.`, execution: { mode: done.value.mode } },
  );
}

function stateOf(
  res: string,
  { importer, type, uid, settings: held }: ImportFile,
  said: readonly z.infer<typeof logEntry>[],
) {
  return { path: res, importer, ...p.defined({ type, uid }), settings: held, said };
}

async function changeSettings(
  context: DriverContext,
  file: ImportFile,
  input: {
    readonly path: string;
    readonly settings: { readonly [name: string]: unknown };
    readonly mode?: Mode | undefined;
  },
) {
  const asked: JsonObject = p.asObject(input.settings) ?? {};
  const changed = withSettings(file, asked);
  if (!changed.ok) return changed;
  const written = await context.project.inTurn(file.path.res, () =>
    commitFiles(context.project, `import settings of ${input.path}`, [
      { path: file.path, content: changed.value, was: file.was },
    ]),
  );
  if (!written.ok) return written;
  const done = await importAndRead(context, input.path, input.mode);
  if (!done.ok) return done;
  const lost = Object.keys(asked).filter(
    (name) => settingText(done.value.file, name) !== settingText(file, name),
  );
  if (lost.length > 0)
    return errors.fail("E_UNSUPPORTED", `Godot did not keep ${lost.join(", ")} of ${input.path}.`, {
      details: { settings: done.value.file.settings },
    });
  return done;
}

/** Lets Godot import an asset, waits for it, and reads the result. */
async function importAndRead(context: DriverContext, res: string, mode: Mode | undefined) {
  let done = await ask(context, mode, "project.import", { paths: [res] });
  if (!done.ok) return done;
  let file = await readImportFile(context.project, res);
  // An editor that is busy with a scene may leave a new file for later.
  if (file === undefined) {
    done = await ask(context, mode, "project.import", { paths: [res] });
    if (!done.ok) return done;
    file = await readImportFile(context.project, res);
  }
  if (file === undefined)
    return errors.fail("E_UNSUPPORTED", `Godot did not import ${res}.`, {
      details: { said: done.value.value.said ?? [] },
      suggestedFix: "Call godot_asset scan, and look at it with asset.import_settings.",
    });
  return ok({ file, said: done.value.value.said ?? [], mode: done.value.mode });
}

/** Self-contained files that Godot imports without addons, by extension. */
const KINDS: Readonly<Record<string, (data: Buffer) => boolean>> = {
  png: begins("\x89PNG\r\n\x1a\n"),
  jpg: begins("\xff\xd8\xff"),
  jpeg: begins("\xff\xd8\xff"),
  webp: (data) => begins("RIFF")(data) && letters(data, 8, 4) === "WEBP",
  svg: (data) => /^<svg[\s>]/.test(withoutProlog(data.toString("utf8", 0, 65_536))),
  // The second number of a GLB is its version, the third its length.
  glb: (data) =>
    begins("glTF")(data) &&
    data.length >= 12 &&
    data.readUInt32LE(4) === 2 &&
    data.readUInt32LE(8) === data.length,
  wav: (data) => begins("RIFF")(data) && letters(data, 8, 4) === "WAVE",
  ogg: begins("OggS"),
  mp3: (data) => begins("ID3")(data) || (data[0] === 0xff && ((data[1] ?? 0) & 0xe0) === 0xe0),
  ttf: (data) => begins("\x00\x01\x00\x00")(data) || begins("true")(data),
  otf: begins("OTTO"),
  woff: begins("wOFF"),
  woff2: begins("wOF2"),
};

const ASSET_ENDINGS: readonly string[] = Object.keys(KINDS);

function endingOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

/** Whether the content matches the extension; undefined for other extensions. */
function isOfKind(ending: string, data: Buffer): boolean | undefined {
  return KINDS[ending]?.(data);
}

function begins(magic: string): (data: Buffer) => boolean {
  return (data) => letters(data, 0, magic.length) === magic;
}

function letters(data: Buffer, from: number, length: number): string {
  return data.toString("latin1", from, from + length);
}

/** The content after the declaration, comments and document type of an XML text. */
function withoutProlog(xml: string): string {
  const rest = xml.replace(/^\uFEFF/, "").trimStart();
  for (const [open, close] of PROLOG) {
    if (!rest.startsWith(open)) continue;
    const end = rest.indexOf(close);
    return end === -1 ? "" : withoutProlog(rest.slice(end + close.length));
  }
  return rest;
}

const PROLOG = [
  ["<?", "?>"],
  ["<!--", "-->"],
  ["<!DOCTYPE", ">"],
] as const;
