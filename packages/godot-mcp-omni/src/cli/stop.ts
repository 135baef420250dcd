import { failed, ok } from "@toolpact/outcome";
import { resumeChanges, stopChanges } from "../project/state-folder.ts";
import { command } from "./machine.ts";
import { folderOf } from "./trust.ts";

const args = {
  dir: { describe: "Folder of the project; default: that of --project, or the nearest one", required: false },
};

export const stop = command({
  name: "stop",
  describe: "Refuse every change of a project by agents, until you resume",
  details:
    "Holds for every server of the project at once, and after a restart: it is a file in the project's .godot_mcp folder. Agents can still read. A call that has begun is finished. The dock in the editor has a button for the same.",
  args,
  examples: [{ line: "godot-mcp-omni stop ~/game", does: "before you look at what was done" }],
  async run({ dir }, context) {
    const root = await folderOf(dir, context, "stop");
    if (!root.ok) return root;
    try {
      const { at } = await stopChanges(root.value, Date.now());
      return ok({
        text: `Agents change nothing in ${root.value} until: godot-mcp-omni resume`,
        json: { stopped: root.value, at: at ?? null },
      });
    } catch (error) {
      // In a folder that cannot be written, agents can change little.
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      return failed({ message: `The order could not be stored in ${root.value}: ${message}` });
    }
  },
});

export const resume = command({
  name: "resume",
  describe: "Let agents change the project again after a stop",
  args,
  examples: [{ line: "godot-mcp-omni resume ~/game", does: "takes the stop back" }],
  async run({ dir }, context) {
    const root = await folderOf(dir, context, "resume");
    if (!root.ok) return root;
    const had = resumeChanges(root.value);
    return ok({
      text: had ? `Agents may change ${root.value} again.` : `${root.value} was not stopped.`,
      json: { resumed: root.value, wasStopped: had },
    });
  },
});
