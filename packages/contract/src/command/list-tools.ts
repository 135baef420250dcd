import type { UpstreamPlace } from "../gate/upstream-place.ts";
import type { JsonObject } from "../json.ts";

/** Connects to a server, and returns its name and its tools. */
export async function listTools(
  place: UpstreamPlace,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly tools: readonly JsonObject[] }> {
  const { Upstream } = await import("../gate/upstream.ts");
  const upstream = new Upstream(
    place,
    {},
    {
      notified: () => {},
      asked: () => Promise.reject(new Error("Questions are not answered here.")),
      lost: () => {},
    },
  );
  try {
    const { name } = await upstream.info();
    return { name, tools: await upstream.tools(signal) };
  } finally {
    await upstream.close();
  }
}
