import type { PlantedSecrets } from './secrets.ts';

export interface RequestWithSecrets {
  name: string;
  path?: string;
  query?: string;
  method?: string;
  /** A string is sent as it is, any other value as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The header with the key of the gateway. Default: `authorization`. */
  keyHeader?: 'x-api-key';
}

const weather = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** Valid chat requests with planted secrets in all content, and one with an unknown parameter. */
export function chatRequests(model: string, { content }: PlantedSecrets): RequestWithSecrets[] {
  const tools = [
    {
      type: 'function',
      function: { name: 'weather', description: content['tool description'], parameters: weather },
    },
  ];
  const call = { name: 'weather', arguments: JSON.stringify({ city: content['tool arguments'] }) };
  const system = { role: 'system', content: content.system };
  const userMessage = { role: 'user', content: content.prompt };
  const toolLoop = [
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
  const plain = { model, messages: [system, userMessage] };
  const bodies = {
    'a plain request': plain,
    'a tool that may be called': { ...plain, tools },
    'a tool loop': { ...plain, messages: [system, userMessage, ...toolLoop], tools },
    files: { ...plain, messages: [system, { role: 'user', content: files }] },
    'an unknown parameter': {
      ...plain,
      unknown_parameter: content['unknown parameter'],
      user: content['unknown parameter'],
    },
  };
  return Object.entries(bodies).flatMap(([name, body]) => [
    { name, body },
    { name: `${name}, streaming`, body: { ...body, stream: true }, keyHeader: 'x-api-key' },
  ]);
}

/** Valid Messages requests to a provider without that API, with planted secrets in all content. */
export function translatedRequests(model: string, { content }: PlantedSecrets): RequestWithSecrets[] {
  const [toolUseId, thinking] = ['toolu_1', { type: 'thinking', thinking: content.reasoning, signature: '' }];
  const body = {
    model,
    max_tokens: 100,
    system: content.system,
    tools: [{ name: 'weather', description: content['tool description'], input_schema: weather }],
    metadata: { user_id: content['unknown parameter'] },
    messages: [
      { role: 'user', content: content.prompt },
      {
        role: 'assistant',
        content: [
          thinking,
          { type: 'text', text: content.assistant },
          { type: 'tool_use', id: toolUseId, name: 'weather', input: { city: content['tool arguments'] } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: toolUseId, content: content['tool result'] }],
      },
    ],
  };
  return [false, true].map((stream) => ({
    name: `a message of ${model}${stream ? ', streaming' : ''}`,
    path: '/ai/messages',
    body: { ...body, stream },
  }));
}

/** Requests that are forwarded byte for byte, with planted secrets in all content, and the provider's responses to them. */
export function nativeRequests({ content }: PlantedSecrets): (RequestWithSecrets & { response: object })[] {
  const call = { name: 'weather', arguments: JSON.stringify({ city: content['tool arguments'] }) };
  const tool = { name: 'weather', description: content['tool description'] };
  const responses = {
    model: 'openai/gpt-5.5',
    instructions: content.system,
    input: [
      { role: 'user', content: content.prompt },
      { type: 'function_call', call_id: 'call_1', ...call },
      { type: 'function_call_output', call_id: 'call_1', output: content['tool result'] },
    ],
    tools: [{ type: 'function', ...tool, parameters: weather }],
  };
  const text = { type: 'output_text', text: content.completion, annotations: [], logprobs: [] };
  const response = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [{ id: 'msg_1', type: 'message', role: 'assistant', content: [text] }],
    instructions: content.system,
    usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
  };
  const error = { code: 'server_error', message: `${content["provider's error"]} ${content.prompt}` };
  const messages = {
    model: 'anthropic/claude-sonnet-4-5',
    max_tokens: 100,
    system: content.system,
    messages: [{ role: 'user', content: content.prompt }],
    tools: [{ ...tool, input_schema: weather }],
  };
  const message = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: content.completion }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 5, output_tokens: 5 },
  };
  const failed = { ...response, status: 'failed', error };
  return [
    { name: 'a response', path: '/ai/responses', body: responses, response },
    { name: 'a failed response', path: '/ai/responses', body: responses, response: failed },
    { name: 'an error of a response', path: '/ai/responses', body: responses, response: { error } },
    { name: 'a message', path: '/ai/messages', body: messages, response: message },
    {
      name: 'an error of a message',
      path: '/ai/messages',
      body: messages,
      response: { type: 'error', error },
    },
  ];
}

/** Headers that every request has. None of their values may be forwarded or written. */
export function extraHeaders({ content, unknownKey }: PlantedSecrets): Record<string, string> {
  return {
    'x-unknown': content['unknown header'],
    'x-forwarded-for': content['unknown header'],
    'x-api-key': unknownKey,
    cookie: `session=${content['unknown header']}`,
    'user-agent': content['unknown header'],
    referer: `https://example.com/?q=${content['query string']}`,
  };
}

export function invalidRequests({ content, unknownKey }: PlantedSecrets): RequestWithSecrets[] {
  const text = content['malformed body'];
  const valid = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: text }] };
  const bodies: Record<string, unknown> = {
    'no JSON': text,
    'a truncated body': `{"model":"openai/gpt-4o","messages":[{"role":"user","content":"${text}`,
    'an array': [valid],
    'a string': JSON.stringify(text),
    'no messages': { model: 'openai/gpt-4o', prompt: text },
    'messages that are a string': { ...valid, messages: text },
    'no model': { messages: valid.messages },
    'a model that is an object': { ...valid, model: { name: text } },
    'an unknown provider': { ...valid, model: 'nosuch/model' },
    'a provider without a credential': { ...valid, model: 'perplexity/sonar' },
    'a stream flag that is a string': { ...valid, stream: text },
    'a body that is too deeply nested': `{"model":"openai/gpt-4o","messages":${'['.repeat(500)}"${text}"${']'.repeat(500)}}`,
    'a body that is too large': text.repeat(180_000),
    'content that cannot be translated for Anthropic': {
      ...valid,
      model: 'anthropic/claude-sonnet-4-5',
      messages: [{ role: text, content: text }],
    },
    'a tool that cannot be translated for Google': {
      ...valid,
      model: 'google/gemini-2.5-flash',
      tools: text,
      n: text,
    },
    'a file that cannot be translated for Bedrock': {
      ...valid,
      model: 'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      messages: [{ role: 'user', content: [{ type: 'file', file: { filename: text, file_data: text } }] }],
    },
  };
  const bearer = (authorization: string) => ({ headers: { authorization } });
  return [
    ...Object.entries(bodies).map(([name, body]) => ({ name, body })),
    { name: 'a compressed body', body: text, headers: { 'content-encoding': 'gzip' } },
    { name: 'metadata that is too long', body: valid, headers: { 'gateway-user-id': text.repeat(10) } },
    { name: 'an unknown route', path: '/ai/nothing', body: valid },
    { name: 'another method', method: 'PUT', body: valid },
    { name: 'no key', body: valid, ...bearer('') },
    { name: 'an unknown key', body: valid, ...bearer(`Bearer ${unknownKey}`) },
    {
      name: 'an unknown key in x-api-key',
      body: valid,
      headers: { authorization: '', 'x-api-key': unknownKey },
    },
    { name: 'a key in the wrong form', body: valid, ...bearer(`Basic ${unknownKey}`) },
    { name: 'two keys', body: valid, ...bearer(`Bearer ${unknownKey}, Bearer ${unknownKey}`) },
    { name: 'a key in the query string', body: valid, query: `api_key=${unknownKey}`, ...bearer('') },
  ];
}

export function reportRequests({ content, unknownKey }: PlantedSecrets): RequestWithSecrets[] {
  const text = content['query string'];
  const headers = { authorization: `Bearer ${unknownKey}` };
  const anthropicVersion = { 'anthropic-version': '2023-06-01' };
  const queries = [
    '',
    'limit=1',
    'status=200',
    `session_id=${text}&provider=openai`,
    `user_id=${text}&user_id=${text}`,
    ...['start', 'end', 'limit', 'offset', 'cursor', 'status', 'user_id', 'model'].map(
      (name) => `${name}=${text}`,
    ),
    `user_id=${text.repeat(9)}`,
  ];
  const costs = [
    '',
    'group_by=user_id',
    ...['model', 'start', 'group_by', 'interval'].map((name) => `${name}=${text}`),
  ];
  return [
    ...queries.map((query) => ({ name: 'logs', path: '/api/logs', query })),
    ...costs.map((query) => ({ name: 'costs', path: '/api/costs', query })),
    { name: 'a log entry', path: '/api/logs/01990000-0000-7000-8000-000000000000', query: `x=${text}` },
    { name: 'models', path: '/ai/models', query: `x=${text}` },
    { name: 'models with x-api-key', path: '/ai/models', keyHeader: 'x-api-key' as const },
    { name: 'logs with x-api-key', path: '/api/logs', keyHeader: 'x-api-key' as const },
    {
      name: 'a page of models',
      path: '/ai/models',
      query: `after_id=${text}&x=${text}`,
      headers: anthropicVersion,
    },
    { name: 'models without a key', path: '/ai/models', headers },
    { name: 'logs without a key', path: '/api/logs', query: `user_id=${text}`, headers },
  ].map((request) => ({ method: 'GET', ...request }));
}
