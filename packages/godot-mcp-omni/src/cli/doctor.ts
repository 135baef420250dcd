import { EXIT, formatChecks } from "@toolpact/cli";
import { ok } from "@toolpact/contract/outcome";
import { command, openServer } from "./context.ts";

export const doctorCommand = command({
  name: "doctor",
  describe: "Check Godot, project, addon, import state, display and ports",
  examples: [
    { line: "godot-mcp-omni --project ~/game doctor", does: "prints each check, and how to fix what fails" },
    { line: "godot-mcp-omni doctor > report.md", does: "writes the report as Markdown" },
    { line: "godot-mcp-omni doctor --output json", does: "for a program" },
  ],
  async run(_input, context) {
    const opened = await openServer(context);
    if (!opened.ok) return opened;
    const core = await opened.value.core();
    try {
      const project = core.project();
      const godots = core.godots();
      const { doctor, doctorMarkdown } = await import("../workspace/doctor.ts");
      const report = await doctor({
        project: project.ok ? ok(project.value.root) : project,
        godots: godots.ok ? godots.value : undefined,
        env: context.terminal.env,
      });
      return ok({
        text: context.terminal.isInteractive
          ? `${formatChecks(report.checks, context.terminal)}\n${report.summary}`
          : doctorMarkdown(report),
        json: report,
        ...(!report.ok && { exitCode: EXIT.failed }),
      });
    } finally {
      await opened.value.close();
    }
  },
});
