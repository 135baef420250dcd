import { app } from "./app.ts";

const { PORT, TOKEN } = process.env;

if (PORT === undefined) {
  const { serveStdio } = await import("@toolpact/contract/stdio");
  serveStdio(app);
} else {
  // With a token, other machines can connect; without one, only this machine.
  const { serveHttp } = await import("@toolpact/contract/http");
  const { url } = await serveHttp(app, {
    port: Number(PORT),
    ...(TOKEN !== undefined && { host: "0.0.0.0", token: TOKEN }),
  });
  console.error(`Serving on ${url}`);
}
