/** Log entries keep the gateway's own words about an error: neither what the caller has sent, nor what a provider says about it. */
import { expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import type { HttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { fc } from '#test/support/fast-check.ts';
import { functionUrlEvent } from '../support/chat/handler-fixture.ts';
import { readChunks } from '../support/http/read-chunks.ts';
import { caseCount } from './cases.ts';
import { createFuzzGateway } from './gateway.ts';

const secret = 'canary text of the caller';
const png = 'data:image/png;base64,AAAA';
const schema = { type: 'object', description: secret, properties: { q: { type: 'string', const: secret } } };

/** By path: a request with a secret in every text. */
const requests: Record<string, object> = {
  'chat/completions': {
    messages: [
      { role: 'system', content: secret },
      {
        role: 'user',
        content: [
          { type: 'text', text: secret },
          { type: 'image_url', image_url: { url: png, detail: 'low' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          { type: 'file', file: { file_data: png, filename: secret } },
        ],
      },
      {
        role: 'assistant',
        content: secret,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: `{"q":"${secret}"}` } }],
      },
      { role: 'tool', tool_call_id: 'c', content: secret },
    ],
    tools: [{ type: 'function', function: { name: 'f', description: secret, parameters: schema } }],
    tool_choice: 'auto',
    response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
    stop: [secret],
    metadata: { note: secret },
    reasoning_effort: 'low',
    service_tier: 'auto',
  },
  messages: {
    max_tokens: 100,
    system: [{ type: 'text', text: secret }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: secret },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          {
            type: 'document',
            title: secret,
            source: { type: 'text', media_type: 'text/plain', data: secret },
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: secret, signature: secret },
          { type: 'tool_use', id: 'c', name: 'f', input: { q: secret } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: secret }] },
    ],
    tools: [{ name: 'f', description: secret, input_schema: schema }],
    tool_choice: { type: 'auto' },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    output_config: { effort: 'low', format: { type: 'json_schema', schema } },
    stop_sequences: [secret],
    metadata: { user_id: secret },
  },
  responses: {
    store: false,
    instructions: secret,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: secret },
          { type: 'input_image', image_url: png, detail: 'low' },
          { type: 'input_file', filename: secret, file_data: png },
        ],
      },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: secret }], encrypted_content: secret },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: `{"q":"${secret}"}` },
      { type: 'function_call_output', call_id: 'c', output: secret },
    ],
    tools: [{ type: 'function', name: 'f', description: secret, parameters: schema }],
    tool_choice: 'auto',
    text: { format: { type: 'json_schema', name: 's', schema }, verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'auto' },
    metadata: { note: secret },
  },
  embeddings: { input: [secret, secret], dimensions: 8, encoding_format: 'float', input_type: 'query' },
};

type Path = readonly (string | number)[];

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const inner = steps.flatMap((step) =>
    pathsIn((value as Record<string | number, unknown>)[step], [...path, step]),
  );
  return path.length === 0 ? inner : [path, ...inner];
}

function withValue(body: object, path: Path, value: unknown): object {
  const copy = structuredClone(body);
  const last = path.at(-1) ?? '';
  let parent = copy as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) parent = parent[step] as typeof parent;
  parent[last] = value;
  return copy;
}

const request = fc
  .tuple(
    fc.constantFrom(...Object.entries(requests)),
    fc.constantFrom(...Object.keys(providerCatalog)),
    fc.boolean(),
    fc.nat(),
    fc.constantFrom<unknown>(undefined, null, 1, secret, [secret], { type: secret }, [
      { type: secret, [secret]: 1 },
    ]),
  )
  .map(([[path, body], provider, stream, place, value]) => {
    const paths = pathsIn(body);
    const changed = withValue(body, paths[place % paths.length] ?? [], value);
    return { path, body: { ...changed, model: `${provider}/m`, ...(path !== 'embeddings' && { stream }) } };
  });

const quote = `Invalid value: ${secret}`;
const stated = { message: quote, type: 'invalid_request_error', param: 'input', code: 'invalid_value' };
const json = (value: unknown) => ({ type: 'application/json', text: JSON.stringify(value) });
const bodies = [
  json({ error: stated }),
  json({ type: 'error', error: { type: 'overloaded_error', message: quote, param: secret } }),
  json([{ error: { code: 400, message: quote, status: 'INVALID_ARGUMENT' } }]),
  json({ detail: [{ msg: quote, loc: ['body', secret] }] }),
  json({ message: `This model does not exist: ${secret}` }),
  json({ error: secret }),
  json({ error: { message: quote, type: secret, param: secret } }),
  json({ choices: [{ error: { message: quote } }] }),
  { type: 'text/html', text: `<p>${quote}</p>` },
  { type: 'text/event-stream', text: `event: error\ndata: ${JSON.stringify({ error: stated })}\n\n` },
  { type: 'text/event-stream', text: `data: ${quote}\n\n` },
];
const failure = fc.record({
  status: fc.constantFrom(200, 400, 401, 404, 413, 422, 429, 500, 503, 529),
  body: fc.constantFrom(...bodies),
});

it('keeps messages of the gateway, and no text of callers or providers', async () => {
  const gateway = createFuzzGateway();
  const kept = { rejected: 0, providerTypes: 0, ownAfterwards: 0 };
  await fc.assert(
    fc.asyncProperty(request, failure, async ({ path, body }, { status, body: { type, text } }) => {
      const transport: HttpTransport = async () => ({
        status,
        headers: { 'content-type': type },
        read: readChunks([Buffer.from(text)]),
      });
      const headers = { authorization: `Bearer ${gateway.apiKey}` };
      const event = { ...functionUrlEvent, rawPath: `/ai/${path}`, headers, body: JSON.stringify(body) };

      const { entries, logLines } = await gateway.send(event, transport);

      expect(entries).toHaveLength(1);
      expect(JSON.stringify([entries, logLines])).not.toContain('canary');
      for (const { outcome, error_type, error_message } of entries) {
        if (outcome === 'rejected') expect(error_message).toMatch(/^.{10,300}$/);
        if (outcome === 'rejected') kept.rejected += 1;
        else if (error_message !== null) kept.ownAfterwards += 1;
        if (error_type === 'overloaded_error') kept.providerTypes += 1;
      }
    }),
    { numRuns: caseCount('logged errors') },
  );
  for (const count of Object.values(kept)) expect(count).toBeGreaterThan(0);
});
