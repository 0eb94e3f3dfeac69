/** The costs of responses, by the worked table of `docs/pricing.md`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type NativeGateway,
  type NativeGateways,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';
import { responseFields, responsesEvent, startResponsesGateway } from '#test/support/responses/gateway.ts';

const document = readFileSync(path.join(import.meta.dirname, '../../../../docs/pricing.md'), 'utf8');
const [, section = ''] = /^## Responses\n(.*?)^## /ms.exec(document) ?? [];
const rows = section
  .split('\n')
  .filter((line) => /^\| (?!Response|---)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .map(([, name = '', cost = '', gaps = '']) => ({ name, cost, gaps }));

const usage = {
  input_tokens: 10_000,
  input_tokens_details: { cached_tokens: 4_000, cache_write_tokens: 0 },
  output_tokens: 1_000,
  output_tokens_details: { reasoning_tokens: 600 },
  total_tokens: 11_000,
};
const withWrites = (details: object) => ({
  usage: {
    ...usage,
    input_tokens_details: { cached_tokens: 4_000, cache_write_tokens: 3_000, ...details },
  },
});
const [message] = responseFields.output;
const search = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } };
const openPage = { ...search, action: { type: 'open_page', url: 'https://example.com' } };
const withTools = (...items: object[]) => ({
  output: [...items, message].map((item, index) => ({ ...item, id: `item_${index}` })),
});

const responsesByRow: Record<string, object> = {
  'as above': {},
  'with 3,000 of the input tokens written to a cache for 30 minutes': withWrites({
    cache_write_tokens_details: { ttl_30m_tokens: 3_000, ttl_12h_tokens: 0 },
  }),
  'the same, with 1,000 of them for 12 hours': withWrites({
    cache_write_tokens_details: { ttl_30m_tokens: 2_000, ttl_12h_tokens: 1_000 },
  }),
  'in the tier priority': { service_tier: 'priority' },
  'with two web searches, and a page that was opened': withTools(search, openPage, search),
  'with three web searches, of which the provider states that it bills two': {
    ...withTools(search, search, search),
    tool_usage: { web_search: { num_requests: 2 } },
  },
  'with a search in files': withTools({ type: 'file_search_call', queries: ['q'], results: null }),
  'with a program that ran in a container': withTools({
    type: 'code_interpreter_call',
    container_id: 'cntr_1',
    code: '1',
  }),
  'with a generated image': withTools({ type: 'image_generation_call', result: 'AAAA' }),
  'incomplete, or failed': {
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  },
};

let gateways: NativeGateways;
let gateway: NativeGateway;
beforeAll(async () => {
  gateways = await startNativeGateways();
  gateway = await startResponsesGateway(gateways);
});
afterAll(() => gateways.stop());

/** The response, whole and as the last event of a stream. */
const formsOf = (fields: object) => {
  const response = { ...responseFields, model: 'gpt-6.2-sol', usage, ...fields };
  const { output, status } = response;
  const events = output.map((item, output_index) =>
    responsesEvent({ type: 'response.output_item.done', output_index, item }),
  );
  const final = responsesEvent({ type: `response.${status}`, response });
  return [jsonResponse(response), streamResponse([...events, final])];
};

describe('A response', () => {
  it.each(rows)('$name costs $cost dollars, whole and in a stream', async ({ name, cost, gaps }) => {
    const fields = responsesByRow[name] ?? expect.fail('There is no response of this name');
    for (const [index, respond] of formsOf(fields).entries()) {
      const request = { model: 'openai/gpt-6.2-sol', input: 'Hello', stream: index === 1 };

      const { entry } = await gateway.exchange(respond, request);

      expect(entry).toMatchObject({
        cost_usd: cost,
        pricing: 'table',
        pricing_gaps: gaps === '' ? null : [gaps],
      });
    }
  });

  it('costs as much if it has failed', async () => {
    const error = { code: 'server_error', message: 'The model failed' };
    for (const [index, respond] of formsOf({ status: 'failed', error }).entries()) {
      const request = { model: 'openai/gpt-6.2-sol', input: 'Hello', stream: index === 1 };

      const { entry } = await gateway.exchange(respond, request);

      expect(entry).toMatchObject({ cost_usd: '0.0224', outcome: 'provider_error' });
    }
  });
});

it('The table has all kinds of charges', () => {
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(responsesByRow));
});
