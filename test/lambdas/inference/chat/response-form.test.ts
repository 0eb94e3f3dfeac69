/** The caller gets the form that it asked for; the provider's response is read by its first bytes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import {
  exampleCompletion,
  protocols,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { streamResponse } from '#test/support/providers/upstream-responses.ts';

const weather = { id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' };
const contentTypes = [
  'text/event-stream',
  'application/json',
  'text/plain',
  'application/octet-stream',
  null,
] as const;

type Sent = 'a completion' | 'a stream' | 'an array of chunks';
type Asked = 'completion' | 'stream';

function bytesOf(protocol: (typeof protocols)[number], sent: Sent, completion = exampleCompletion): Buffer {
  const format = responseFormats[protocol];
  if (sent === 'a completion') return Buffer.from(JSON.stringify(format.whole(completion)));
  if (sent === 'an array of chunks') return Buffer.from(JSON.stringify(format.events(completion), null, 1));
  return Buffer.concat([
    ...format.events(completion).map(format.encode),
    Buffer.from(format.terminator ?? ''),
  ]);
}

const forms = protocols.flatMap((protocol) =>
  (
    ['a completion', 'a stream', ...(protocol === 'google' ? (['an array of chunks'] as const) : [])] as const
  ).flatMap((sent) => (['completion', 'stream'] as const).map((asked) => [protocol, sent, asked] as const)),
);

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

const reply = (bytes: Buffer, contentType: string | null) =>
  streamResponse([bytes], { headers: contentType === null ? {} : { 'content-type': contentType } });

describe('A response of any form and content type', () => {
  it.each<readonly [(typeof protocols)[number], Sent, Asked]>(forms)(
    'of %s that is %s becomes the %s that was asked for',
    async (protocol, sent, asked) => {
      for (const contentType of contentTypes) {
        const { caller, entry } = await gateway.ask({
          protocol,
          stream: asked === 'stream',
          respond: reply(bytesOf(protocol, sent), contentType),
        });

        expect([contentType, caller]).toMatchObject([
          contentType,
          {
            status: 200,
            content: 'Hello there',
            finish: 'stop',
            usage: { prompt_tokens: 19, completion_tokens: 5, total_tokens: 24 },
            error: null,
            done: true,
          },
        ]);
        expect(entry).toMatchObject({
          status: 200,
          outcome: 'completed',
          stream: asked === 'stream',
          finish_reason: 'stop',
          input_tokens: 19,
          output_tokens: 5,
          usage_source: 'provider',
          cost_usd: responseFormats[protocol].costUsd,
          pricing: 'table',
        });
      }
    },
  );

  it.each<readonly [(typeof protocols)[number], Sent, Asked]>(forms)(
    'of %s that is %s keeps its tool calls in the %s that was asked for',
    async (protocol, sent, asked) => {
      const second = { id: 'call_2', name: 'get_time', arguments: '{"zone":"CET"}' };
      const { caller, entry } = await gateway.ask({
        protocol,
        stream: asked === 'stream',
        respond: reply(bytesOf(protocol, sent, { text: 'Wait', calls: [weather, second] }), 'text/plain'),
      });

      expect(caller).toMatchObject({
        content: 'Wait',
        calls: [weather, second],
        finish: 'tool_calls',
        done: true,
      });
      expect(entry).toMatchObject({ outcome: 'completed', finish_reason: 'tool_calls' });
    },
  );

  it('has usage at the end of the converted stream only for a caller who asked for it', async () => {
    const { text } = await gateway.ask({
      protocol: 'openai',
      stream: true,
      respond: reply(bytesOf('openai', 'a completion'), 'application/json'),
      fields: { stream_options: { include_usage: false } },
    });

    expect(text).not.toContain('"usage"');
  });
});

describe("OpenAI's client", () => {
  it.each(contentTypes)(
    'reads a completion sent as %s in response to `stream: true`',
    async (contentType) => {
      const client = await gateway.client();
      gateway.script(reply(bytesOf('openai', 'a completion'), contentType));

      const stream = client.chat.completions.stream({
        model: 'openai/gpt-4o-mini',
        messages: [{ role: 'user', content: 'Say hello' }],
      });

      expect(await stream.finalContent()).toBe('Hello there');
    },
  );
});
