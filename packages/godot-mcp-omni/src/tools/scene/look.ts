import { join } from "node:path";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { Result } from "../../errors.ts";
import { lookAt, looked } from "../../game/look.ts";
import { stateFolder } from "../../project/state-folder.ts";
import { importFirst } from "../../testing/import-first.ts";
import * as p from "../params.ts";
import { ANY_CODE, count, type DefineAction } from "../product.ts";

/** Default window sizes for controls: a desktop, a phone and the project's own. */
const SIZES = [
  [1152, 648],
  [1920, 1080],
  [720, 1280],
] as const;

export function lookAction(action: DefineAction<"project" | "workspace">) {
  return action({
    description: "See a scene, node or resource from all sides; marks changes.",
    effect: "mark",
    errors: ANY_CODE,
    input: z.strictObject({
      scene: p.scene,
      node: p.node.optional(),
      sizes: z.array(z.string()).max(4).optional().describe("Windows: 720x1280"),
    }),
    output: looked,
    handler: async ({ scene, node, sizes = [] }, { project, workspace, signal }) => {
      const file = await project.readBytes(scene ?? "");
      if (!file.ok) return file;
      const windows = sizesOf(sizes);
      if (!windows.ok) return windows;
      const binary = await workspace.binaryOutsideSandbox();
      if (!binary.ok) return binary;
      const imported = await importFirst(project, workspace, signal);
      const drawn = await lookAt({
        binary: binary.value,
        project: project.root,
        env: workspace.env,
        clock: workspace.games.clock,
        signal,
        folder: join(await stateFolder(project.root), "looks"),
        path: file.value.path.res,
        sizes: windows.value,
        ...p.defined({ node: node === "." ? undefined : node }),
      });
      if (!drawn.ok) return drawn;
      const { changed, views, nodes } = drawn.value.looked;
      const since =
        changed === undefined ? "" : ` ${(changed * 100).toFixed(2)} % changed since the last look.`;
      return ok(drawn.value.looked, {
        summary: `${count(views.length, "picture")}, ${count(nodes.length, "node")}.${since}`,
        content: [{ type: "image", data: drawn.value.png, mimeType: "image/png" }],
        ...(!imported.ok && { warnings: [`New files were not imported: ${imported.failure.message}`] }),
      });
    },
  });
}

function sizesOf(
  given: readonly string[],
): Result<readonly (readonly [number, number])[], "E_SCHEMA_VALIDATION"> {
  if (given.length === 0) return ok(SIZES);
  const sizes: [number, number][] = [];
  for (const [index, size] of given.entries()) {
    const read = p.sizeOf(`sizes.${index}`, size);
    if (!read.ok) return read;
    sizes.push([read.value.width, read.value.height]);
  }
  return ok(sizes);
}
