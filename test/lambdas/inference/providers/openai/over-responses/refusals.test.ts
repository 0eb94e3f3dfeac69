/** Requests of chat and messages that OpenAI refuses as requests of the Responses API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectOrEmpty } from '#lambdas/platform/json/json.ts';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
});
afterAll(() => gateways.stop());

const chat = { path: '/ai/v1/chat/completions' };
const turn = { items: [{ type: 'message', text: 'Hi' }], usage: { input: 19, output: 5 } } as const;
const thinking = { thinking: { type: 'adaptive' } };

/** A field of all requests that the provider has received. */
function received({ upstream }: TranslatedGateway, field: string): unknown[] {
  return upstream.requests.map(({ body }) => JSON.parse(body.toString())[field]);
}

describe('A request', () => {
  it('of an unverified organization is sent again without a summary, and later ones at once', async () => {
    const gateway = await gateways.start('openai');
    const ask = (model: string) => gateway.ask({ ...thinking, model }, { turn, isUnverified: true });

    const results = [
      await ask('openai/gpt-5.5-pro'),
      await ask('openai/gpt-5.5-pro'),
      await ask('openai/o3-pro'),
    ];

    const effort = { effort: 'high' };
    const summarized = { ...effort, summary: 'auto' };
    expect(received(gateway, 'reasoning')).toEqual([summarized, effort, effort, summarized, effort]);
    expect(results.map(({ status, ignored }) => [status, ignored])).toEqual(
      Array(3).fill([200, ['thinking.display']]),
    );
    expect(results[0]?.entry).toMatchObject({ outcome: 'completed', retries: null });
  });

  it('to a model that takes other efforts is sent again without one, and later ones with the same effort at once', async () => {
    const gateway = await gateways.start('openai', chat);
    const ask = (reasoning_effort: string) =>
      gateway.ask({ model: 'openai/gpt-5-pro', reasoning_effort }, { turn });

    const results = [await ask('low'), await ask('low'), await ask('high')];

    expect(received(gateway, 'reasoning')).toEqual([
      { effort: 'low' },
      undefined,
      undefined,
      { effort: 'high' },
    ]);
    expect(results.map(({ status, ignored }) => [status, ignored])).toEqual([
      [200, ['reasoning_effort']],
      [200, ['reasoning_effort']],
      [200, []],
    ]);
  });

  it('to a model that does not reason is sent again without all that is about reasoning', async () => {
    const settings = { openai: { completionsApi: 'responses' as const } };
    const gateway = await gateways.start('openai', { settings });
    const ask = () => gateway.ask({ ...thinking, model: 'openai/gpt-4o' }, { turn });

    const results = [await ask(), await ask()];

    const sent = received(gateway, 'reasoning').map((reasoning, at) => [
      reasoning,
      received(gateway, 'include')[at],
    ]);
    const include = ['reasoning.encrypted_content'];
    expect(sent).toEqual([
      [{ effort: 'high', summary: 'auto' }, include],
      [{ summary: 'auto' }, include],
      [undefined, include],
      [undefined, []],
      [undefined, []],
    ]);
    expect(results.map(({ status, ignored }) => [status, ignored])).toEqual(
      Array(2).fill([200, ['thinking', 'thinking.display']]),
    );
  });
});

describe('An error', () => {
  it.each<[string, string | null]>([
    ['max_output_tokens', 'max_completion_tokens'],
    ['input[0].content[0].text', 'messages'],
    ['instructions', 'messages'],
    ['text.format.schema', 'response_format'],
    ['text.verbosity', 'verbosity'],
    ['tools[0].parameters', 'tools'],
    ['tool_choice', null],
    ['safety_identifier', 'user'],
    ['truncation', 'truncation'],
    ['inputs', null],
    ['include', null],
  ])('about %s names %s for a caller of chat', async (param, expected) => {
    const { ask } = await gateways.start('openai', chat);
    const error = {
      message: 'This value is not accepted.',
      type: 'invalid_request_error',
      param,
      code: 'invalid_value',
    };

    const { status, body } = await ask(
      {
        model: 'openai/gpt-5.5-pro',
        max_completion_tokens: 100,
        response_format: { type: 'json_object' },
        verbosity: 'low',
        tools: [{ type: 'function', function: { name: 'f' } }],
        user: 'ada',
        truncation: 'auto',
      },
      jsonResponse({ error }, { status: 400 }),
    );

    expect([status, body.error]).toEqual([400, { ...error, param: expected }]);
  });

  it('about the summary names the caller’s field, if the request has none', async () => {
    const { ask } = await gateways.start('openai', chat);
    const message = "Unsupported value: 'reasoning.summary'.";
    const refuse = jsonResponse({ error: { message, param: 'reasoning.summary' } }, { status: 400 });

    const { body } = await ask({ model: 'openai/gpt-5.5-pro' }, refuse);

    expect(objectOrEmpty(body.error).param).toBe('reasoning_effort');
  });

  it('of a context that is full has the code on which agents compact, and names the messages', async () => {
    const { ask } = await gateways.start('openai', chat);
    const message =
      'Your input exceeds the context window of this model. Please adjust your input and try again.';
    const error = { message, type: 'invalid_request_error', param: 'input', code: 'context_length_exceeded' };

    const { body } = await ask({ model: 'openai/gpt-5.5-pro' }, jsonResponse({ error }, { status: 400 }));

    expect(body.error).toEqual({ ...error, param: 'messages' });
  });

  it('is in the format of messages for their callers', async () => {
    const { ask } = await gateways.start('openai');
    const { status, body, entry } = await ask(
      { model: 'openai/gpt-5.5-pro' },
      jsonResponse({ error: { message: 'Slow down', code: 'rate_limit_exceeded' } }, { status: 429 }),
    );

    expect([status, body]).toEqual([
      429,
      { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' }, request_id: entry.id },
    ]);
  });
});
