import { listedBeside, toolEntries } from "./surface.ts";

/** Values computed when the server is built: in the bundle, each function reads its result from a JSON file. */
export const prebuilt = {
  flat: () => toolEntries("flat", false),
  flatReadOnly: () => toolEntries("flat", true),
  oneOf: () => toolEntries("oneOf", false),
  oneOfReadOnly: () => toolEntries("oneOf", true),
  besideTools: listedBeside,
};
