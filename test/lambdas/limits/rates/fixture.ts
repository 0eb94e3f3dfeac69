/** Environments of the function that admit requests to rate limits, with clocks that the test sets. */
import type { RequestKey } from '#lambdas/access/directory.ts';
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import type { AdmissionResult } from '#lambdas/limits/admission.ts';
import type { LimitFailure } from '#lambdas/limits/request-lease.ts';
import {
  type Admit,
  type ReservationFixture,
  receivedAtMs,
  startReservationFixture,
} from '../reservation-fixture.ts';

type Request = Partial<Parameters<Admit>[0]>;

interface Environment {
  failures: unknown[];
  effects: LimitFailure[];
  /** Sends a request at a time, in milliseconds after `receivedAtMs`. Times do not decrease. */
  sendAt(ms: number, apiKey: RequestKey, request?: Request): Promise<AdmissionResult & { writes: number }>;
  /** For what follows at this time, such as renewals. */
  setTime(ms: number): void;
}

interface RateLimitsFixture extends ReservationFixture {
  createLimitedKey(limits: { key?: RateLimits; organization?: RateLimits }): Promise<RequestKey>;
  startEnvironment(options?: Parameters<ReservationFixture['startReserving']>[0]): Environment;
}

export async function startRateLimitsFixture(): Promise<RateLimitsFixture> {
  const fixture = await startReservationFixture();
  return {
    ...fixture,
    async createLimitedKey({ key, organization }) {
      return {
        ...(await fixture.createKey({})),
        ...(key && { key_rate_limits: key }),
        ...(organization && { organization_rate_limits: organization }),
      };
    },
    startEnvironment(options = {}) {
      const clock = { nowMs: receivedAtMs };
      const { admit, writes, failures, effects } = fixture.startReserving({ clock, ...options });
      const setTime = (ms: number) => {
        clock.nowMs = receivedAtMs + ms;
      };
      return {
        failures,
        effects,
        setTime,
        async sendAt(ms, apiKey, request = {}) {
          setTime(ms);
          const before = writes.length;
          const defaults = { logShard: 0, receivedAtMs: clock.nowMs, usd: '0', tokens: 0 };
          const result = await admit({ apiKey, ...defaults, ...request });
          return { ...result, writes: writes.length - before };
        },
      };
    },
  };
}
