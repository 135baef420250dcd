import type { Surface } from "@toolpact/contract/internal";

/** A surface whose list has some of the tools; the others can be called all the same. */
export function shortSurface(surface: Surface, isListed: (tool: string) => boolean): Surface {
  const unlisted = surface.tools.map(({ name }) => String(name)).filter((name) => !isListed(name));
  return {
    ...surface,
    instructions: `${surface.instructions}\nThis list has the everyday tools. find_tools finds the other ${unlisted.length}, by task: lists, messages, moderation, ads and more.`,
    tools: surface.tools.filter(({ name }) => isListed(String(name))),
    unlisted,
  };
}
