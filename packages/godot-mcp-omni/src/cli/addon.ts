import type { Command, CommandOutcome, LocalMachine } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/cli";
import { failed, ok } from "@toolpact/contract/outcome";
import type { Project } from "../project/project.ts";
import type { AddonStatus } from "../workspace/addon.ts";
import { type Context, command, openServer } from "./context.ts";

const install = command({
  name: "install",
  describe: "Copy the addon into the project and enable it",
  examples: [
    { line: "godot-mcp-omni --project ~/game addon install", does: "the editor then connects by itself" },
  ],
  run: (_input, context) =>
    withProject(context, async (project) => {
      const { installAddon } = await import("../workspace/addon.ts");
      const done = await installAddon(project);
      if (!done.ok) return failed(commandFailure(done.failure));
      const { files, status } = done.value;
      return ok({
        text: `Installed and enabled (${files.length} files). An editor that is open must be restarted once.`,
        json: { files, status: { ...status } },
      });
    }),
});

const remove = command({
  name: "remove",
  describe: "Disable the addon and delete it from the project",
  examples: [{ line: "godot-mcp-omni addon remove", does: "from the project in this folder" }],
  run: (_input, context) =>
    withProject(context, async (project) => {
      const { removeAddon } = await import("../workspace/addon.ts");
      const done = await removeAddon(project);
      if (!done.ok) return failed(commandFailure(done.failure));
      const { files, status } = done.value;
      return ok({ text: "The addon is removed.", json: { files, status: { ...status } } });
    }),
});

const status = command({
  name: "status",
  describe: "Show whether the addon is installed, current and enabled",
  examples: [{ line: "godot-mcp-omni addon status", does: "changes nothing" }],
  run: (_input, context) =>
    withProject(context, async (project) => {
      const { addonStatus } = await import("../workspace/addon.ts");
      const found = await addonStatus(project.root);
      return ok({ text: statusText(found), json: found });
    }),
});

export const addon: Command<LocalMachine> = {
  name: "addon",
  describe: "Install and remove the addon that connects an open editor",
  examples: [...install.examples, ...status.examples],
  commands: [install, remove, status],
};

function statusText({ installed, enabled, current, version }: AddonStatus): string {
  if (!installed) return "Not installed: godot-mcp-omni addon install.";
  return `Version ${version}, ${current ? "current" : "of another version of this server"}, ${enabled ? "enabled" : "not enabled"}.`;
}

async function withProject(
  context: Context,
  work: (project: Project) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const opened = await openServer(context);
  if (!opened.ok) return opened;
  const core = await opened.value.core();
  try {
    const project = core.project();
    return project.ok ? await work(project.value) : failed(commandFailure(project.failure));
  } finally {
    await opened.value.close();
  }
}
