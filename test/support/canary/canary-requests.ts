/** Chat requests full of canaries, and bad ones of every kind. */
import type { Canaries } from './canaries.ts';

export interface CanaryRequest {
  /** For messages. */
  name: string;
  path?: string;
  query?: string;
  method?: string;
  /** A text goes out as it is, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

const weather = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** Everything that a caller can say, in the forms that providers take and in one that none does. */
export function chatRequests(model: string, { content }: Canaries): CanaryRequest[] {
  const tools = [
    {
      type: 'function',
      function: { name: 'weather', description: content['tool description'], parameters: weather },
    },
  ];
  const call = { name: 'weather', arguments: JSON.stringify({ city: content['tool arguments'] }) };
  const system = { role: 'system', content: content.system };
  const question = { role: 'user', content: content.prompt };
  const loop = [
    {
      role: 'assistant',
      content: content.assistant,
      tool_calls: [{ id: 'call_000001', type: 'function', function: call }],
    },
    { role: 'tool', tool_call_id: 'call_000001', content: content['tool result'] },
  ];
  const data = Buffer.from(content.file).toString('base64');
  const files = [
    { type: 'text', text: content.prompt },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
    {
      type: 'file',
      file: { filename: `${content['file name']}.pdf`, file_data: `data:application/pdf;base64,${data}` },
    },
  ];
  const plain = { model, messages: [system, question] };
  const bodies = {
    'a question': plain,
    'a tool that may be called': { ...plain, tools },
    'a tool loop': { ...plain, messages: [system, question, ...loop], tools },
    files: { ...plain, messages: [system, { role: 'user', content: files }] },
    'an unknown parameter': {
      ...plain,
      unknown_parameter: content['unknown parameter'],
      user: content['unknown parameter'],
    },
  };
  return Object.entries(bodies).flatMap(([name, body]) => [
    { name, body },
    { name: `${name}, streamed`, body: { ...body, stream: true } },
  ]);
}

/** What every request brings beside its body; nothing of it is anybody's business. */
export function strangeHeaders({ content, unknownKey }: Canaries): Record<string, string> {
  return {
    'x-unknown': content['unknown header'],
    'x-forwarded-for': content['unknown header'],
    'x-api-key': unknownKey,
    cookie: `session=${content['unknown header']}`,
    'user-agent': content['unknown header'],
    referer: `https://example.com/?q=${content['query string']}`,
  };
}

/** Refused in the gateway's own words, before any provider hears of it. */
export function badRequests({ content, unknownKey }: Canaries): CanaryRequest[] {
  const broken = content['broken body'];
  const good = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: broken }] };
  const bodies: Record<string, unknown> = {
    'no JSON': broken,
    'half a body': `{"model":"openai/gpt-4o","messages":[{"role":"user","content":"${broken}`,
    'a list': [good],
    'a text': JSON.stringify(broken),
    'no messages': { model: 'openai/gpt-4o', prompt: broken },
    'messages that are a text': { ...good, messages: broken },
    'no model': { messages: good.messages },
    'a model that is an object': { ...good, model: { name: broken } },
    'a provider that there is not': { ...good, model: 'nosuch/model' },
    'a provider without a credential': { ...good, model: 'perplexity/sonar' },
    'a stream flag that is a text': { ...good, stream: broken },
    'a body that is nested too deep': `{"model":"openai/gpt-4o","messages":${'['.repeat(500)}"${broken}"${']'.repeat(500)}}`,
    'a body that is too large': broken.repeat(180_000),
    'a content that Anthropic cannot be given': {
      ...good,
      model: 'anthropic/claude-sonnet-4-5',
      messages: [{ role: broken, content: broken }],
    },
    'a tool that Google cannot be given': {
      ...good,
      model: 'google/gemini-2.5-flash',
      tools: broken,
      n: broken,
    },
    'a file that Bedrock cannot be given': {
      ...good,
      model: 'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      messages: [
        { role: 'user', content: [{ type: 'file', file: { filename: broken, file_data: broken } }] },
      ],
    },
  };
  const bearer = (authorization: string) => ({ headers: { authorization } });
  return [
    ...Object.entries(bodies).map(([name, body]) => ({ name, body })),
    { name: 'a body that is compressed', body: broken, headers: { 'content-encoding': 'gzip' } },
    { name: 'metadata that is too long', body: good, headers: { 'gateway-user-id': broken.repeat(10) } },
    { name: 'no route', path: '/ai/nothing', body: good },
    { name: 'another method', method: 'PUT', body: good },
    { name: 'no key', body: good, ...bearer('') },
    { name: 'an unknown key', body: good, ...bearer(`Bearer ${unknownKey}`) },
    { name: 'a key in the wrong form', body: good, ...bearer(`Basic ${unknownKey}`) },
    { name: 'two keys', body: good, ...bearer(`Bearer ${unknownKey}, Bearer ${unknownKey}`) },
    { name: 'a key in the query string', body: good, query: `api_key=${unknownKey}`, ...bearer('') },
  ];
}

/** Of the reports and the models, good ones and bad ones. */
export function reportRequests({ content, unknownKey }: Canaries): CanaryRequest[] {
  const text = content['query string'];
  const headers = { authorization: `Bearer ${unknownKey}` };
  const queries = [
    ...['', 'limit=1', 'status=200', `session_id=${text}&provider=openai`, `user_id=${text}&user_id=${text}`],
    ...['start', 'end', 'limit', 'offset', 'cursor', 'status', 'user_id', 'model'].map(
      (it) => `${it}=${text}`,
    ),
    `user_id=${text.repeat(9)}`,
  ];
  const costs = [
    '',
    'group_by=user_id',
    ...['model', 'start', 'group_by', 'interval'].map((it) => `${it}=${text}`),
  ];
  return [
    ...queries.map((query) => ({ name: 'logs', path: '/api/logs', query })),
    ...costs.map((query) => ({ name: 'costs', path: '/api/costs', query })),
    { name: 'a log entry', path: '/api/logs/01990000-0000-7000-8000-000000000000', query: `x=${text}` },
    { name: 'models', path: '/ai/models', query: `x=${text}` },
    { name: 'models without a key', path: '/ai/models', headers },
    { name: 'logs without a key', path: '/api/logs', query: `user_id=${text}`, headers },
  ].map((request) => ({ method: 'GET', ...request }));
}
