import {
  type Implementation,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
  type Transport,
} from "@modelcontextprotocol/server";
import type { ClientLink } from "./internals.ts";
import type { ObservedRequest, Telemetry } from "./telemetry.ts";

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

/** Reports invalid params as the caller's error, and accepts `arguments: null`, which some clients send. */
export class StrictServer extends Server {
  private readonly link: ClientLink;
  private readonly isNameOf: IsNameOf;
  private endSession: ReturnType<Telemetry["session"]> | undefined;

  constructor(info: Implementation, options: ServerOptions, link: ClientLink, isNameOf: IsNameOf) {
    super(info, options);
    this.link = link;
    this.isNameOf = isNameOf;
  }

  override async connect(transport: Transport): Promise<void> {
    const { telemetry, transport: kind, era, isStateless = false } = this.link;
    // Over HTTP only legacy clients have sessions, if they are on.
    if (kind === "stdio" || (era === "legacy" && !isStateless)) this.endSession = telemetry?.session(kind);
    await super.connect(transport);
  }

  protected override _onclose(): void {
    this.endSession?.(this.getNegotiatedProtocolVersion());
    this.endSession = undefined;
    super._onclose();
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const run = super._wrapHandler(method, handler);
    const handle: Handler = (request, ctx) =>
      run(method === "tools/call" ? withoutNullArguments(request) : request, ctx).catch((error: Error) => {
        // Our handlers throw only protocol errors; others are from the validation of params.
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

type IsNameOf = (method: string, name: string) => boolean;

function withoutNullArguments(request: JSONRPCRequest): JSONRPCRequest {
  const { arguments: given, ...params } = request.params ?? {};
  return given === null ? { ...request, params } : request;
}

/** Reads the validator's list of issues out of the SDK's message. */
function wrongMembers(message: string): string {
  try {
    const issues = JSON.parse(message) as readonly { readonly path: readonly unknown[] }[];
    const members = issues.map(({ path }) => path.slice(1).join(".")).filter((member) => member !== "");
    return members.length === 0 ? "" : `: look at ${[...new Set(members)].join(", ")}`;
  } catch {
    return "";
  }
}
