import { completionScript, shells } from "@toolpact/contract/cli";
import { ok } from "@toolpact/contract/outcome";
import { command } from "./machine.ts";

export const completion = command({
  name: "completion",
  describe: "Print the script that lets your shell complete the commands",
  args: { shell: { describe: "Your shell", required: true, choices: shells } },
  examples: [
    {
      line: 'eval "$(godot-mcp-omni completion bash)"',
      does: "for this bash; put it into ~/.bashrc to keep it",
    },
  ],
  async run({ shell }) {
    const { program } = await import("../program.ts");
    const script = completionScript(program, shell);
    return ok({ text: script, json: { shell, script } });
  },
});
