/** Whether no variable says anything but where the configuration is, or that there is a sandbox for nobody. */
export function isUsual(env: Readonly<NodeJS.ProcessEnv>): boolean {
  return Object.keys(env).every(
    (name) =>
      !/^(TUITBOT|OTEL|OPENCLAW)_/.test(name) ||
      name === "TUITBOT_CONFIG" ||
      (name === "TUITBOT_SANDBOX" && ["", "false", "until_signed_in"].includes(env[name] ?? "")),
  );
}
