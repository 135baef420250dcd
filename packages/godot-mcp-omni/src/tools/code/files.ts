import type { OkNotes } from "@toolpact/contract/internal";
import { ok, type Success } from "@toolpact/outcome";
import * as z from "zod";
import { commitFiles } from "../../drivers/commit/commit-files.ts";
import { errors } from "../../errors.ts";
import { SceneText } from "../../formats/scene-text.ts";
import { problem } from "../../operations/results.ts";
import type { FileCode, Project } from "../../project/project.ts";
import type { ProjectPath } from "../../project/project-path.ts";
import { count, list, text } from "../../shapes.ts";
import { firstPage } from "../../shortened-page.ts";
import * as p from "../params.ts";
import type { ToolAnswer, WriteCode } from "../product.ts";
import { taken } from "../scene/create.ts";

export const fileWritten = z.strictObject({
  path: text,
  bytes: count,
  /** Whether there was a file before. */
  replaced: z.boolean(),
  /** The compiler's problems with a script, if an engine is running. */
  problems: list(problem).exactOptional(),
});

type FileWritten = z.infer<typeof fileWritten>;

const content = z.string().optional().describe("The whole text");

export const newFile = z.strictObject({ path: p.path, content, overwrite: p.overwrite });

export const newScript = z.strictObject({
  path: p.path,
  content,
  extends: z.string().optional().describe("Base class or script; default: Node"),
  className: z
    .string()
    .regex(/^[A-Za-z_]\w*$/)
    .optional()
    .describe("class_name, such as Player"),
  overwrite: p.overwrite,
});

export async function createScript(
  project: Project,
  input: z.infer<typeof newScript>,
): Promise<ToolAnswer<FileWritten, WriteCode | "E_UNSUPPORTED">> {
  const { content, className } = input;
  if (content !== undefined && (input.extends !== undefined || className !== undefined))
    return errors.fail("E_SCHEMA_VALIDATION", "Give the content, or what to extend; not both.");
  const base = input.extends ?? "Node";
  if (input.path.endsWith(".cs"))
    return write(project, input, content ?? csharpScript(input.path, base, className), {
      endings: [".cs"],
      what: "script",
    });
  const named = className === undefined ? "" : `class_name ${className}\n`;
  const extended = base.startsWith("res://") ? JSON.stringify(base) : base;
  return write(
    project,
    input,
    content ?? `${named}extends ${extended}\n\n\nfunc _ready() -> void:\n\tpass\n`,
    {
      endings: [".gd"],
      what: "script",
    },
  );
}

/** Godot finds a C# class by the name of its file. */
function csharpScript(path: string, base: string, className: string | undefined): string {
  const name = /([^/]*)\.cs$/.exec(path)?.[1]?.replace(/\W/g, "_") ?? "Script";
  const mark = className === undefined ? "" : "[GlobalClass]\n";
  return `using Godot;\n\n${mark}public partial class ${className ?? name} : ${base}\n{\n    public override void _Ready()\n    {\n    }\n}\n`;
}

const SHADERS: Readonly<Record<string, string>> = {
  canvas_item: "void fragment() {\n\tCOLOR = texture(TEXTURE, UV);\n}\n",
  spatial: "void fragment() {\n\tALBEDO = vec3(1.0);\n}\n",
  particles: "void process() {\n}\n",
  sky: "void sky() {\n\tCOLOR = vec3(0.0);\n}\n",
  fog: "void fog() {\n\tDENSITY = 1.0;\n}\n",
};

export const newShader = z.strictObject({
  path: p.path,
  content,
  kind: z
    .enum(["canvas_item", "spatial", "particles", "sky", "fog"])
    .optional()
    .describe("Default: canvas_item"),
  overwrite: p.overwrite,
});

export async function createShader(
  project: Project,
  input: z.infer<typeof newShader>,
): Promise<ToolAnswer<FileWritten, WriteCode | "E_UNSUPPORTED">> {
  const kind = input.kind ?? "canvas_item";
  const content = input.content ?? `shader_type ${kind};\n\n${SHADERS[kind] ?? ""}`;
  return write(project, input, content, { endings: [".gdshader", ".gdshaderinc"], what: "shader" });
}

export async function writeText(
  project: Project,
  input: z.infer<typeof newFile>,
): Promise<ToolAnswer<FileWritten, WriteCode | "E_UNSUPPORTED">> {
  return write(project, input, input.content ?? "", { endings: [], what: "file" });
}

export const newBinary = z.strictObject({
  path: p.path,
  base64: z.string().describe("Content"),
  overwrite: p.overwrite,
});

export async function writeBinary(
  project: Project,
  input: z.infer<typeof newBinary>,
): Promise<ToolAnswer<FileWritten, WriteCode | "E_UNSUPPORTED">> {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(input.base64))
    return errors.fail("E_SCHEMA_VALIDATION", "The content is not base64.");
  return write(project, input, Buffer.from(input.base64, "base64"), { endings: [], what: "file" });
}

export const textRead = z.strictObject({
  path: text,
  text,
  line: count,
  lines: count,
  /** The line to continue from; absent at the end of the file. */
  nextLine: count.exactOptional(),
});

export const textPlace = z.strictObject({
  path: p.path,
  line: z.int().min(1).optional().describe("First line; default: 1"),
  maxChars: z.int().min(200).max(200_000).optional().describe("Default: about 6000"),
});

export async function readCode(
  project: Project,
  { path, line = 1, maxChars }: z.infer<typeof textPlace>,
): Promise<ToolAnswer<z.infer<typeof textRead>, FileCode>> {
  const read = await project.readText(path);
  if (!read.ok) return read;
  const lines = read.value.text.split("\n");
  if (line > lines.length)
    return errors.fail("E_NOT_FOUND", `${read.value.path.res} has ${lines.length} lines.`);
  const rest = lines.slice(line - 1).join("\n");
  const shown =
    maxChars === undefined
      ? firstPage(rest)
      : rest.length <= maxChars
        ? rest
        : rest.slice(0, Math.max(rest.lastIndexOf("\n", maxChars), 200));
  const shownLines = shown.split("\n").length;
  const truncated = shown.length < rest.length;
  return ok(
    {
      path: read.value.path.res,
      text: shown,
      line,
      lines: lines.length,
      ...(truncated && { nextLine: line + shownLines }),
    },
    {
      summary: `Lines ${line}–${line + shownLines - 1} of ${lines.length} of ${read.value.path.res}.`,
      execution: { mode: "files" },
    },
  );
}

async function write(
  project: Project,
  { path, overwrite }: Pick<z.infer<typeof newFile>, "path" | "overwrite">,
  content: string | Uint8Array,
  { endings, what }: { readonly endings: readonly string[]; readonly what: string },
): Promise<ToolAnswer<FileWritten, WriteCode | "E_UNSUPPORTED">> {
  const place = await project.resolve(path);
  if (!place.ok) return place;
  const { res } = place.value;
  if (endings.length > 0 && !endings.some((ending) => res.endsWith(ending)))
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${res} is not the name of a ${what}: it must end in ${endings.join(" or ")}.`,
    );
  const refused = (await taken(project, place.value, overwrite)) ?? checkedContent(res, content);
  if (refused !== undefined) return refused;
  return project.inTurn(res, async (): Promise<ToolAnswer<FileWritten, WriteCode | "E_UNSUPPORTED">> => {
    const replaced = await project.exists(res);
    const written = await commitFiles(project, `write ${res}`, [
      { path: place.value, content, was: overwrite ? undefined : null },
    ]);
    if (!written.ok) return written;
    return writtenAnswer(place.value, content, replaced);
  });
}

/** Refuses a scene that Godot could not read. */
export function checkedContent(res: string, content: string | Uint8Array) {
  if (!/\.t(?:scn|res)$/.test(res)) return undefined;
  const parsed = SceneText.parse(Buffer.from(content).toString("utf8"));
  if (!parsed.ok) return parsed;
  if (parsed.value.head?.heading.tag.startsWith("gd_")) return undefined;
  return errors.fail("E_SCHEMA_VALIDATION", `${res} must begin with [gd_scene …] or [gd_resource …].`);
}

function writtenAnswer(
  place: ProjectPath,
  content: string | Uint8Array,
  replaced: boolean,
): Success<FileWritten, OkNotes> {
  const bytes = Buffer.byteLength(content);
  return ok(
    { path: place.res, bytes, replaced },
    {
      summary: `${replaced ? "Replaced" : "Wrote"} ${place.res} (${bytes} bytes).`,
      execution: { mode: "files" },
      files: [{ kind: "file", pathAbs: place.absolute, resPath: place.res, bytes }],
    },
  );
}
