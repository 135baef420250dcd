import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

const PAUSE_MS = 2;

/** For frameworks without a ready event. */
export async function untilOpen(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch {
      await wait(PAUSE_MS);
    } finally {
      socket.destroy();
    }
  }
}
