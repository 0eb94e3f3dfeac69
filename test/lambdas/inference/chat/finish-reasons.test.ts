/** The finish reason that callers and the log get for the provider's word. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import {
  type Completion,
  type Protocol,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { buildChunk, deltaChunk, doneEvent, event } from '#test/support/providers/openai/events.ts';
import { jsonResponse, type Respond, streamResponse } from '#test/support/providers/upstream-responses.ts';

const call = { id: 'call_1', name: 'get_time', arguments: '{"zone":"CET"}' };
const text: Completion = { text: 'Hello there', calls: [] };
const calling: Completion = { text: '', calls: [call] };
const empty: Completion = { text: '', calls: [] };

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

function responsesOf(protocol: Protocol, completion: Completion): Record<'completion' | 'stream', Respond> {
  const { whole, events, encode, terminator } = responseFormats[protocol];
  return {
    completion: jsonResponse(whole(completion)),
    stream: streamResponse([...events(completion).map(encode), terminator ?? '']),
  };
}

/** Asks for a stream and a completion, and sends each in both forms. */
async function askAll(protocol: Protocol, completion: Completion) {
  const results = [];
  for (const stream of [true, false]) {
    for (const [sent, respond] of Object.entries(responsesOf(protocol, completion))) {
      results.push({ stream, sent, ...(await gateway.ask({ protocol, stream, respond })) });
    }
  }
  return results;
}

const ended = (finish: string, logged = finish) => ({
  caller: { status: 200, finish, error: null, done: true },
  entry: { outcome: 'completed', finish_reason: logged, usage_source: 'provider', output_tokens: 5 },
});

describe('The finish reason of an answer with text', () => {
  it.each<[Protocol, string, readonly string[]]>([
    [
      'openai',
      'content_filter',
      [
        'RECITATION',
        'BLOCKLIST',
        'PROHIBITED_CONTENT',
        'SPII',
        'IMAGE_SAFETY',
        'content_filtered',
        'refusal',
      ],
    ],
    [
      'openai',
      'length',
      ['max_output_tokens', 'MAX_TOKENS', 'model_length', 'abort', 'cancelled', 'timeout'],
    ],
    ['openai', 'stop', ['end_turn', 'stop_sequence', 'eos', 'STOP', 'COMPLETE', 'tool_calls']],
    ['anthropic', 'content_filter', ['refusal']],
    ['anthropic', 'length', ['max_tokens', 'model_context_window_exceeded', 'abort']],
    ['anthropic', 'stop', ['end_turn', 'stop_sequence', 'pause_turn']],
    [
      'google',
      'content_filter',
      ['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY', 'LANGUAGE'],
    ],
    ['google', 'length', ['MAX_TOKENS']],
    ['bedrock', 'content_filter', ['content_filtered', 'guardrail_intervened']],
    ['bedrock', 'length', ['max_tokens', 'model_context_window_exceeded']],
    ['bedrock', 'stop', ['end_turn', 'stop_sequence']],
  ])('of %s is %s for %j', async (protocol, finish, words) => {
    for (const word of words) {
      for (const result of await askAll(protocol, { ...text, finish: word })) {
        expect([word, result]).toMatchObject([word, ended(finish)]);
        expect(result.caller.content).toBe('Hello there');
      }
    }
  });

  it.each<[Protocol, string, string]>([
    ['openai', 'policy_violation_v2', 'content_filter'],
    ['openai', 'thinking_budget_reached', 'length'],
    ['openai', 'of_the_future', 'stop'],
    ['anthropic', 'of_the_future', 'stop'],
    ['google', 'OUTPUT_LIMIT', 'length'],
    ['google', 'FINISH_REASON_OF_THE_FUTURE', 'stop'],
    ['bedrock', 'guard_of_the_future', 'content_filter'],
  ])('of %s follows the unknown word %s, which the log keeps', async (protocol, word, finish) => {
    for (const result of await askAll(protocol, { ...text, finish: word })) {
      expect(result).toMatchObject(ended(finish, word));
    }
  });
});

describe('The finish reason of an answer with tool calls', () => {
  it.each<[Protocol, string, string, string]>([
    ['openai', 'stop', 'tool_calls', 'tool_calls'],
    ['openai', 'TOOL_CALLS', 'tool_calls', 'tool_calls'],
    ['openai', 'tool_use', 'tool_calls', 'tool_calls'],
    ['openai', 'STOP', 'tool_calls', 'tool_calls'],
    ['openai', 'of_the_future', 'tool_calls', 'of_the_future'],
    ['openai', 'function_call', 'function_call', 'function_call'],
    ['openai', 'length', 'length', 'length'],
    ['openai', 'cancelled', 'length', 'length'],
    ['anthropic', 'end_turn', 'tool_calls', 'tool_calls'],
    ['anthropic', 'max_tokens', 'length', 'length'],
    ['google', 'STOP', 'tool_calls', 'tool_calls'],
    ['google', 'OF_THE_FUTURE', 'tool_calls', 'OF_THE_FUTURE'],
    ['bedrock', 'end_turn', 'tool_calls', 'tool_calls'],
    ['bedrock', 'of_the_future', 'tool_calls', 'of_the_future'],
  ])('of %s that ends with %s is %s, and %s in the log', async (protocol, word, finish, logged) => {
    for (const result of await askAll(protocol, { ...calling, finish: word })) {
      expect(result).toMatchObject(ended(finish, logged));
      expect(result.caller.calls).toEqual([call]);
    }
  });
});

describe('An answer that ends with a failure', () => {
  const message = (word: string) => `The provider openai ended its response with "${word}"`;

  it.each(['abort', 'cancelled', 'timeout'])('is an error for %s if nothing was generated', async (word) => {
    for (const { stream, caller, entry } of await askAll('openai', { ...empty, finish: word })) {
      expect(caller).toMatchObject({
        error: { message: message(word), code: 'provider_error' },
        done: false,
      });
      expect(entry).toMatchObject({
        outcome: 'provider_error',
        error_code: 'provider_error',
        finish_reason: null,
      });
      if (!stream) expect([caller.status, entry.status]).toEqual([502, 502]);
    }
  });

  it.each([
    ['error', 502, 'provider_error'],
    ['network_error', 502, 'provider_error'],
    ['insufficient_system_resource', 503, 'provider_unavailable'],
    ['MALFORMED_FUNCTION_CALL', 502, 'provider_error'],
  ])('is an error for %s, whatever was generated', async (word, status, code) => {
    for (const completion of [text, calling]) {
      for (const { stream, sent, caller, entry } of await askAll('openai', { ...completion, finish: word })) {
        expect(caller).toMatchObject({ error: { message: message(word), code }, done: false });
        expect(entry).toMatchObject({ outcome: 'provider_error', error_code: code });
        // Nothing is read after the failure, also not the usage.
        expect(entry.usage_source).toBe(sent === 'stream' ? 'estimated' : 'provider');
        if (!stream) expect([caller.status, entry.status]).toEqual([status, status]);
      }
    }
  });

  it.each(['anthropic', 'google', 'bedrock'] as const)('is an error for %s too', async (protocol) => {
    const completions = [
      { ...empty, finish: 'cancelled' },
      { ...text, finish: 'malformed_tool_use' },
    ];
    for (const completion of completions) {
      for (const { caller, entry } of await askAll(protocol, completion)) {
        expect(caller).toMatchObject({ error: { code: 'provider_error' }, done: false });
        expect(entry).toMatchObject({ outcome: 'provider_error', error_code: 'provider_error' });
      }
    }
  });
});

describe("OpenRouter's native finish reason", () => {
  const native = (content: string, word: string) => {
    const choice = { index: 0, finish_reason: 'stop', native_finish_reason: word };
    const usage = { prompt_tokens: 19, completion_tokens: 5, total_tokens: 24 };
    const message = { role: 'assistant', content };
    return [
      jsonResponse({ ...responseFormats.openai.whole(text), choices: [{ ...choice, message }], usage }),
      streamResponse([
        event(deltaChunk({ role: 'assistant', content })),
        event(buildChunk({ choices: [{ ...choice, delta: { content: '' } }] })),
        event(buildChunk({ usage })),
        doneEvent,
      ]),
    ];
  };

  it.each(['network_error', 'abort'])('%s without text is an error', async (word) => {
    for (const stream of [true, false]) {
      for (const respond of native('', word)) {
        const { caller, entry } = await gateway.ask({ protocol: 'openai', stream, respond });
        expect(caller).toMatchObject({
          error: { message: `The provider openai ended its response with "${word}"` },
          done: false,
        });
        expect(entry).toMatchObject({ outcome: 'provider_error', finish_reason: null });
      }
    }
  });

  it.each([
    ['Hello', 'network_error'],
    ['', 'end_turn'],
  ])('changes nothing for the text %j and the word %s', async (content, word) => {
    for (const stream of [true, false]) {
      for (const respond of native(content, word)) {
        expect(await gateway.ask({ protocol: 'openai', stream, respond })).toMatchObject(ended('stop'));
      }
    }
  });
});
