import { Agent, request } from "node:http";

/** The least that a request to X can cost in Node: its own client, on a connection that is kept. */
export function keepAliveClient(headers: Readonly<Record<string, string>>) {
  const agent = new Agent({ keepAlive: true });
  return async function ask(url: string, body?: object): Promise<unknown> {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const sending = request(url, {
      agent,
      method: bytes === undefined ? "GET" : "POST",
      headers: {
        ...headers,
        ...(bytes !== undefined && {
          "content-type": "application/json",
          "content-length": bytes.length,
        }),
      },
    });
    return new Promise((resolve, reject) => {
      sending.on("error", reject);
      sending.on("response", (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => {
          const { statusCode = 0 } = answer;
          if (statusCode >= 300) reject(new Error(`The sandbox answered with ${statusCode}.`));
          else resolve(JSON.parse(Buffer.concat(parts).toString()));
        });
      });
      sending.end(bytes);
    });
  };
}
