/** The API of a provider that serves a request of chat or messages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import {
  type NativeGateway,
  type NativeGateways,
  providerKey,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';

let gateways: NativeGateways;
beforeAll(async () => {
  gateways = await startNativeGateways();
});
afterAll(() => gateways.stop());

type Operation = 'chat/completions' | 'messages';

const started = new Map<string, Promise<NativeGateway>>();

/** The path below the base URL to which a request is sent. */
async function pathOf(
  operation: Operation,
  model: string,
  fields: object,
  settings: ProviderSettings = {},
): Promise<string> {
  const [provider = ''] = model.split('/');
  const key = JSON.stringify([operation, provider, settings]);
  const starting =
    started.get(key) ??
    gateways.start({
      path: `/ai/v1/${operation}`,
      settingsOf: (baseUrl) => ({ [provider]: { baseUrl, ...settings } }),
      credentials: { [provider]: { api_key: providerKey } },
    });
  started.set(key, starting);
  const { exchange } = await starting;
  const refuse = jsonResponse({ error: { message: 'No' } }, { status: 400 });
  const body = { model, max_tokens: 1024, messages: [{ role: 'user', content: 'Hi' }], ...fields };
  const { request } = await exchange(refuse, body);
  return request.url;
}

const chatPath = '/chat/completions';
const responsesPath = '/responses';

describe.each(['openai', 'azure'])('At %s', (provider) => {
  it.each([
    ...[
      'gpt-5-pro',
      'gpt-5-pro-2025-10-06',
      'gpt-5.2-pro',
      'gpt-5-4-pro',
      'gpt-5.5-pro',
      'o1-pro',
      'o3-pro-2025-06-10',
    ],
    ...['gpt-5-codex', 'gpt-5.1-codex-max', 'gpt-5.3-codex', 'codex-mini-latest', 'computer-use-preview'],
    ...['o3-deep-research', 'o4-mini-deep-research-2025-06-26'],
  ])('%s has only the Responses API', async (model) => {
    expect(await pathOf('chat/completions', `${provider}/${model}`, {})).toBe(responsesPath);
    expect(await pathOf('messages', `${provider}/${model}`, {})).toBe(responsesPath);
  });
});

describe('A request of chat', () => {
  const tools = [{ type: 'function', function: { name: 'look' } }];
  const custom = [{ type: 'custom', custom: { name: 'patch' } }];

  it.each<[string, object, string]>([
    // Models that take functions beside any effort.
    ['gpt-4o', { tools }, chatPath],
    ['gpt-5', { tools, reasoning_effort: 'high' }, chatPath],
    ['gpt-5-2025-08-07', { tools, reasoning_effort: 'high' }, chatPath],
    ['gpt-5.2', { tools, reasoning_effort: 'high' }, chatPath],
    ['gpt-5.3-chat-latest', { tools }, chatPath],
    ['gpt-oss-120b', { tools, reasoning_effort: 'high' }, chatPath],
    ['o3', { tools, reasoning_effort: 'high' }, chatPath],
    // Models that do not reason unless the request asks for it.
    ['gpt-5.4', {}, chatPath],
    ['gpt-5.4', { tools }, chatPath],
    ['gpt-5.4', { tools, reasoning_effort: 'none' }, chatPath],
    ['gpt-5.4', { reasoning_effort: 'high' }, chatPath],
    ['gpt-5.4', { tools, reasoning_effort: 'low' }, responsesPath],
    ['gpt-5-4-mini', { tools, reasoning_effort: 'low' }, responsesPath],
    ['gpt-5.5-2026-04-23', { tools: custom, reasoning_effort: 'low' }, responsesPath],
    // Models that reason by default.
    ['gpt-5.6-terra', {}, chatPath],
    ['gpt-5.6-terra', { tools: [] }, chatPath],
    ['gpt-5.6-terra', { reasoning_effort: 'high' }, chatPath],
    ['gpt-5.6-terra', { tools, reasoning_effort: 'none' }, chatPath],
    ['gpt-5.6-terra', { tools }, responsesPath],
    ['gpt-6-astra', { tools: custom }, responsesPath],
    ['gpt-6.1-sol', { tools, reasoning_effort: null }, responsesPath],
  ])('for %s with %j is sent to %s', async (model, fields, path) => {
    expect(await pathOf('chat/completions', `openai/${model}`, fields)).toBe(path);
  });
});

describe('A request of messages', () => {
  const tools = [{ name: 'look', input_schema: { type: 'object' } }];
  const thinking = { type: 'adaptive' };

  it.each<[string, object, string]>([
    ['gpt-5.2', { tools, thinking }, chatPath],
    ['gpt-5.4', { tools }, chatPath],
    ['gpt-5.4', { thinking }, chatPath],
    ['gpt-5.4', { tools, thinking }, responsesPath],
    ['gpt-5.6-sol', { tools }, responsesPath],
    ['gpt-5.6-sol', { tools, thinking: { type: 'disabled' } }, chatPath],
    ['gpt-6-luna', { tools, output_config: { effort: 'low' } }, responsesPath],
  ])('for %s with %j is sent to %s', async (model, fields, path) => {
    expect(await pathOf('messages', `openai/${model}`, fields)).toBe(path);
  });
});

describe('The setting completionsApi', () => {
  const responses: ProviderSettings = { completionsApi: 'responses' };

  it.each<[string, ProviderSettings, object, string]>([
    ['openai/gpt-4o', responses, {}, responsesPath],
    ['xai/grok-4', responses, {}, responsesPath],
    ['xai/gpt-5-pro', {}, {}, chatPath],
    ['lm-studio/qwen', { ...responses, operations: { responses: '/v1/responses' } }, {}, '/v1/responses'],
    ['lm-studio/gpt-5-pro', {}, {}, chatPath],
    ['openai/gpt-5-pro', { completionsApi: 'chat.completions' }, {}, chatPath],
    ['openai/gpt-5-pro', { operations: { responses: false } }, {}, chatPath],
    [
      'openrouter/openai/gpt-5.6-sol',
      {},
      { tools: [{ type: 'function', function: { name: 'f' } }] },
      chatPath,
    ],
  ])('decides for %s with %j', async (model, settings, fields, path) => {
    expect(await pathOf('chat/completions', model, fields, settings)).toBe(path);
  });

  it('does not concern a provider with the Messages API', async () => {
    expect(await pathOf('messages', 'openrouter/gpt', {}, responses)).toBe('/messages');
    expect(await pathOf('messages', 'deepseek/deepseek-chat', {}, responses)).toBe('/anthropic/v1/messages');
  });
});
