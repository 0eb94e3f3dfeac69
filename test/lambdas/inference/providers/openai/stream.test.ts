import { describe, expect, it } from 'vitest';
import { startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { createOpenAiReader } from '#lambdas/inference/providers/openai/response.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import { responseOrigin } from '#test/support/providers/openai/origin.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';
import { eventData } from '#test/support/providers/sse-events.ts';

function read(chunks: Buffer[], { includeUsage = false, n = 1 } = {}) {
  const call = providerCall({ n, stream: true, stream_options: { include_usage: includeUsage } });
  const reader = createOpenAiReader(
    responseOrigin('openai', { model: 'gpt-4o' }),
    call,
    call.request.loadWriter,
  );
  const outputs = chunks.map((chunk) => reader.push(chunk));
  return { text: Buffer.concat([...outputs, reader.end()]).toString(), facts: reader.facts };
}

const head =
  'data: {"id":"c","object":"chat.completion.chunk","created":1767225600,"model":"gpt-4o-2024-08-06"';
const delta = `${head},"choices":[{"index":0,"delta":{"role":"assistant","content":"Hé"},"finish_reason":null}],"usage":null}`;
const stop = `${head},"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`;
const usage = `${head},"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`;
const done = 'data: [DONE]';
const stream = (...events: string[]) => events.map((event) => `${event}\n\n`).join('');
/** The order of fields does not matter. */
const parse = (text: string) => eventData(text).map((data) => parseJson(data) ?? data);
const tokens = { ...noUsage, freshInputTokens: 9, outputTokens: 3 };

describe('createOpenAiReader', () => {
  it('removes only the usage chunk when the caller did not request usage', () => {
    const { text, facts } = read([Buffer.from(stream(delta, stop, usage, done))]);
    expect(text).toBe(stream(delta, stop, done));
    expect(facts).toEqual({
      ...startReaderFacts(),
      started: true,
      finished: true,
      ended: true,
      responseModel: 'gpt-4o-2024-08-06',
      responseId: 'c',
      usage: tokens,
      finishReason: 'stop',
      unitCounts: {},
    });
  });

  it('passes the tier on that served the request, and keeps it', () => {
    const tier = (event: string) => event.replace('"model"', '"service_tier":"ultrafast","model"');
    const bytes = stream(tier(delta), tier(stop), tier(usage), done);
    expect(read([Buffer.from(bytes)], { includeUsage: true })).toMatchObject({
      text: bytes,
      facts: { serviceTier: 'ultrafast', usage: tokens },
    });
  });

  it('keeps the last tier of text chunks that are equal apart from it', () => {
    const text = (tier: string) =>
      `${head},"service_tier":"${tier}","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`;
    const bytes = stream(delta, text('default'), text('flex'), text('default'), text('default'));
    expect(read([Buffer.from(bytes)]).facts.serviceTier).toBe('default');
  });

  it('keeps a tier that OpenAI does not know, and replaces it by null for the caller', () => {
    const tier = (value: string) => stop.replace('"model"', `"service_tier":${value},"model"`);
    expect(read([Buffer.from(stream(delta, tier('"on_demand"'), usage, done))])).toMatchObject({
      text: stream(delta, tier('null'), done),
      facts: { serviceTier: 'on_demand' },
    });
  });

  it('shows the search of a search model before its usage', () => {
    const searching = delta.replace('gpt-4o-2024-08-06', 'gpt-5-search-api');
    expect(read([Buffer.from(stream(searching))]).facts).toMatchObject({
      usage: null,
      unitCounts: { webSearches: 1 },
    });
  });

  it('passes every byte through when the caller requested usage', () => {
    const bytes = stream(': hello', delta, stop, usage, done);
    expect(read([Buffer.from(bytes)], { includeUsage: true })).toMatchObject({
      text: bytes,
      facts: { usage: tokens },
    });
  });

  it('translates a stream the same wherever its bytes are split and however lines end', () => {
    const shapes = fc.record({
      end: fc.constantFrom('\n', '\r\n'),
      space: fc.constantFrom(' ', ''),
      includeUsage: fc.boolean(),
    });
    fc.assert(
      fc.property(shapes, splitAnywhere, ({ end, space, includeUsage }, split) => {
        const format = (...events: string[]) =>
          events.map((event) => event.replace('data: ', `data:${space}`) + end + end).join('');
        const comment = `: OPENROUTER PROCESSING`;
        const { text, facts } = read(split(Buffer.from(format(comment, delta, stop, usage, done))), {
          includeUsage,
        });
        const forwarded = includeUsage ? [comment, delta, stop, usage] : [comment, delta, stop];
        expect(text).toBe(`${format(...forwarded)}data: [DONE]\n\n`);
        expect(facts).toMatchObject({ usage: tokens, finishReason: 'stop', finished: true });
      }),
    );
  });

  it.each([
    [
      'beside choices',
      '"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}',
    ],
    [
      'in x_groq',
      '"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"r","usage":{"prompt_tokens":9,"completion_tokens":3}}}',
    ],
    [
      'inside a choice',
      '"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":9,"completion_tokens":3}}]}',
    ],
  ])('reads usage %s and passes the chunk through', (_, chunk) => {
    const bytes = stream(delta, `${head},${chunk}`, done);
    expect(read([Buffer.from(bytes)])).toMatchObject({
      text: bytes,
      facts: { usage: tokens, finishReason: 'stop' },
    });
  });

  it('reads the last usage that is not null, even after a chunk with empty choices', () => {
    const growing = usage.replace('"completion_tokens":3', '"completion_tokens":1');
    const empty = `${head},"choices":[],"prompt_filter_results":[]}`;
    const { text, facts } = read([Buffer.from(stream(empty, growing, delta, usage, stop, done))]);
    expect(facts.usage).toEqual(tokens);
    expect(text).toBe(stream(empty, delta, stop, done));
  });

  it('ignores usage, error and [DONE] inside the text of a completion', () => {
    const content = JSON.stringify('"usage":{"prompt_tokens":1} [DONE] "error":1 "role":"tool"');
    const textChunk = `${head},"choices":[{"index":0,"delta":{"content":${content}},"finish_reason":null}]}`;
    const bytes = stream(delta, textChunk, textChunk);
    expect(read([Buffer.from(bytes)])).toMatchObject({
      text: bytes,
      facts: { usage: null, finished: false },
    });
  });

  it.each(['', '\n', '\r\n'])('completes a last event that ends with %j', (ending) => {
    const { text, facts } = read([Buffer.from(stream(delta, stop) + done + ending)]);
    expect(facts.finished).toBe(true);
    expect(text.replaceAll('\r', '')).toBe(stream(delta, stop, done));
    expect(read([Buffer.from(stream(delta, stop, done).slice(0, -1))]).text).toBe(stream(delta, stop, done));
  });

  it('drops a truncated last event', () => {
    const { text, facts } = read([Buffer.from(stream(delta) + stop.slice(0, 40))]);
    expect(text).toBe(stream(delta));
    expect(facts).toMatchObject({ finished: false, started: true });
  });

  it.each([
    ['{"error":{"message":"Overloaded","code":"overloaded"}}', 'Overloaded'],
    ['{"error":"Overloaded"}', 'Overloaded'],
    ['{"object": "error", "message": "Overloaded"}', 'Overloaded'],
  ])('hides the error event %s and everything after it from the caller', (error, message) => {
    const { text, facts } = read([Buffer.from(stream(delta, `data: ${error}`, done))]);
    expect(text).toBe(stream(delta));
    expect(facts.error).toMatchObject({ code: 'provider_error', message });
  });

  it('reads the usage of an error event', () => {
    const failed = `data: ${JSON.stringify({ error: { message: 'x' }, choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } })}`;
    expect(read([Buffer.from(stream(delta, failed))]).facts).toMatchObject({
      usage: tokens,
      error: { message: 'x' },
    });
  });

  it.each(['""', 'false', 'null'])('ignores "error":%s', (emptyError) => {
    const chunk = delta.replace('"usage":null', `"error":${emptyError}`);
    expect(read([Buffer.from(stream(chunk, stop, done))])).toMatchObject({
      text: stream(chunk, stop, done),
      facts: { error: null, finished: true },
    });
  });

  it('removes a usage chunk without choices', () => {
    const withoutChoices = usage.replace('"choices":[],', '');
    expect(read([Buffer.from(stream(delta, stop, withoutChoices, done))])).toMatchObject({
      text: stream(delta, stop, done),
      facts: { usage: tokens },
    });
  });

  it('completes a stream without [DONE] once every choice has a finish reason', () => {
    const second = stop.replace('"index":0', '"index":1');
    expect(read([Buffer.from(stream(delta, stop))], { n: 2 }).facts.finished).toBe(false);
    expect(read([Buffer.from(stream(delta, stop, stop))], { n: 2 }).facts.finished).toBe(false);
    expect(read([Buffer.from(stream(delta, stop, second))], { n: 2 }).facts.finished).toBe(true);
    expect(read([Buffer.from(stream(delta, stop))]).facts.finished).toBe(true);
  });

  it('keeps the model of the first event', () => {
    const other = stop.replace('"id":"c"', '"id":"c","model":"other"');
    expect(read([Buffer.from(stream(delta, other, done))]).facts.responseModel).toBe('gpt-4o-2024-08-06');
  });

  it('finishes a choice without a finish reason at [DONE]', () => {
    const text = (content: string) =>
      `${head},"choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]}`;
    const finish = `${head},"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}`;
    const events = [delta, text(''), text('A'), text('B')];
    expect(parse(read([Buffer.from(stream(...events, done))]).text)).toEqual(
      parse(stream(...events, finish, done)),
    );
  });

  it('drops events with empty data, which clients would try to parse', () => {
    const bytes = Buffer.from(stream(delta, 'data:', 'data: ', stop, done));
    expect(read([bytes]).text).toBe(stream(delta, stop, done));
  });

  it.each(['data: null', 'data: [1]', 'data: {"id":', 'data: busy', 'event: x\ndata: 7'])(
    'ends the stream with provider_error for an event that is not a JSON object: %s',
    (event) => {
      const { text, facts } = read([Buffer.from(stream(delta, event, stop, done))]);
      expect(text).toBe(stream(delta));
      expect(facts).toMatchObject({
        started: true,
        finished: false,
        error: {
          code: 'provider_error',
          message: 'The provider openai sent an event that is not a JSON object',
        },
      });
    },
  );

  it('ends the stream with provider_error for a chunk nested too deep to normalize, and keeps earlier chunks', () => {
    const deep = (levels: number) =>
      `${head},"choices":[{"index":0,"delta":{},"finish_reason":"eos","x":${'['.repeat(levels)}${']'.repeat(levels)}}]}`;
    const { text, facts } = read([Buffer.from(stream(delta, deep(20_000), done))]);
    expect(text).toBe(stream(delta));
    expect(facts.error).toMatchObject({
      code: 'provider_error',
      message: 'The provider sent JSON that is nested too deeply',
    });
    expect(read([Buffer.from(stream(deep(20_000)))]).text).toBe('');
    expect(read([Buffer.from(stream(delta, deep(497), done))]).facts.error).toBeNull();
    expect(read([Buffer.from(stream(delta, deep(498), done))]).facts.error).not.toBeNull();
  });

  it('does not start the stream on empty data', () => {
    expect(read([Buffer.from('data:\n\ndata: \n\n')]).facts.started).toBe(false);
  });

  it('does not start the stream on comments', () => {
    expect(read([Buffer.from(': wait\n\n: wait\n\n')]).facts.started).toBe(false);
  });
});
