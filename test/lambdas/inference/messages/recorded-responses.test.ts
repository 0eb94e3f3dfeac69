/** The recorded responses of Anthropic for callers who use its API themselves: the same bytes, with the costs of chat. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  exampleRequest,
  type NativeGateway,
  type NativeGateways,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import { anthropicEvent } from '#test/support/providers/anthropic/message-events.ts';
import { type Fixture, loadFixtures } from '#test/support/providers/fixture.ts';
import { replay } from '#test/support/providers/replay.ts';

let gateways: NativeGateways;
let gateway: NativeGateway;
beforeAll(async () => {
  gateways = await startNativeGateways();
  let atMs = Date.parse('2026-11-20T12:00:00Z');
  gateway = await gateways.start({ dependencies: { now: () => new Date(atMs++) } });
});
afterAll(() => gateways.stop());

const fixtures = [...loadFixtures('anthropic')];
const succeeded = fixtures.filter(([, { expected }]) => expected.error === undefined);
const failed = fixtures.filter(([, { plain, expected }]) => plain !== null && expected.error !== undefined);

const requestOf = ({ model, request: { tools } }: Fixture, fields: object) => ({
  ...exampleRequest,
  model: `anthropic/${model}`,
  ...(tools !== undefined && { tools }),
  ...fields,
});

describe('A recorded response', () => {
  it.each(succeeded.filter(([, { plain }]) => plain !== null))(
    'is forwarded and priced: %s',
    async (_, fixture) => {
      const { plain, expected } = fixture;

      const { status, text, entry } = await gateway.exchange(
        replay(fixture, false, anthropicEvent),
        requestOf(fixture, {}),
      );

      expect(status).toBe(200);
      expect(text).toBe(JSON.stringify(plain?.body));
      expect(entry).toMatchObject({
        usage_warnings: null,
        ...expected.entry,
        operation: 'messages',
        stream: false,
      });
    },
  );

  it.each(succeeded.filter(([, { stream }]) => stream !== null && 'events' in stream))(
    'is forwarded and priced as a stream: %s',
    async (_, fixture) => {
      const { stream, expected } = fixture;
      const events = stream !== null && 'events' in stream ? stream.events.map(anthropicEvent).join('') : '';

      const { status, text, entry } = await gateway.exchange(
        replay(fixture, true, anthropicEvent),
        requestOf(fixture, { stream: true }),
      );

      expect(status).toBe(200);
      expect(text).toBe(events);
      expect(entry).toMatchObject({
        usage_warnings: null,
        ...expected.entry,
        ...expected.streamEntry,
        operation: 'messages',
        stream: true,
      });
    },
  );
});

describe('A recorded error', () => {
  it.each(failed)('keeps its status and its words: %s', async (name, fixture) => {
    const { plain } = fixture;
    const aboutCredential = plain?.status === 401 || plain?.status === 403;

    const { status, text, headers, entry } = await gateway.exchange(
      replay(fixture, false, anthropicEvent),
      requestOf(fixture, {}),
    );

    expect(entry).toMatchObject({
      outcome: fixture.expected.entry.outcome,
      error_code: fixture.expected.entry.error_code,
      usage_source: 'missing',
      cost_usd: '0',
    });
    if (aboutCredential) {
      expect(status).toBe(502);
      expect(headers['x-should-retry']).toBe('false');
      expect(JSON.parse(text)).toEqual({
        type: 'error',
        error: { type: 'api_error', message: fixture.expected.error?.message },
        request_id: entry.id,
      });
    } else {
      expect([name, status]).toEqual([name, plain?.status]);
      expect(text).toBe(JSON.stringify(plain?.body));
    }
  });
});
