/**
 * The time by DynamoDB's clock, with which the clocks of the gateway's functions agree. A laptop's clock can be minutes
 * off, and repairs conclude from the time of an entry's last write whether the stream has yet to bring it.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Responses have a precision of a second, and take their time: a smaller difference may be none. */
const toleranceMs = 2000;

/** The clock of this machine until the client has had its first response, and while both clocks agree. */
export function createServerClock(client: DynamoDBClient, nowMs: () => number): () => Date {
  let differenceMs = 0;
  client.middlewareStack.add(
    (next) => async (call) => {
      const sentAtMs = nowMs();
      const result = await next(call);
      const receivedAtMs = nowMs();
      const middleOfSecondMs = Date.parse(dateHeader(result.response)) + 500;
      // A slow response says nothing about the time at which it was stamped.
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
