/** Compares the table of requests in `docs/providers/translation.md` with the code. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MediaPart } from '#lambdas/inference/completion/content.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { HostedTool } from '#lambdas/inference/completion/tools.ts';
import { toMessagesRequest } from '#lambdas/inference/providers/anthropic/request.ts';
import { toConverseRequest } from '#lambdas/inference/providers/bedrock/request.ts';
import { toGoogleRequest } from '#lambdas/inference/providers/google/request.ts';
import { renderChatRequest } from '#lambdas/inference/providers/openai/conversion/request.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { exampleClaudeModel } from '#test/support/providers/bedrock/call.ts';
import {
  assistant,
  call,
  functionTool,
  neutralRequest,
  reply,
  result,
  signature,
  system,
  text,
  thought,
  user,
} from '#test/support/providers/neutral-request.ts';
import { readRequest } from '#test/support/providers/provider-call.ts';
import { projectRoot } from '#test/support/source/modules.ts';

interface Feature {
  /** One for all providers, or one for each. */
  request: CompletionRequest | readonly CompletionRequest[];
  /** Found in the provider's request if the feature is carried. */
  carried: RegExp;
  /** The name under which it is reported. */
  name?: string;
}

const { names } = neutralRequest();

/** A chat request with these fields. */
const chat = (fields: JsonObject, carried: RegExp, name?: string): Feature => ({
  request: readRequest(fields),
  carried,
  ...(name !== undefined && { name }),
});

const turns = (carried: RegExp, name: string, ...given: CompletionRequest['turns']): Feature => ({
  request: neutralRequest({ tools: [functionTool('look')], turns: given }),
  carried,
  name,
});

const image: MediaPart = {
  type: 'media',
  medium: 'image',
  source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' },
  filename: null,
  detail: null,
  cacheControl: null,
  param: 'x',
};
const hosted = (api: HostedTool['api']): HostedTool => ({
  type: 'hosted',
  definition: { type: 'search_here' },
  api,
  param: 'tools[0]',
});
const part = (content: object) => ({ messages: [{ role: 'user', content: [content] }] });
const look = { type: 'function', function: { name: 'look', parameters: { type: 'object' }, strict: true } };
const schema = { type: 'object', properties: { forecast: { type: 'string' } } };
const afterCall = [user(result('a'))];

const features: Record<string, Feature> = {
  'text before calls': turns(
    /Well.*look/,
    names.content,
    user('Hi'),
    assistant(reply('Well'), call('a')),
    ...afterCall,
  ),
  'text after a call': turns(
    /look.*Well/,
    names.content,
    user('Hi'),
    assistant(call('a'), reply('Well')),
    ...afterCall,
  ),
  "Claude's signed thinking": turns(
    /Hm.*"s1"/,
    names.reasoning,
    user('Hi'),
    assistant(thought('Hm', signature('s1')), reply('Well')),
    user('And?'),
  ),
  "Gemini's signatures": turns(
    /"s1"/,
    names.reasoning,
    user('Hi'),
    assistant(reply('Well', signature('s1', 'google'))),
    user('And?'),
  ),
  'unsigned reasoning': turns(
    /Hm/,
    names.reasoning,
    user('Hi'),
    assistant(thought('Hm'), reply('Well')),
    user('And?'),
  ),
  'failed tool call': turns(
    /"is_error":true|"error":"Rain"|"status":"error"/,
    names.resultError,
    user('Hi'),
    assistant(call('a')),
    user(result('a', { isError: true })),
  ),
  'image in a tool result': turns(
    /AAAA/,
    names.content,
    user('Hi'),
    assistant(call('a')),
    user(result('a', { parts: [image] })),
  ),
  'instructions at the front': {
    request: neutralRequest({ system: [text('Be kind.')] }),
    carried: /Be kind\./,
    name: names.role,
  },
  'instructions between turns': turns(/"Be brief\."/, names.role, user('Hi'), system('Be brief.')),
  'function tool': { request: neutralRequest({ tools: [functionTool('look')] }), carried: /"look"/ },
  'strict tool': chat({ tools: [look] }, /"strict":true|"VALIDATED"/, names.strictTools),
  'tool in a namespace': {
    request: neutralRequest({ tools: [functionTool('read', { namespace: 'files' })] }),
    carried: /"files__read"/,
  },
  'custom tool': chat({ tools: [{ type: 'custom', custom: { name: 'write' } }] }, /"write"/),
  'tool that runs at the called provider': chat({ tools: [{ type: 'x', search_here: {} }] }, /search_here/),
  'tool that runs at another provider': {
    request: (['anthropic', 'google', 'bedrock', 'openai'] as const).map((api) =>
      neutralRequest({ tools: [hosted(api)] }),
    ),
    carried: /search_here/,
  },
  'cache breakpoint': chat(
    part({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }),
    /cache_control|cachePoint/,
    names.cacheControl,
  ),
  'stop sequence': chat({ stop: 'END' }, /"END"/),
  'JSON Schema of the completion': chat(
    { response_format: { type: 'json_schema', json_schema: { name: 's', schema } } },
    /forecast/,
  ),
  'two choices': chat({ n: 2 }, /"(n|candidateCount)":2/),
  'one call at a time': chat(
    { tools: [look], parallel_tool_calls: false },
    /"parallel_tool_calls":false|"disable_parallel_tool_use":true/,
  ),
  seed: chat({ seed: 7 }, /"seed":7/, names.seed),
  'end user': chat({ user: 'u-1' }, /u-1/, names.user),
  'log probabilities': chat({ logprobs: true }, /logprobs/i),
  'service tier': chat({ service_tier: 'flex' }, /flex/, 'service_tier'),
  'file name': chat(
    part({ type: 'file', file: { filename: 'plan.pdf', file_data: 'data:application/pdf;base64,AAAA' } }),
    /plan/,
    names.filename,
  ),
  'image at a URL': chat(
    part({ type: 'image_url', image_url: { url: 'https://x.example/y.png' } }),
    /y\.png/,
  ),
  'image detail': chat(
    part({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } }),
    /"low"/,
    names.imageDetail,
  ),
  audio: chat(part({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }), /AAAA/),
  video: chat(part({ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } }), /AAAA/),
  'invalid arguments of an earlier call': turns(
    /never/,
    names.callArguments,
    user('Hi'),
    assistant(call('a', { hasInvalidArguments: true })),
    ...afterCall,
  ),
};

/** In the order of the table's columns. */
const renderers: readonly ((request: CompletionRequest) => {
  body: JsonObject;
  ignored: readonly string[];
})[] = [
  (request) => {
    const entry = { requestRules: null, reasoningField: null, isOpenAi: true };
    return renderChatRequest(request, { provider: 'openai', model: 'm', stream: false, entry });
  },
  (request) =>
    toMessagesRequest(request, { provider: 'anthropic', model: 'claude-haiku-4-5', stream: false }),
  (request) => {
    const target = { provider: 'google', model: 'gemini-3.5-flash' };
    const { body, ignoredParameters } = toGoogleRequest(request, target);
    return { body, ignored: ignoredParameters };
  },
  (request) => toConverseRequest(request, { provider: 'bedrock', model: exampleClaudeModel }),
];

function outcomesOf(feature: Feature): string[] {
  const requests = [feature.request].flat();
  return renderers.map((render, column) => {
    const request = requests[column] ?? requests[0];
    if (request === undefined) throw new Error('A feature needs a request');
    return outcomeOf(feature, () => render(request));
  });
}

function outcomeOf({ carried, name }: Feature, render: () => ReturnType<(typeof renderers)[number]>): string {
  try {
    const { body, ignored } = render();
    if (name !== undefined && ignored.includes(name)) return 'reported';
    return carried.test(JSON.stringify(body)) ? 'carried' : 'left out';
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'unsupported_parameter') return 'error';
    throw error;
  }
}

const page = readFileSync(path.join(projectRoot, 'docs/providers/translation.md'), 'utf8');
const [, requests = ''] = page.split(/^## /m);
const rows = requests
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe('The table of requests', () => {
  it('has the features that are tested', () => {
    expect(rows.map(([feature]) => feature)).toEqual(Object.keys(features));
  });

  it.each(Object.entries(features))('states what becomes of: %s', (feature, tested) => {
    const [, , ...cells] = rows.find(([name]) => name === feature) ?? [];
    const stated = cells.map((cell) => /^(carried|reported|error|left out)\b/.exec(cell)?.[1]);
    expect(stated).toEqual(outcomesOf(tested));
  });
});
