import { ProtocolError, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import type { Bug } from "../pipeline.ts";
import { maskSecrets } from "../redact.ts";

/** Wraps a handler: what it throws by mistake is reported, and its text does not reach the client. */
export function reportingDefects(onBug: (bug: Bug) => void) {
  return <Request, Result>(
    method: string,
    handler: (request: Request, ctx: ServerContext) => Promise<Result>,
  ) =>
    (request: Request, ctx: ServerContext): Promise<Result> =>
      handler(request, ctx).catch((error) => {
        // A protocol error is an answer, and a cancelled request needs none.
        if (error instanceof ProtocolError || ctx.mcpReq.signal.aborted) throw error;
        const reference = crypto.randomUUID();
        onBug({ reference, where: method, error });
        throw new ProtocolError(
          ProtocolErrorCode.InternalError,
          `${method} failed through a defect of this server. Reference ${reference}.`,
        );
      });
}

/** Where bugs go unless the server says otherwise. */
export function bugToStderr({ reference, where, error }: Bug): void {
  process.stderr.write(`${reference} ${where}: ${maskSecrets(String(error)).replace(/\s+/g, " ")}\n`);
}
