import type { Command, CommandOutcome, LocalMachine } from "@toolpact/cli";
import type { Json } from "@toolpact/contract";
import { commandFailure } from "@toolpact/contract/internal/cli";
import { failed, ok } from "@toolpact/outcome";
import type { Project } from "../project/project.ts";
import { TrustedProjects, trustCommand } from "../project/trust.ts";
import type { AddonStatus } from "../workspace/addon.ts";
import { openServer, programOf } from "./context.ts";
import { type Context, command } from "./machine.ts";

const install = command({
  name: "install",
  describe: "Copy the addon into the project and enable it",
  examples: [
    { line: "godot-mcp-omni --project ~/game addon install", does: "an open editor connects by itself then" },
  ],
  run: (_input, context) =>
    withProject(context, async (project) => {
      const { installAddon } = await import("../workspace/addon.ts");
      const done = await installAddon(project);
      if (!done.ok) return failed(commandFailure(done.failure));
      const { files, status } = done.value;
      const trusted = new TrustedProjects(context.terminal.env, context.machine.platform).has(project.root);
      return ok({
        text: `Installed and enabled (${files.length} files). An editor that is open must be restarted once.${trusted ? "" : ` The server uses it once the project is trusted: ${trustCommand(project.root, programOf(context.machine))}`}`,
        json: { files, status: { ...status } },
      });
    }),
});

const remove = command({
  name: "remove",
  describe: "Disable the addon and take it out of the project",
  examples: [{ line: "godot-mcp-omni addon remove", does: "from the project in this folder" }],
  run: (_input, context) =>
    withProject(context, async (project) => {
      const { removeAddon } = await import("../workspace/addon.ts");
      const done = await removeAddon(project);
      if (!done.ok) return failed(commandFailure(done.failure));
      const { files, status } = done.value;
      return ok({ text: "The addon is gone.", json: { files, status: { ...status } } });
    }),
});

const status = command({
  name: "status",
  describe: "Whether the addon is installed, current and enabled",
  examples: [{ line: "godot-mcp-omni addon status", does: "changes nothing" }],
  run: (_input, context) =>
    withProject(context, async (project) => {
      const { addonStatus } = await import("../workspace/addon.ts");
      const found = await addonStatus(project.root);
      return ok({ text: inWords(found), json: { ...found } as Json });
    }),
});

export const addon: Command<LocalMachine> = {
  name: "addon",
  describe: "The addon that connects an open editor",
  examples: [...install.examples, ...status.examples],
  commands: [install, remove, status],
};

function inWords({ installed, enabled, current, version }: AddonStatus): string {
  if (!installed) return "Not installed: godot-mcp-omni addon install.";
  return `Version ${version}, ${current ? "current" : "not this server's"}, ${enabled ? "enabled" : "not enabled"}.`;
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
