import { signal } from "@preact/signals";

/** The server's time and this machine's, at the same instant. A sandbox's clock may run many times as fast. */
let anchor = { server: Date.now(), here: Date.now(), speed: 1 };

/** The server's time, in steps that are fine enough for "2 min ago". */
export const now = signal(Date.now());

export function serverTimeIs(server: number, speed: number): void {
  anchor = { server, here: Date.now(), speed };
  now.value = server;
}

const STEP_MS = 1_000;
/** Step of the server's time: finer steps would not change the display. */
const LEAST_MS = 15_000;

/** Moves the times on the page on, while somebody looks at it. */
export function startClock(): void {
  const step = () => {
    if (document.visibilityState !== "visible") return;
    const next = anchor.server + (Date.now() - anchor.here) * anchor.speed;
    if (next - now.peek() >= LEAST_MS) now.value = next;
  };
  setInterval(step, STEP_MS);
  document.addEventListener("visibilitychange", step);
}
