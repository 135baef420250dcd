import fc from "fast-check";
import { expect } from "vitest";
import { begin, exchange, headersFor, http } from "./fast-path-http.ts";
import { callOf, type Era, idIn, initialize, randomCall, stdio } from "./fast-path-servers.ts";

// Random calls must get the same bytes with the fast path and without.

export async function compareOnStdio(era: Era, numRuns: number): Promise<void> {
  const [fast, plain] = [stdio(true), stdio(false)];
  if (era === "legacy")
    for (const server of [fast, plain]) await server.exchange(JSON.stringify(initialize), "begin");
  await compare(era, numRuns, async (line) => {
    const id = idIn(line);
    expect(await fast.exchange(line, id), line).toBe(await plain.exchange(line, id));
  });
}

export async function compareOverHttp(era: Era, numRuns: number): Promise<void> {
  const [fast, plain] = [await http(), await http({ fastPath: false })];
  const sessions = [await begin(fast, era), await begin(plain, era)];
  await compare(era, numRuns, async (body) => {
    const [ours, theirs] = await Promise.all(
      [fast, plain].map((url, index) =>
        exchange(url, { headers: { ...headersFor(era), ...sessions[index] }, body }),
      ),
    );
    expect(ours, body).toEqual(theirs);
  });
}

async function compare(era: Era, numRuns: number, send: (line: string) => Promise<void>): Promise<void> {
  let id = 1_000;
  await fc.assert(
    fc.asyncProperty(randomCall, ({ isBare, name, args, meta, extra }) => {
      const params = { name, ...(args !== undefined && { arguments: args }), ...extra };
      return send(JSON.stringify(callOf(isBare ? "legacy" : era, id++, params, meta)));
    }),
    { numRuns },
  );
}
