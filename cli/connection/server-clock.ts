/**
 * The current time by DynamoDB's clock, which agrees with the clocks of the gateway's functions. A laptop's clock can
 * be minutes off, and repairs compare the time of an entry's last write with the current time to decide whether the
 * entry's stream record may still be pending.
 */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The `Date` header has a resolution of one second and round trips take time, so smaller differences are noise. */
const toleranceMs = 2000;

/** Returns this machine's time until the client's first response, and as long as both clocks agree. */
export function createServerClock(client: DynamoDBClient, nowMs: () => number): () => Date {
  let differenceMs = 0;
  client.middlewareStack.add(
    (next) => async (request) => {
      const sentAtMs = nowMs();
      const result = await next(request);
      const receivedAtMs = nowMs();
      const middleOfSecondMs = Date.parse(dateHeader(result.response)) + 500;
      // In a slow round trip, the moment at which the header was set is too uncertain.
      if (!Number.isNaN(middleOfSecondMs) && receivedAtMs - sentAtMs < toleranceMs) {
        const measuredMs = middleOfSecondMs - (sentAtMs + receivedAtMs) / 2;
        differenceMs = Math.abs(measuredMs) > toleranceMs ? Math.round(measuredMs) : 0;
      }
      return result;
    },
    { step: 'deserialize', name: 'serverClock' },
  );
  return () => new Date(nowMs() + differenceMs);
}

function dateHeader(response: unknown): string {
  const { headers = {} } = response as { headers?: Record<string, string> };
  return headers.date ?? '';
}
