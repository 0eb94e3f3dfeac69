/** Records the attempts of a request to a route after which another target takes over: an entry each, with what they cost. */
import type { RenewedLease } from '#lambdas/limits/request-lease.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { billOf } from '../exchange/bill.ts';
import { completionLine } from '../exchange/completion-line.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Bill } from '../exchange/log-entry.ts';
import type { RouteDependencies } from './dependencies.ts';

interface SupersededAttempts {
  /**
   * Returns the entry, whose durations are those since `startedAtMs`, with the fields of a log line: print it before the attempt is
   * recorded.
   */
  add(exchange: Exchange, startedAtMs: number): Promise<JsonObject>;
  /** Starts to settle the reservation of the attempt that was added last, and to write its entry. */
  record(): void;
  /** Joins the leases of all attempts with that of the last one. */
  joinLeases(last: RenewedLease | null): RenewedLease | null;
  /** Resolves when all entries are written. */
  recorded(): Promise<void>;
}

interface Attempt {
  entry: LogEntry;
  bill: Bill;
  lease: RenewedLease | null;
}

export function createSupersededAttempts(dependencies: RouteDependencies): SupersededAttempts {
  const { steps } = dependencies;
  const attempts: Attempt[] = [];
  let recording = Promise.resolve();
  return {
    async add(exchange, startedAtMs) {
      const { forwardedAtMs } = exchange;
      const endedAtMs = dependencies.now().getTime();
      const bill = await billOf(exchange, dependencies.loadPricing);
      const id = steps.createSiblingId(exchange);
      const routed = exchange.routed && { ...exchange.routed, superseded_by: exchange.id };
      const status = exchange.error?.status ?? 502;
      const result = { endedAtMs, status, clientDisconnected: false, bill };
      const entry = {
        ...steps.toLogEntry({ ...exchange, id, routed }, result),
        latency_ms: Math.max(0, endedAtMs - startedAtMs),
        overhead_ms: forwardedAtMs && Math.max(0, forwardedAtMs - startedAtMs),
      };
      attempts.push({ entry, bill, lease: exchange.lease });
      return completionLine(steps.serializeLogEntry(entry), exchange.failedCall);
    },

    record() {
      const attempt = attempts.at(-1);
      if (attempt === undefined) return;
      recording = recording.then(async () => {
        await attempt.lease?.settle(attempt.entry.cost_usd);
        await steps.writeEntry(dependencies, attempt.entry, attempt.bill);
      });
    },

    joinLeases(last) {
      const leases = [...attempts.map(({ lease }) => lease), last].filter((lease) => lease !== null);
      const [first] = leases;
      if (attempts.length === 0 || first === undefined) return last;
      const earlierTokens = attempts.reduce((sum, { entry }) => sum + (entry.total_tokens ?? 0), 0);
      return {
        settle: (costUsd) => (last ?? first).settle(costUsd),
        async end({ costUsd, tokens }) {
          await Promise.all(
            leases.map((lease) =>
              lease.end({ costUsd: lease === last ? costUsd : '0', tokens: tokens + earlierTokens }),
            ),
          );
        },
      };
    },

    recorded: () => recording,
  };
}
