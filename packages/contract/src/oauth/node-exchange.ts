import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** Node's types, for a library without web-standard support. */
interface NodeExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly response: Promise<Response>;
}

/** Needs no connection. `address` is the client's. */
export function nodeExchange(
  { method, headers }: Pick<Request, "method" | "headers">,
  url: URL,
  { body, address }: { readonly body?: Uint8Array | undefined; readonly address: string },
): NodeExchange {
  const socket = new Socket();
  Object.defineProperties(socket, {
    remoteAddress: { value: address },
    encrypted: { value: url.protocol === "https:" },
  });
  const incoming = new IncomingMessage(socket);
  incoming.method = method;
  incoming.url = `${url.pathname}${url.search}`;
  incoming.headers = { ...Object.fromEntries(headers), host: url.host };
  delete incoming.headers["transfer-encoding"];
  if (body !== undefined) {
    incoming.headers["content-length"] = String(body.length);
    incoming.push(body);
  }
  incoming.push(null);
  const outgoing = new ServerResponse(incoming);
  const chunks: Uint8Array[] = [];
  const response = new Promise<Response>((resolve) => {
    const collect = (chunk: unknown) => {
      if (typeof chunk === "string") chunks.push(Buffer.from(chunk));
      else if (chunk instanceof Uint8Array) chunks.push(chunk);
    };
    outgoing.write = (chunk: unknown) => {
      collect(chunk);
      return true;
    };
    outgoing.end = (chunk?: unknown) => {
      collect(chunk);
      resolve(responseOf(outgoing, Buffer.concat(chunks)));
      return outgoing;
    };
  });
  return { incoming, outgoing, response };
}

function responseOf(outgoing: ServerResponse, body: Uint8Array<ArrayBuffer>): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(outgoing.getHeaders()))
    for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one));
  return new Response(body.length === 0 ? null : body, { status: outgoing.statusCode, headers });
}
