import type { AuthInfo } from "@modelcontextprotocol/server";
import { knownPrincipal } from "./request.ts";

const CHECK_MS = 2_000;

/** Ends the stream when its caller is no longer valid. */
export function endWhenRevoked(response: Response, auth: AuthInfo | undefined): Response {
  const { isValid } = knownPrincipal(auth) ?? {};
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (isValid === undefined || response.body === null || !isStream) return response;
  const reader = response.body.getReader();
  let timer: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start() {
      const check = async () => {
        // A failed check ends the stream too; the client reconnects.
        const isStillValid = await isValid().catch(() => false);
        if (isStillValid) return;
        clearInterval(timer);
        // `pull` closes the stream when its read ends.
        await reader.cancel();
      };
      timer = setInterval(() => void check(), CHECK_MS).unref();
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      clearInterval(timer);
      controller.close();
    },
    cancel(reason) {
      clearInterval(timer);
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
