export * from "./answer-token.ts";
export * from "./channel.ts";
export * from "./channels.ts";
