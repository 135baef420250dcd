import { usdOf } from "../guards/money.ts";
import type { GuardStorage } from "../guards/storage.ts";
import type { ProbeOptions } from "../mcp/probes.ts";
import { type CallMetrics, gauge, processMetrics, prometheusText } from "../observers/metrics.ts";
import { maskSecrets } from "../redact.ts";

/** Health and metrics of a gate. It is ready while its store can be read. */
export function gateProbes(storage: GuardStorage, calls: CallMetrics, now: () => number): ProbeOptions {
  return {
    notReady: () =>
      storage.spent(now()).then(
        () => undefined,
        (error: Error) => `The store is not available: ${maskSecrets(error.message)}`,
      ),
    async metrics() {
      const [{ day }, waiting, doubts] = await Promise.all([
        storage.spent(now()),
        storage.items("waiting", now()),
        storage.inDoubt(now()),
      ]);
      return prometheusText([
        ...calls.read(),
        gauge("toolpact_gate_waiting", "Calls that wait for approval.", waiting.length),
        gauge("toolpact_gate_in_doubt", "Calls with an unknown outcome.", doubts.length),
        gauge("toolpact_gate_spent_usd", "Money spent or held today, by UTC.", usdOf(day)),
        ...processMetrics(),
      ]);
    },
  };
}
