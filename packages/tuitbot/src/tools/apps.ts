/** The pages that show answers of tools in the window of a chat, in clients with MCP Apps: decision 42. */
export const APPS = {
  approval: "ui://tuitbot/approval",
  postPreview: "ui://tuitbot/post-preview",
  analytics: "ui://tuitbot/analytics",
} as const;
