/** What each fake of the OpenAI format refuses, and the accent of its answers. */
import { describe, expect, it } from 'vitest';
import { assembleStream } from '../../openai-schema/openai-schema.ts';
import { startAzureUpstream } from '../dialects/azure-protocol.ts';
import { startBareUpstream } from '../dialects/bare-protocol.ts';
import { startCerebrasUpstream } from '../dialects/cerebras-protocol.ts';
import { startCohereUpstream } from '../dialects/cohere-protocol.ts';
import { startDeepSeekUpstream } from '../dialects/deepseek-protocol.ts';
import { startFireworksUpstream } from '../dialects/fireworks-protocol.ts';
import { startGroqUpstream } from '../dialects/groq-protocol.ts';
import { startMistralUpstream } from '../dialects/mistral-protocol.ts';
import { startNvidiaUpstream } from '../dialects/nvidia-protocol.ts';
import { startOpenRouterUpstream } from '../dialects/openrouter-protocol.ts';
import { startTogetherUpstream } from '../dialects/together-protocol.ts';
import { startXaiUpstream } from '../dialects/xai-protocol.ts';
import { fixturesOf } from '../fixture.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import type { Upstream } from '../upstream.ts';

interface DialectCase {
  start(behaviour: ProviderBehaviour): Promise<Upstream<ProviderBehaviour>>;
  /** Status and a part of the body. */
  wrongKey: [number, string];
  unknownModel: [number, string];
  /** What only this provider's streams look like. */
  accent: string;
}

const dialects: Record<string, DialectCase> = {
  azure: {
    start: startAzureUpstream,
    wrongKey: [401, '"code":"401"'],
    unknownModel: [404, '"code":"DeploymentNotFound"'],
    accent: 'data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":',
  },
  mistral: {
    start: startMistralUpstream,
    wrongKey: [401, '{"detail":"Unauthorized"}'],
    unknownModel: [400, '"type":"invalid_model"'],
    accent: '"delta":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":19',
  },
  groq: {
    start: startGroqUpstream,
    wrongKey: [401, '"code":"invalid_api_key"'],
    unknownModel: [404, '"code":"model_not_found"'],
    accent: '"x_groq":{"id":"req_01kh52nj5yfcat8hrmvrk2j2hj","usage":{"queue_time":',
  },
  together: {
    start: startTogetherUpstream,
    wrongKey: [401, '"code":"invalid_api_key"'],
    unknownModel: [404, '"code":"model_not_available"'],
    accent: '"finish_reason":"eos"',
  },
  fireworks: {
    start: startFireworksUpstream,
    wrongKey: [401, '"code":"UNAUTHORIZED"'],
    unknownModel: [404, '"code":"NOT_FOUND"'],
    accent: '"finish_reason":"stop"}],"usage":{"prompt_tokens":19',
  },
  deepseek: {
    start: startDeepSeekUpstream,
    wrongKey: [401, '"type":"authentication_error"'],
    unknownModel: [400, '"message":"Model Not Exist"'],
    accent: ': keep-alive\n\n',
  },
  xai: {
    start: startXaiUpstream,
    wrongKey: [400, '"error":"Incorrect API key provided: xa***ng'],
    unknownModel: [404, '"error":"The model no-such-model does not exist'],
    accent: '"choices":[{"index":0,"delta":{"content":" there"}}]',
  },
  cerebras: {
    start: startCerebrasUpstream,
    wrongKey: [401, '"code":"wrong_api_key"'],
    unknownModel: [404, '"code":"model_not_found"'],
    accent: '"time_info":{',
  },
  openrouter: {
    start: startOpenRouterUpstream,
    wrongKey: [401, '"code":401'],
    unknownModel: [400, 'no-such-model is not a valid model ID'],
    accent: ': OPENROUTER PROCESSING\n\n',
  },
  nvidia: {
    start: startNvidiaUpstream,
    wrongKey: [401, '"title":"Unauthorized"'],
    unknownModel: [404, '"code":404'],
    accent: '"reasoning_content":null',
  },
  cohere: {
    start: startCohereUpstream,
    wrongKey: [401, '"message":"invalid api token"'],
    unknownModel: [404, "model 'no-such-model' not found"],
    accent: '"choices":[{"index":0,"finish_reason":null,"delta":{"content":" there"}}]',
  },
  bare: {
    start: startBareUpstream,
    wrongKey: [401, '{"error":"unauthorized"}'],
    unknownModel: [404, 'not found'],
    accent: 'data: {"id":"cmpl-1","model":"a-model","choices":[{"delta":{"content":" there"}}]}',
  },
};

const question = { model: 'a-model', messages: [{ role: 'user', content: 'Hi' }] };
const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];

function poster(upstream: Upstream<ProviderBehaviour>, apiKey = 'sk-right') {
  return (body: object) =>
    fetch(`${upstream.baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...question, ...body }),
      headers: { authorization: `Bearer ${apiKey}`, 'api-key': apiKey },
    });
}

describe.each(Object.entries(dialects))('%s', (name, { start, wrongKey, unknownModel, accent }) => {
  it('refuses a wrong key and a model that it does not have', async () => {
    const upstream = await start({ expectedApiKey: 'sk-right', unknownModels: ['no-such-model'] });
    const refusals = [
      await poster(upstream, 'sk-wrong')({}),
      await poster(upstream)({ model: 'no-such-model' }),
    ];

    for (const [place, [status, part]] of [wrongKey, unknownModel].entries()) {
      expect(refusals[place]?.status).toBe(status);
      expect(await refusals[place]?.text()).toContain(part);
    }
    await upstream.stop();
  });

  it('answers with an accent of its own, whole and streamed', async () => {
    const upstream = await start({});
    const post = poster(upstream);
    const stream = await (await post({ stream: true })).text();

    expect(await (await post({})).text()).toContain('"content":"Hello there, I am here."');
    expect(stream).toContain(accent);
    expect(assembleStream(stream).choices[0]?.message.content).toBe('Hello there, I am here.');
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true);
    await upstream.stop();
  });

  it('calls the tool that it was given', async () => {
    const upstream = await start({});
    const post = poster(upstream);
    const [choice] = assembleStream(await (await post({ tools, stream: true })).text()).choices;

    expect(await (await post({ tools })).text()).toContain('"arguments":"{\\"city\\":\\"Oslo\\"}"');
    expect(choice?.message.tool_calls?.[0]?.function).toEqual({
      name: 'weather',
      arguments: '{"city":"Oslo"}',
    });
    await upstream.stop();
  });

  it('replays its fixtures', async () => {
    const fixture = fixturesOf(name).get('text');
    const upstream = await start({ ...(fixture && { fixture }) });
    const post = poster(upstream);

    expect(await (await post({})).json()).toEqual(fixture?.plain?.body);
    expect(assembleStream(await (await post({ stream: true })).text()).choices[0]?.message.content).toBe(
      'Oslo is the capital of Norway.',
    );
    await upstream.stop();
  });
});

describe('Mistral refuses', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } });
  const user = { role: 'user', content: 'Hi' };
  const forbidden = (loc: unknown[], input: unknown) => ({
    detail: [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted', input }],
  });
  const said = (status: number, message: string, type: string, code: string) => ({
    object: 'error',
    message,
    type,
    code,
    param: null,
    raw_status_code: status,
  });

  it.each([
    ['stream options', { stream: true, stream_options: {} }, 422, forbidden(['body', 'stream_options'], {})],
    ['a newer name', { max_completion_tokens: 9 }, 422, forbidden(['body', 'max_completion_tokens'], 9)],
    [
      'thoughts that come back',
      { messages: [user, { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' }, user] },
      422,
      forbidden(['body', 'messages', 1, 'assistant', 'reasoning_content'], 'Hm'),
    ],
    [
      'a refusal that was none',
      { messages: [user, { role: 'assistant', content: 'Hi', refusal: null }, user] },
      422,
      forbidden(['body', 'messages', 1, 'assistant', 'refusal'], null),
    ],
    [
      'ids of others',
      {
        messages: [
          user,
          { role: 'assistant', tool_calls: [call('call_1')] },
          { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
        ],
      },
      400,
      said(
        400,
        'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.',
        'invalid_function_call',
        '3280',
      ),
    ],
    [
      'a call without a result',
      { messages: [user, { role: 'assistant', tool_calls: [call('abcDEF123')] }, user] },
      400,
      said(
        400,
        'Not the same number of function calls and responses',
        'invalid_request_message_order',
        '3230',
      ),
    ],
    [
      'a result without a call',
      { messages: [user, { role: 'tool', tool_call_id: 'abcDEF123', content: 'Rain' }] },
      400,
      said(400, "Unexpected role 'tool' after role 'user'", 'invalid_request_message_order', '3230'),
    ],
  ])('%s', async (_case, body, status, expected) => {
    const upstream = await startMistralUpstream();

    const response = await poster(upstream)(body);

    expect(response.status).toBe(status);
    expect(await response.json()).toEqual(expected);
    await upstream.stop();
  });

  it('a role that it does not know', async () => {
    const upstream = await startMistralUpstream();

    const response = await poster(upstream)({ messages: [{ role: 'developer', content: 'Be brief' }] });

    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [{ type: 'union_tag_invalid' }] });
    await upstream.stop();
  });
});

const user = { role: 'user', content: 'Hi' };
const thinking = { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' };
const refusing = { role: 'assistant', content: 'Hi', refusal: null };
const marked = { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: {} }] };
const instructing = { role: 'developer', content: 'Be brief' };
it.each([
  ['groq', [user, thinking], "'messages.1' : property 'reasoning_content' is unsupported"],
  ['groq', [user, refusing], "'messages.1' : property 'refusal' is unsupported"],
  ['cerebras', [user, thinking], "property 'messages.1.assistant.reasoning_content' is unsupported"],
  ['cerebras', [instructing], "property 'messages.0.developer.role' is unsupported"],
  ['fireworks', [user, refusing], "Extra inputs are not permitted, field: 'messages[1].refusal'"],
  ['fireworks', [marked], "Extra inputs are not permitted, field: 'messages[0].content.0.cache_control'"],
  ['deepseek', [instructing], 'messages[0].role: unknown variant `developer`, expected one of `system`'],
])('%s refuses what it does not know: %j', async (name, messages, said) => {
  const upstream = await dialects[name]?.start({});
  if (upstream === undefined) throw new Error(`There is no fake of ${name}`);

  const response = await poster(upstream)({ messages });

  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(said)]);
  await upstream.stop();
});

it('Cohere refuses stream options', async () => {
  const upstream = await startCohereUpstream();

  expect((await poster(upstream)({ stream: true, stream_options: { include_usage: true } })).status).toBe(
    422,
  );
  await upstream.stop();
});

it('Groq refuses JSON mode with tools', async () => {
  const upstream = await startGroqUpstream();

  expect((await poster(upstream)({ tools, response_format: { type: 'json_object' } })).status).toBe(400);
  await upstream.stop();
});
