import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

/**
 * The SDK's server, except that it answers params of the wrong form as the caller's mistake, not as its own defect, and
 * takes `arguments: null`, which some clients send for none.
 */
export class StrictServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const run = super._wrapHandler(method, handler);
    return (request, ctx) =>
      run(method === "tools/call" ? withoutNullArguments(request) : request, ctx).catch((error: Error) => {
        // Our handlers throw nothing but protocol errors, so what else is thrown comes from the check of the params.
        if (error instanceof ProtocolError || ctx.mcpReq.signal.aborted) throw error;
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `The params of ${method} are not as the protocol defines them${wrongMembers(error.message)}.`,
        );
      });
  }
}

function withoutNullArguments(request: JSONRPCRequest): JSONRPCRequest {
  const { arguments: given, ...params } = request.params ?? {};
  return given === null ? { ...request, params } : request;
}

/** Names the members, where the SDK's message is its validator's list of issues. */
function wrongMembers(message: string): string {
  try {
    const issues = JSON.parse(message) as readonly { readonly path: readonly unknown[] }[];
    const members = issues.map(({ path }) => path.slice(1).join(".")).filter((member) => member !== "");
    return members.length === 0 ? "" : `: look at ${[...new Set(members)].join(", ")}`;
  } catch {
    return "";
  }
}
