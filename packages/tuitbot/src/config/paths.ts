import { join, resolve } from "node:path";
import type { Config } from "./schema.ts";

/** A named file must exist. */
export function configPath({ argument, env, home, cwd }: Place): { path: string; isNamed: boolean } {
  const named = argument ?? (env.TUITBOT_CONFIG || undefined);
  return named === undefined
    ? { path: join(home, ".tuitbot", "config.toml"), isNamed: false }
    : { path: resolve(cwd, atHome(named, home)), isNamed: true };
}

/** Probably meant as the configuration, but not TOML. */
export const OTHER_ENDINGS = [
  ["yaml", "YAML"],
  ["yml", "YAML"],
  ["json", "JSON"],
] as const;

interface Place {
  readonly argument?: string | undefined;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
  readonly cwd: string;
}

/** Relative to the configuration file. */
export function withPaths(config: Config, folder: string, home: string): Config {
  const absolute = (path: string) => resolve(folder, atHome(path, home));
  return {
    ...config,
    approvals: { ...config.approvals, key_file: absolute(config.approvals.key_file) },
    auth: { ...config.auth, token_file: absolute(config.auth.token_file) },
    media: { ...config.media, roots: config.media.roots.map(absolute) },
    server: {
      ...config.server,
      token_file: absolute(config.server.token_file),
      ...(config.server.tls_cert !== undefined && { tls_cert: absolute(config.server.tls_cert) }),
      ...(config.server.tls_key !== undefined && { tls_key: absolute(config.server.tls_key) }),
    },
    storage: { ...config.storage, db_path: absolute(config.storage.db_path) },
  };
}

export function atHome(path: string, home: string): string {
  return path === "~" ? home : path.startsWith("~/") ? join(home, path.slice(2)) : path;
}
