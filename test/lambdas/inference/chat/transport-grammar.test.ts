import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import {
  type Completion,
  protocols,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { byteOrderMark, chunksOf, transportRewrites } from '#test/support/providers/dialects/transport.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';

const completion: Completion = {
  text: 'Grüße 👋 — {"a": "\\n\\u2028"}\n\ndata: [DONE]\r\n',
  calls: [{ id: 'call_1', name: 'send', arguments: '{"text":"naïve 🙂"}' }],
};

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

const undisturbed = {
  caller: {
    status: 200,
    content: completion.text,
    calls: completion.calls,
    finish: 'tool_calls',
    error: null,
    usage: { prompt_tokens: 19, completion_tokens: 5 },
    done: true,
  },
  entry: {
    outcome: 'completed',
    finish_reason: 'tool_calls',
    input_tokens: 19,
    output_tokens: 5,
    usage_source: 'provider',
  },
};

const eventProtocols = ['openai', 'anthropic', 'google'] as const;

function eventsOf(protocol: (typeof eventProtocols)[number]): string {
  const { events, encode, terminator } = responseFormats[protocol];
  return events(completion).map(encode).join('') + (terminator ?? '');
}

describe.each(eventProtocols)('Events of %s', (protocol) => {
  it.each(Object.entries(transportRewrites))('are read with %s', async (_, rewrite) => {
    const bytes = Buffer.from(rewrite(eventsOf(protocol)));
    for (const [stream, size] of [
      [true, bytes.length],
      [true, 7],
      [false, bytes.length],
    ] as const) {
      const respond = streamResponse(chunksOf(bytes, size));
      expect(await gateway.ask({ protocol, stream, respond })).toMatchObject(undisturbed);
    }
  });

  it('are read byte by byte, with all of these differences but the line ends', async () => {
    const { 'lines that end with CR': _, ...rewrites } = transportRewrites;
    const crlf = rewrites['lines that end with CRLF'] ?? String;
    const text = Object.values(rewrites)
      .filter((rewrite) => rewrite !== crlf)
      .reduceRight((events, rewrite) => rewrite(events), eventsOf(protocol));
    const respond = streamResponse(chunksOf(Buffer.from(crlf(text)), 1));

    expect(await gateway.ask({ protocol, stream: true, respond })).toMatchObject(undisturbed);
  });
});

describe('A completion', () => {
  it.each(protocols)('of %s is read with a byte order mark and blank space around it', async (protocol) => {
    const json = JSON.stringify(responseFormats[protocol].whole(completion), null, 2);
    for (const stream of [false, true]) {
      for (const text of [byteOrderMark + json, `${byteOrderMark}\r\n ${json}\n\n`, `\n\n${json}`]) {
        const respond = streamResponse(chunksOf(Buffer.from(text), 500));
        expect(await gateway.ask({ protocol, stream, respond })).toMatchObject(undisturbed);
      }
    }
  });

  it.each(protocols)(
    'of %s with an error status and a byte order mark keeps its message',
    async (protocol) => {
      const body = `${byteOrderMark}{"error":{"message":"Wrong size","type":"invalid_request_error"},"message":"Wrong size"}`;
      const respond = jsonResponse(body, { status: 400 });
      for (const stream of [false, true]) {
        const { caller, entry } = await gateway.ask({ protocol, stream, respond });
        expect(caller).toMatchObject({ status: 400, error: { message: 'Wrong size' } });
        expect(entry).toMatchObject({ status: 400, outcome: 'provider_error', usage_source: 'missing' });
      }
    },
  );
});
