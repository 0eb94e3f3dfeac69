import { describe, expect, it } from 'vitest';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { messageProblems, streamProblems } from '#test/support/messages/validate.ts';
import {
  startMessagesWriter,
  type WriteScript,
  writeStream,
  writeWhole,
} from '#test/support/messages/write.ts';

const comment = ': ping\n\n';
const ping = 'event: ping\ndata: {"type": "ping"}\n\n';

describe('The start of a stream', () => {
  it('comes as soon as the provider has begun, and once', () => {
    const writer = startMessagesWriter({ requestId: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f02' });
    writer.identify({ id: 'chatcmpl-1', model: 'gemini-3' });
    expect([writer.take().toString(), writer.facts.started]).toEqual(['', false]);
    writer.choice(0).begin();
    const text = writer.take().toString();
    expect(JSON.parse(text.slice('event: message_start\ndata: '.length))).toEqual({
      type: 'message_start',
      message: {
        id: 'msg_019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f02',
        type: 'message',
        role: 'assistant',
        model: 'gemini-3',
        content: [],
        container: null,
        diagnostics: null,
        stop_details: null,
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 40,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
          output_tokens: 0,
          output_tokens_details: { thinking_tokens: 0 },
          server_tool_use: null,
          inference_geo: null,
          service_tier: null,
          speed: null,
        },
      },
    });
    expect([writer.facts.started, writer.facts.responseModel]).toEqual([true, 'gemini-3']);
    writer.choice(0).begin();
    expect(writer.take().toString()).toBe('');
  });

  it('comes with the content if nothing has announced it, or with the end', () => {
    const names = (script: WriteScript) => writeStream(script).events.map(({ type }) => type);
    expect(names((choice) => choice.text('Hi'))).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
    ]);
    expect(names((choice) => choice.finish('stop'))).toEqual([
      'message_start',
      'message_delta',
      'message_stop',
    ]);
  });
});

describe('A sign that the provider is still working', () => {
  it('is a comment before the start, and an event after it', () => {
    const writer = startMessagesWriter();
    writer.ping();
    expect(writer.take().toString()).toBe(comment);
    const choice = writer.choice(0);
    choice.begin();
    writer.take();
    writer.ping();
    expect(writer.take().toString()).toBe(ping);
    choice.text('Hi');
    writer.ping();
    choice.text('!');
    choice.finish('stop');
    writer.end();
    expect(writer.take().toString()).toContain(ping);
  });
});

const counted = {
  ...noUsage,
  freshInputTokens: 10,
  cachedInputTokens: 20,
  cacheWriteInputTokens: 3,
  cacheWrite1hInputTokens: 4,
  outputTokens: 50,
  reasoningTokens: 6,
};
const counts = {
  input_tokens: 10,
  cache_creation_input_tokens: 7,
  cache_read_input_tokens: 20,
  output_tokens: 50,
  output_tokens_details: { thinking_tokens: 6 },
  server_tool_use: null,
};
const estimated = {
  input_tokens: 40,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 5,
  output_tokens_details: { thinking_tokens: 0 },
  server_tool_use: null,
};

describe('Usage', () => {
  const script =
    (when: 'early' | 'late' | 'never'): WriteScript =>
    (choice, writer) => {
      const bill = () => writer.billing({ usage: counted, serviceTier: 'priority' });
      if (when === 'early') bill();
      choice.reasoning('Hm');
      choice.text('é 🙂 Hi');
      choice.toolCall({ id: 'a', name: 'look' }).arguments('{"n":1}');
      choice.finish('stop');
      if (when === 'late') bill();
    };
  const cacheCreation = { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 };

  it.each([
    ['early', counts, { input_tokens: 10, output_tokens: 50, service_tier: 'priority' }],
    ['late', counts, { input_tokens: 40, output_tokens: 0, service_tier: null }],
    ['never', estimated, { input_tokens: 40, output_tokens: 0, service_tier: null }],
  ] as const)(
    'that the provider reports %s is at the end, and at the start, where the input may be estimated',
    (when, end, start) => {
      const { text, events } = writeStream(script(when));
      expect(events[0]).toMatchObject({ message: { usage: start } });
      expect(events.at(-2)).toMatchObject({ type: 'message_delta', usage: end });
      expect(events.at(-2)?.usage).toEqual(end);
      expect(streamProblems(text)).toEqual([]);

      const { message } = writeWhole(script(when));
      const isKnown = when !== 'never';
      expect(message.usage).toEqual({
        ...end,
        cache_creation: isKnown
          ? cacheCreation
          : { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        inference_geo: null,
        service_tier: isKnown ? 'priority' : null,
        speed: null,
      });
      expect(messageProblems(message)).toEqual([]);
    },
  );

  it('has the tools that the provider has run', () => {
    const { message } = writeWhole((choice, writer) => {
      writer.billing({ usage: { ...counted, webSearches: 2, pageVisits: 1 } });
      choice.finish('stop');
    });
    expect(message.usage).toMatchObject({
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
    });
  });

  it.each([
    ['default', 'standard'],
    ['STANDARD', 'standard'],
    ['Priority', 'priority'],
    ['flex', null],
  ])('calls the service tier %s %s', (serviceTier, service_tier) => {
    const { message } = writeWhole((choice, writer) => {
      writer.billing({ serviceTier });
      choice.finish('stop');
    });
    expect(message.usage).toMatchObject({ service_tier });
  });
});
