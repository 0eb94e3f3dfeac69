/**
 * The time by DynamoDB's clock, which the gateway's functions go by too. A laptop's clock can be minutes off, and
 * repairs tell by the time of an entry's last write what the stream still brings of it.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Answers say the second, and take their time: a smaller difference may be no difference. */
const toleranceMs = 2000;

/** Goes by this machine until the client has had its first answer, and while both clocks agree. */
export function createServerClock(client: DynamoDBClient, nowMs: () => number): () => Date {
  let differenceMs = 0;
  client.middlewareStack.add(
    (next) => async (call) => {
      const sentAtMs = nowMs();
      const result = await next(call);
      const answeredAtMs = nowMs();
      const middleOfSecondMs = Date.parse(dateOf(result.response)) + 500;
      // After a slow answer one cannot tell.
      if (!Number.isNaN(middleOfSecondMs) && answeredAtMs - sentAtMs < toleranceMs) {
        const measuredMs = middleOfSecondMs - (sentAtMs + answeredAtMs) / 2;
        differenceMs = Math.abs(measuredMs) > toleranceMs ? Math.round(measuredMs) : 0;
      }
      return result;
    },
    { step: 'deserialize', name: 'serverClock' },
  );
  return () => new Date(nowMs() + differenceMs);
}

function dateOf(response: unknown): string {
  const { headers = {} } = response as { headers?: Record<string, string> };
  return headers.date ?? '';
}
