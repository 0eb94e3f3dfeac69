/** A provider that dies under many concurrent streams of OpenAI's and Anthropic's clients. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUsd } from '#lambdas/platform/money.ts';
import { startHttpChatServer } from '#test/support/chat/http-server.ts';
import { type RouteFixture, startRouteFixture } from '#test/support/chat/route-fixture.ts';
import { deltaChunk, event } from '#test/support/providers/openai/events.ts';
import { controlledStream } from '#test/support/providers/upstream-responses.ts';

const begun = 20;
const notBegun = 30;
const afterwards = 20;
const prompt = [{ role: 'user' as const, content: 'Say hello' }];

/** Resolves to the text of a stream, and whether it ended with an error. Clients repeat nothing. */
type Send = (onText?: () => void) => Promise<{ text: string; failed: boolean }>;

interface Client {
  path: string;
  connect(origin: string, apiKey: string): Send;
}

const clients: Record<string, Client> = {
  OpenAI: {
    path: '/ai/chat/completions',
    connect(origin, apiKey) {
      const client = new OpenAI({ baseURL: `${origin}/ai`, apiKey, maxRetries: 0 });
      return (onText) =>
        readAll(onText, async function* () {
          const stream = await client.chat.completions.create({
            model: 'route/main',
            messages: prompt,
            stream: true,
          });
          for await (const { choices } of stream) yield choices[0]?.delta.content ?? '';
        });
    },
  },
  Anthropic: {
    path: '/ai/messages',
    connect(origin, apiKey) {
      const client = new Anthropic({ baseURL: `${origin}/ai`, apiKey, maxRetries: 0 });
      return (onText) =>
        readAll(onText, async function* () {
          const stream = client.messages.stream({ model: 'route/main', messages: prompt, max_tokens: 100 });
          for await (const part of stream)
            if (part.type === 'content_block_delta' && part.delta.type === 'text_delta')
              yield part.delta.text;
        });
    },
  },
};

async function readAll(
  onText: (() => void) | undefined,
  read: () => AsyncIterable<string>,
): ReturnType<Send> {
  let text = '';
  try {
    for await (const part of read()) {
      text += part;
      if (part !== '') onText?.();
    }
    return { text, failed: false };
  } catch {
    return { text, failed: true };
  }
}

let fixture: RouteFixture;
beforeAll(async () => {
  fixture = await startRouteFixture();
});
afterAll(() => fixture.stop());

describe.each(Object.entries(clients))(
  "A provider that dies under 50 streams of %s's client",
  (_, client) => {
    it('is replaced for all requests that had not begun', async () => {
      const { upstreams, gateway } = await fixture.setUp({
        path: client.path,
        route: {
          strategy: 'order',
          targets: [{ model: 'openai/gpt-4o' }, { model: 'groq/openai/gpt-oss-120b' }],
        },
      });
      const { openai, groq } = upstreams;
      groq.behaviour.textChunks = ['Hello', ' there'];
      const server = await startHttpChatServer(gateway.handle);
      const send = client.connect(server.origin, gateway.apiKey);
      const streams = Array.from({ length: begun + notBegun }, () => controlledStream());
      openai.script(...streams.map(({ respond }) => respond));

      let received = 0;
      const sending = streams.map(() => send(() => received++));
      const content = event(deltaChunk({ role: 'assistant', content: 'Hel' }));
      const role = event(deltaChunk({ role: 'assistant', content: '' }));
      await Promise.all(streams.map((stream, index) => stream.write(index < begun ? content : role)));
      // The first part of the content has reached the callers.
      await expect.poll(() => gateway.lines.length).toBe(begun + notBegun);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await Promise.all(streams.map((stream) => stream.disconnect('reset')));
      await openai.stop();
      const results = await Promise.all(sending);
      const later = await Promise.all(Array.from({ length: afterwards }, () => send()));
      await server.shutDown();

      const failed = results.filter((result) => result.failed);
      expect(failed.map(({ text }) => text)).toEqual(Array.from({ length: begun }, () => 'Hel'));
      const completed = [...results, ...later].filter((result) => !result.failed);
      expect(completed.map(({ text }) => text)).toEqual(
        Array.from({ length: notBegun + afterwards }, () => 'Hello there'),
      );
      const entries = await gateway.entries();
      const sentTo = Map.groupBy(entries, ({ provider }) => provider);
      expect(sentTo.get('groq')).toHaveLength(groq.requests.length);
      expect(groq.requests).toHaveLength(notBegun + afterwards);
      const refused =
        sentTo.get('openai')?.filter(({ error_code }) => error_code === 'provider_unavailable') ?? [];
      expect((sentTo.get('openai')?.length ?? 0) - refused.length).toBeLessThanOrEqual(
        openai.requests.length,
      );
      expect(openai.requests).toHaveLength(begun + notBegun);
      expect(entries.filter(({ superseded_by }) => superseded_by === null)).toHaveLength(
        begun + notBegun + afterwards,
      );
      // 19 and 5 tokens at 0.15 and 0.6 dollars per million.
      const paid = sentTo.get('groq')?.map(({ cost_usd }) => cost_usd) ?? [];
      expect(paid.reduce(addUsd, '0')).toBe('0.0002925');
    });
  },
);
