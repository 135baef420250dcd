import { EXIT, formatChecks } from "@toolpact/cli";
import type { Json } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { openServer } from "./context.ts";
import { command } from "./machine.ts";

export const doctorCommand = command({
  name: "doctor",
  describe: "Check Godot, project, addon, import state, display and ports",
  options: {},
  examples: [
    { line: "godot-mcp-omni --project ~/game doctor", does: "what is there, and how to fix what is not" },
    { line: "godot-mcp-omni doctor > report.md", does: "the same as a page in Markdown" },
    { line: "godot-mcp-omni doctor --output json", does: "for programs" },
  ],
  async run(_input, context) {
    const opened = await openServer(context);
    if (!opened.ok) return opened;
    const core = await opened.value.core();
    try {
      const project = core.project();
      const workspace = core.workspace();
      const { doctor, doctorMarkdown } = await import("../workspace/doctor.ts");
      const report = await doctor({
        project: project.ok ? ok(project.value.root) : project,
        workspace: workspace.ok ? workspace.value : undefined,
        env: context.terminal.env,
      });
      return ok({
        text: context.terminal.isInteractive
          ? `${formatChecks(report.checks, context.terminal)}\n${report.summary}`
          : doctorMarkdown(report),
        // A report is JSON; its interface only lacks an index signature.
        json: report as unknown as Json,
        ...(!report.ok && { exitCode: EXIT.failed }),
      });
    } finally {
      await opened.value.close();
    }
  },
});
