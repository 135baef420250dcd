import * as z from "zod";
import { ANY_CODE } from "../codes.ts";
import { askEditor, toldByEditor } from "../editor-request.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";

const onlyErrors = z.boolean().optional().describe("Leave out what is no error or warning");

export const logTool = product.defineActionTool({
  name: "godot_log",
  title: "The editor's log",
  describe:
    "What the editor printed: messages, warnings and errors with file and line. Needs a connected editor.",
  category: "log",
  openWorld: false,
  profiles: ["full"],
  needs: ["godots"],
  errors: ANY_CODE,
  goOn: "Go on with after.",
  actions: (action) => ({
    poll: action({
      describe: "Entries after one you have seen.",
      effect: "none",
      input: z.strictObject({
        after: z.int().min(0).optional().describe("`next` of the last answer"),
        limit: p.limit,
        onlyErrors,
      }),
      output: p.answer,
      run: ({ after, limit, onlyErrors }, { godots, signal }) =>
        read(godots, signal, {
          ...(after !== undefined && { after }),
          ...(limit !== undefined && { limit }),
          ...(onlyErrors !== undefined && { onlyErrors }),
        }),
    }),
    tail: action({
      describe: "The last entries.",
      effect: "none",
      input: z.strictObject({ limit: p.limit, onlyErrors }),
      output: p.answer,
      run: async ({ limit = 50, onlyErrors }, { godots, signal }) => {
        const all = await askEditor(godots, signal, "editor.log", {
          limit: 5000,
          ...(onlyErrors !== undefined && { onlyErrors }),
        });
        if (!all.ok) return all;
        return toldEntries({ ...all.value, entries: all.value.entries.slice(-limit) });
      },
    }),
  }),
});

async function read(
  godots: Parameters<typeof askEditor>[0],
  signal: AbortSignal,
  params: { readonly after?: number; readonly limit?: number; readonly onlyErrors?: boolean },
) {
  const answer = await askEditor(godots, signal, "editor.log", params);
  return answer.ok ? toldEntries(answer.value) : answer;
}

function toldEntries(value: { readonly entries: readonly object[] }) {
  const { length } = value.entries;
  return toldByEditor(value, `${length === 1 ? "1 log entry" : `${length} log entries`}.`);
}
