/** JSON bodies that are complete, but whose connection is not. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import {
  exampleCompletion,
  exampleResult,
  type Protocol,
  protocols,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { chunksOf } from '#test/support/providers/dialects/transport.ts';
import { streamResponse } from '#test/support/providers/upstream-responses.ts';

const json = { 'content-type': 'application/json' };

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway({ closeGraceMs: 20, finishGraceMs: 20, idleMs: 150 });
});
afterAll(() => gateway.stop());

const bodies: readonly (readonly [string, Protocol, unknown])[] = [
  ...protocols.map(
    (protocol) =>
      [`a completion of ${protocol}`, protocol, responseFormats[protocol].whole(exampleCompletion)] as const,
  ),
  ["Gemini's array of chunks", 'google', responseFormats.google.events(exampleCompletion)],
];

describe.each(bodies)('With %s', (_, protocol, body) => {
  it.each(['hang', 'close'] as const)(
    'a response is complete, whatever the connection does then (%s)',
    async (ending) => {
      for (const stream of [true, false]) {
        const respond = streamResponse(chunksOf(Buffer.from(JSON.stringify(body)), 100), {
          ending,
          headers: json,
        });
        const { caller, entry } = await gateway.ask({ protocol, stream, respond });
        expect(caller).toMatchObject(exampleResult.caller);
        expect(entry).toMatchObject({
          ...exampleResult.entry,
          finish_reason: 'stop',
          cost_usd: responseFormats[protocol].costUsd,
        });
      }
    },
  );

  it.each([
    ['hang', 504, 'timeout', 'provider_timeout'],
    ['close', 502, 'provider_error', 'provider_error'],
    ['complete', 502, 'provider_error', 'provider_error'],
  ] as const)('and its last byte missing, it is an error (%s)', async (ending, status, outcome, code) => {
    const bytes = Buffer.from(JSON.stringify(body)).subarray(0, -1);
    for (const stream of [true, false]) {
      const respond = streamResponse([bytes], { ending, headers: json });
      const { caller, entry } = await gateway.ask({ protocol, stream, respond });
      expect(caller).toMatchObject({ status, content: null, error: { code }, done: false });
      expect(entry).toMatchObject({ status, outcome, error_code: code });
    }
  });
});
