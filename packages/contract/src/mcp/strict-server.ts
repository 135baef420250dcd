import {
  type Implementation,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import type { ClientLink } from "./internals.ts";
import type { ObservedRequest } from "./telemetry.ts";

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

/**
 * The SDK's server, except that it answers params of the wrong form as the caller's mistake, not as its own defect, and
 * takes `arguments: null`, which some clients send for none.
 */
export class StrictServer extends Server {
  private readonly link: ClientLink;
  private readonly isNameOf: IsNameOf;

  constructor(info: Implementation, options: ServerOptions, link: ClientLink, isNameOf: IsNameOf) {
    super(info, options);
    this.link = link;
    this.isNameOf = isNameOf;
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const run = super._wrapHandler(method, handler);
    const handle: Handler = (request, ctx) =>
      run(method === "tools/call" ? withoutNullArguments(request) : request, ctx).catch((error: Error) => {
        // Our handlers throw nothing but protocol errors, so what else is thrown comes from the check of the params.
        if (error instanceof ProtocolError || ctx.mcpReq.signal.aborted) throw error;
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `The params of ${method} are not as the protocol defines them${wrongMembers(error.message)}.`,
        );
      });
    return (request, ctx) => {
      const { telemetry } = this.link;
      if (telemetry === undefined) return handle(request, ctx);
      return telemetry.around(this.observed(request, ctx), () => handle(request, ctx));
    };
  }

  private observed(
    { method, params = {} }: JSONRPCRequest,
    { sessionId, mcpReq }: ServerContext,
  ): ObservedRequest {
    const { name, uri } = params;
    return {
      method,
      id: String(mcpReq.id),
      target: typeof name === "string" && this.isNameOf(method, name) ? name : undefined,
      uri: typeof uri === "string" ? uri : undefined,
      transport: this.link.transport,
      protocolVersion: this.getNegotiatedProtocolVersion(),
      sessionId,
      meta: mcpReq._meta ?? {},
    };
  }
}

/** Whether the server has a tool or a prompt of this name, for requests of a method that names one. */
type IsNameOf = (method: string, name: string) => boolean;

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
