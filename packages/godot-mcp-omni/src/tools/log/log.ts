import * as z from "zod";
import { logPage } from "../../operations/results.ts";
import { onePage } from "../../shortened-page.ts";
import { askEditor, editorAnswer } from "../editor-request.ts";
import * as p from "../params.ts";
import { ANY_CODE, product } from "../product.ts";

const onlyErrors = z.boolean().optional().describe("Leave out what is no error or warning");

export const logTool = product.defineActionTool({
  name: "godot_log",
  title: "The editor's log",
  description:
    "Read what the connected editor printed: messages, warnings and errors with file and line. For a game started with godot_game, use its output and errors.",
  category: "log",
  openWorld: false,
  profiles: ["full"],
  needs: ["workspace"],
  errors: ANY_CODE,
  goOn: "Call again with after.",
  actions: (action) => ({
    poll: action({
      description: "Get the entries after one you have seen.",
      effect: "none",
      input: z.strictObject({
        after: z.int().min(0).optional().describe("`next` of the last answer"),
        limit: p.limit("100, tail 50"),
        onlyErrors,
      }),
      output: logPage,
      handler: async (input, work) => {
        const read = await askEditor(work, "editor.log", p.defined(input));
        if (!read.ok) return read;
        const entries = input.limit === undefined ? onePage(read.value.entries) : read.value.entries;
        const last = entries.at(-1);
        const next = entries.length < read.value.entries.length && last ? last.index + 1 : read.value.next;
        return editorAnswer({ ...read.value, entries, next }, summaryOf(entries));
      },
    }),
    tail: action({
      description: "Get the last entries.",
      effect: "none",
      input: z.strictObject({ limit: p.limit("100, tail 50"), onlyErrors }),
      output: logPage,
      handler: async ({ limit, onlyErrors }, work) => {
        const all = await askEditor(work, "editor.log", p.defined({ limit: 5000, onlyErrors }));
        if (!all.ok) return all;
        const entries =
          limit === undefined
            ? onePage(all.value.entries.slice(-50), "last")
            : all.value.entries.slice(-limit);
        return editorAnswer({ ...all.value, entries }, summaryOf(entries));
      },
    }),
  }),
});

function summaryOf({ length }: readonly object[]): string {
  return `${length === 1 ? "1 log entry" : `${length} log entries`}.`;
}
