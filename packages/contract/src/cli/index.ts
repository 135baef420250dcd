export type { Site } from "../mcp/site.ts";
export type { StartPage, StartPageStep } from "../mcp/start-page.ts";
export { processMetrics, prometheusText } from "../metrics.ts";
export { callLog } from "../observers/call-log.ts";
export { type CallMetrics, callMetrics } from "../observers/call-metrics.ts";
export { argumentsIn, callOptions, callTool, commandFailure } from "./call-tool.ts";
export { httpOptions, serveApp } from "./serve-app.ts";
export { launchOf, setUpClients, setupOptions } from "./set-up-clients.ts";
