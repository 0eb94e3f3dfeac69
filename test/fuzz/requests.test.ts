/** Whatever a caller sends, at either way in: it is answered in OpenAI's shape, logged once, and never our failure. */
import { expect, it } from 'vitest';
import { fc } from '#test/support/fast-check.ts';
import { bodyText } from './arbitrary-chat.ts';
import { anyEvent, type FuzzEvent } from './arbitrary-events.ts';
import { fuzzCases } from './fuzz-cases.ts';
import { createFuzzGateway, type FuzzReply } from './fuzz-gateway.ts';
import { goodProvider } from './good-answers.ts';
import { outgoingProblems } from './outgoing-checks.ts';
import { entryProblems, replyProblems } from './reply-checks.ts';

const numRuns = fuzzCases('requests');

it('a request may be anything', async () => {
  const gateway = createFuzzGateway();
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(anyEvent({ apiKey: gateway.apiKey, body: bodyText }), async (asked) => {
      const reply = await gateway.send(asked.event, goodProvider);
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      expect([...replyProblems(reply), ...requestProblems(asked, reply)]).toEqual([]);
    }),
    { numRuns },
  );
  // Most requests must come far, or the rest of the gateway is never tried.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(numRuns / 8);
});

function requestProblems({ isChat, hasKey }: FuzzEvent, reply: FuzzReply): string[] {
  const { status, sent, text, entries } = reply;
  if (!isChat || !hasKey) {
    return entries.length + sent.length > 0 ? ['an entry, or a request that was forwarded'] : [];
  }
  if (sent.length === 0) return [...entryProblems(reply), ...(status >= 500 ? [`${status}: ${text}`] : [])];
  return [
    ...entryProblems(reply),
    ...sent.flatMap(outgoingProblems),
    ...(status === 200 && !text.includes('"error":{"message"') ? [] : [`${status}: ${text}`]),
  ];
}
