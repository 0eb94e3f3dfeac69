import { expect, it } from 'vitest';
import { fc } from '#test/support/fast-check.ts';
import { requestBodyText } from './arbitraries/chat-requests.ts';
import { type FuzzEvent, lambdaEvent } from './arbitraries/lambda-events.ts';
import { caseCount } from './cases.ts';
import { createFuzzGateway, type FuzzResult } from './gateway.ts';
import { outgoingRequestProblems } from './outgoing-request-checks.ts';
import { logEntryProblems, responseProblems } from './response-checks.ts';
import { validProvider } from './valid-provider.ts';

const numRuns = caseCount('requests');

it('returns a valid response and logs it once, whatever the request', async () => {
  const gateway = createFuzzGateway();
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(lambdaEvent({ apiKey: gateway.apiKey, body: requestBodyText }), async (request) => {
      const result = await gateway.send(request.event, validProvider);
      statuses.set(result.status, (statuses.get(result.status) ?? 0) + 1);
      expect([...responseProblems(result), ...requestProblems(request, result)]).toEqual([]);
    }),
    { numRuns },
  );
  // Enough requests must reach the provider, or the rest of the gateway is not tested.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(numRuns / 8);
});

function requestProblems({ isChat, hasValidKey }: FuzzEvent, result: FuzzResult): string[] {
  const { status, sent, text, entries } = result;
  if (!isChat || !hasValidKey) {
    return entries.length + sent.length > 0 ? ['the request was logged or forwarded'] : [];
  }
  if (sent.length === 0)
    return [...logEntryProblems(result), ...(status >= 500 ? [`${status}: ${text}`] : [])];
  return [
    ...logEntryProblems(result),
    ...sent.flatMap(outgoingRequestProblems),
    ...(status === 200 && !text.includes('"error":{"message"') ? [] : [`${status}: ${text}`]),
  ];
}
