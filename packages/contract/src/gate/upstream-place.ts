import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { STREAM_ENDED } from "./upstream-failure.ts";

/** The upstream server: a program to start, or an address. */
export type UpstreamPlace =
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** Added to the environment of the gate. */
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      readonly url: string;
      readonly token?: string | undefined;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** A new connection to the server. It is not open yet. `printed` gets the error output of a program. */
export function transportTo(
  place: UpstreamPlace,
  printed?: (text: string) => void,
): HttpTransport | StdioClientTransport {
  if ("url" in place) {
    const headers: Record<string, string> = {
      ...place.headers,
      ...(place.token !== undefined && { authorization: `Bearer ${place.token}` }),
    };
    return new HttpTransport(new URL(place.url), { requestInit: { headers } });
  }
  const env = Object.fromEntries(
    Object.entries({ ...process.env, ...place.env }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
  const transport = new StdioClientTransport({
    command: place.command,
    args: [...place.args],
    env,
    ...(place.cwd !== undefined && { cwd: place.cwd }),
    stderr: printed === undefined ? "inherit" : "pipe",
  });
  if (printed !== undefined) transport.stderr?.on("data", (part) => printed(String(part)));
  return transport;
}

/**
 * Fails a request as soon as its response stream ends. The SDK would wait until the timeout. A response that came before
 * the end counts, since the request is no longer waiting.
 */
class HttpTransport extends StreamableHTTPClientTransport {
  override send(
    message: Parameters<StreamableHTTPClientTransport["send"]>[0],
    options: Parameters<StreamableHTTPClientTransport["send"]>[1] = {},
  ): Promise<void> {
    if (Array.isArray(message) || !("method" in message && "id" in message) || options.onRequestStreamEnd)
      return super.send(message, options);
    const { id } = message;
    return super.send(message, {
      ...options,
      onRequestStreamEnd: () => this.onmessage?.({ jsonrpc: "2.0", id, error: STREAM_ENDED }),
    });
  }
}
