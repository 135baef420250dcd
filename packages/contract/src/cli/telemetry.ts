import type { Telemetry } from "../mcp/telemetry.ts";

/** Telemetry that an operator has switched on, and how to send what has not been sent yet. */
interface RunningTelemetry {
  readonly telemetry: Telemetry;
  readonly close: () => Promise<void>;
}

/** Any of these switches it on: where to send, or what to send with. */
const SWITCHES = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
  "OTEL_TRACES_EXPORTER",
  "OTEL_METRICS_EXPORTER",
] as const;

/**
 * Starts OpenTelemetry's SDK where its environment variables ask for it; the SDK reads the rest of them. Undefined, and
 * nothing is loaded, where they do not. A server without the SDK says so in a line and goes on.
 */
export async function telemetryFrom(
  env: NodeJS.ProcessEnv,
  service: string,
  log: (message: string) => void,
): Promise<RunningTelemetry | undefined> {
  const isOn = SWITCHES.find((name) => env[name] !== undefined && env[name] !== "" && env[name] !== "none");
  if (isOn === undefined || env.OTEL_SDK_DISABLED?.toLowerCase() === "true") return undefined;
  try {
    const { NodeSDK } = await import("@opentelemetry/sdk-node");
    const { openTelemetry } = await import("../otel/index.ts");
    const isNamed =
      env.OTEL_SERVICE_NAME !== undefined || env.OTEL_RESOURCE_ATTRIBUTES?.includes("service.name=");
    const sdk = new NodeSDK(isNamed ? {} : { serviceName: service });
    sdk.start();
    const failed = (error: Error) => log(`The last telemetry could not be sent: ${error.message}`);
    return { telemetry: openTelemetry(), close: () => sdk.shutdown().catch(failed) };
  } catch (error) {
    // Node throws with a code where a package is not installed.
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    log(
      `${isOn} is set, but there is no telemetry without OpenTelemetry's SDK: install @opentelemetry/api and @opentelemetry/sdk-node beside ${service}.`,
    );
    return undefined;
  }
}
