import { describe, expect, it } from 'vitest';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { noFacts } from '#lambdas/inference/completion/facts.ts';
import { joinList } from '#lambdas/inference/embeddings/reader.ts';
import { parseEmbeddingsRequest } from '#lambdas/inference/embeddings/request.ts';
import { encodeVector } from '#lambdas/inference/embeddings/vectors.ts';
import { messagesErrors } from '#lambdas/inference/messages/errors.ts';
import { parseMessagesRequest } from '#lambdas/inference/messages/request.ts';
import { createModelsEndpoint } from '#lambdas/inference/models/endpoint.ts';
import { operations as operationTable } from '#lambdas/inference/operations.ts';
import { countTokensPath } from '#lambdas/inference/paths.ts';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { parseResponsesRequest } from '#lambdas/inference/responses/request.ts';
import { findRoute } from '#lambdas/inference/routes.ts';
import { rateLimitHeaders } from '#lambdas/limits/rates/headers.ts';
import { type ErrorType, GatewayError } from '#lambdas/platform/errors.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { groupOrders } from '#lambdas/reports/costs/groups/order.ts';
import { groupFields } from '#lambdas/reports/costs/query.ts';
import { type costSummaryJson, totalsJson } from '#lambdas/reports/costs/summary-json.ts';
import { chargeTypes, costBreakdownOf } from '#lambdas/reports/logs/cost-breakdown.ts';
import { createLogEntryEndpoint } from '#lambdas/reports/logs/endpoints.ts';
import { parseLogQuery } from '#lambdas/reports/logs/query/query.ts';
import { type LogEntry, logEntryFields } from '#lambdas/request-log/entry.ts';
import { listedEntryJson, logEntryJson } from '#lambdas/request-log/entry-json.ts';
import { billedPartFieldNames, usageDetailTypes } from '#lambdas/request-log/fields/billed-part.ts';
import { count, type FieldType, text } from '#lambdas/request-log/fields/field-type.ts';
import { refusalFields } from '#lambdas/request-log/fields/refusal.ts';
import { skippedTargetFields } from '#lambdas/request-log/fields/skipped-target.ts';
import { metadataHeaders } from '#lambdas/request-log/metadata.ts';
import { randomEntries } from '#test/lambdas/request-log/random-entry.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import {
  apiDescription,
  resolvePointer,
  schemaCompiles,
  schemaErrors,
  schemaPointer,
} from '#test/support/openapi.ts';
import { emptyPriceTable } from '#test/support/prices.ts';

const schemaNames = Object.keys(apiDescription.components.schemas);

interface Node {
  pointer: string;
  value: Record<string, unknown>;
}

function* objectsIn(value: unknown, pointer = ''): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  yield { pointer, value: value as Record<string, unknown> };
  for (const [key, child] of Object.entries(value)) {
    yield* objectsIn(child, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

function headersOf(response: unknown): object {
  return (resolved(response) as { headers?: object }).headers ?? {};
}

describe('OpenAPI description', () => {
  const operations = Object.entries(apiDescription.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => method !== 'servers')
      .map((method) => `${method.toUpperCase()} ${path}`),
  );

  it('describes exactly the endpoints of the gateway', () => {
    expect(apiDescription.openapi).toBe('3.1.0');
    expect(operations).toEqual([
      'POST /ai/chat/completions',
      'POST /ai/embeddings',
      'POST /ai/messages',
      'POST /ai/messages/count_tokens',
      'POST /ai/responses',
      'GET /ai/responses',
      'HEAD /',
      'HEAD /ai',
      'GET /ai/stream-test',
      'GET /ai/models',
      'GET /ai/models/{id}',
      'GET /api/logs',
      'GET /api/logs/{id}',
      'GET /api/costs',
    ]);
  });

  it('describes the operations of the inference function, whose requests and errors are alike in each format', () => {
    const described = Object.entries(apiDescription.paths).filter(
      ([path, { post }]) => path.startsWith('/ai/') && post !== undefined,
    );
    const [chat, embeddings, messages, countTokens, responses] = described.map(
      ([, { post = expect.fail() }]) => {
        const { '200': success, ...errors } = post.responses;
        return { parameters: post.parameters, errors, headers: headersOf(success) };
      },
    );

    expect(described.map(([path]) => path).sort()).toEqual(
      [...Object.keys(operationTable), countTokensPath].sort(),
    );
    expect(responses?.parameters).toEqual(chat?.parameters);
    expect(Object.entries(responses?.errors ?? {})).toEqual(
      Object.keys(chat?.errors ?? {}).map((status) => [
        status,
        { $ref: '#/components/responses/ResponsesError' },
      ]),
    );
    expect(embeddings).toEqual(chat);
    expect(messages?.parameters).toEqual(expect.arrayContaining(chat?.parameters ?? expect.fail()));
    expect(countTokens?.errors).toEqual(messages?.errors);
    const errorOf = { $ref: '#/components/responses/MessagesError' };
    expect(messages?.errors).toEqual(
      Object.fromEntries(
        [...Object.keys(chat?.errors ?? {}), '402', '529'].map((status) => [status, errorOf]),
      ),
    );
  });

  it.each([
    ['TooManyRequests', 'openai'],
    ['ResponsesError', 'openai'],
    ['MessagesError', 'anthropic'],
  ] as const)('describes the headers of rate limits in the errors of each format: %s', (response, format) => {
    const state = { limit: 60, remaining: 0, resetMs: 61_500 };
    const sent = rateLimitHeaders(format, { requests: state, tokens: state }, new Date(0));
    const headers = Object.entries(headersOf({ $ref: `#/components/responses/${response}` }));
    const described = headers.filter(([name]) => /ratelimit/i.test(name));

    expect(described.map(([name]) => name.toLowerCase())).toEqual(Object.keys(sent));
    for (const [name, header] of described) {
      const { schema } = resolved(header) as { schema: { type: string; pattern?: string } };
      const value = sent[name.toLowerCase()] ?? '';
      expect(value).toMatch(schema.type === 'integer' ? /^\d+$/ : new RegExp(schema.pattern ?? /T.*Z$/));
    }
  });

  it('shows the error by which the inference function names its paths', () => {
    const request = { path: '/ai/nosuch', method: 'POST' };
    const examples = resolvePointer(
      '/components/responses/NoSuchPath/content/application~1json/examples',
    ) as Record<string, { value: { error: { message: string } } }>;

    expect(() => findRoute(request, Object.keys(operationTable))).toThrow(
      expect.objectContaining({ message: examples.functionUrl?.value.error.message }),
    );
  });

  it('has the id of the request in all responses except those that only AWS sends', () => {
    const sentByAws = ['Forbidden', 'RateLimited', 'GatewayFailure', 'GatewayTimeout'];
    const withoutId = Object.entries(apiDescription.paths)
      .flatMap(([, { get, post }]) => [get, post].filter((operation) => operation !== undefined))
      .flatMap(({ responses }) => Object.values(responses))
      .filter((response) => !Object.hasOwn(headersOf(response), 'X-Gateway-Request-Id'))
      .map((response) => (response as { $ref: string }).$ref);

    expect(new Set(withoutId)).toEqual(new Set(sentByAws.map((name) => `#/components/responses/${name}`)));
  });

  it('has no dangling reference', () => {
    const references = [...objectsIn(apiDescription)].flatMap(({ value }) =>
      typeof value.$ref === 'string' ? [value.$ref] : [],
    );

    const dangling = references.filter((reference) => resolvePointer(reference.slice(1)) === undefined);

    expect(references.length).toBeGreaterThan(50);
    expect(dangling).toEqual([]);
  });

  it('has no unused component', () => {
    const used = new Set([...objectsIn(apiDescription)].map(({ value }) => value.$ref));
    const defined = Object.entries(apiDescription.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, entries]) => Object.keys(entries).map((name) => `#/components/${kind}/${name}`));

    expect(defined.filter((reference) => !used.has(reference))).toEqual([]);
  });

  it.each(schemaNames)('has a valid schema %s', (name) => {
    expect(schemaCompiles(schemaPointer(name))).toBe(true);
  });

  it('has examples that match their schemas', () => {
    const found = [...objectsIn(apiDescription)].flatMap(({ pointer, value }) => {
      if (value.schema === undefined) return [];
      const named = (value.examples ?? {}) as Record<string, { value: unknown }>;
      const examples = Object.values(named).map((example) => example.value);
      if (value.example !== undefined) examples.push(value.example);
      return examples.map((example) => ({ pointer, wrong: schemaErrors(example, `${pointer}/schema`) }));
    });

    expect(found.length).toBeGreaterThan(25);
    expect(found.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
  });

  it('names the metadata headers that the gateway reads', () => {
    const { PromptId, SessionId, UserId } = apiDescription.components.parameters;

    expect([PromptId?.name, SessionId?.name, UserId?.name]).toEqual(Object.values(metadataHeaders));
  });
});

describe('Parameters of GET /api/logs', () => {
  it('documents the parameters that the endpoint accepts', () => {
    const parameters = resolvePointer('/paths/~1api~1logs/get/parameters') as {
      name?: string;
      $ref?: string;
    }[];
    const names = parameters.map(
      ({ name, $ref = '' }) => name ?? (resolvePointer($ref.slice(1)) as { name: string }).name,
    );
    expect(() => parseLogQuery('org_1', { nosuch: ['x'] })).toThrow(
      `: valid parameters are ${names.join(', ')}`,
    );
  });
});

describe('Schemas LogEntry and LogEntryDetails', () => {
  const { organization_id: _, billed_parts: __, ...listed } = logEntryFields;
  const partFields = { model: text, input_tokens: count, output_tokens: count, ...usageDetailTypes };

  it('has the fields of the responses, in their order and all of them required', () => {
    const { properties = {}, required } = apiDescription.components.schemas.LogEntry ?? {};
    const detailed = resolvePointer(`${schemaPointer('LogEntryDetails')}/allOf/1`);

    expect(Object.keys(listedEntryJson(logEntry()))).toEqual(Object.keys(listed));
    expect(Object.keys(logEntryJson(logEntry()))).toEqual([...Object.keys(listed), 'billed_parts']);
    expect(Object.keys(properties)).toEqual(Object.keys(listed));
    expect(required).toEqual(Object.keys(listed));
    expect(detailed).toMatchObject({
      required: ['billed_parts', 'cost_breakdown'],
      properties: {
        billed_parts: { type: ['array', 'null'], items: { $ref: '#/components/schemas/BilledPart' } },
        cost_breakdown: { type: ['array', 'null'], items: { $ref: '#/components/schemas/PartCost' } },
      },
    });
  });

  it.each(Object.entries<FieldType<unknown>>(listed))('has the type and the values of %s', (name, type) => {
    const property = resolvePointer(`${schemaPointer('LogEntry')}/properties/${name}`);

    expect(resolved(property)).toMatchObject(schemaOf(type));
  });

  it('has the fields of a billed part, in their order', () => {
    const { properties = {}, required } = apiDescription.components.schemas.BilledPart ?? {};

    expect(Object.keys(properties)).toEqual(billedPartFieldNames());
    expect(required).toEqual(['model', 'input_tokens', 'output_tokens']);
    for (const [name, { json }] of Object.entries(partFields)) {
      expect(resolved(properties[name])).toMatchObject({ type: json });
    }
  });

  it.each([
    ['budget', 'BudgetRefusal'],
    ['rate_limit', 'RateLimitRefusal'],
  ] as const)('has the fields of a refusal by a %s, in their order', (by, schema) => {
    const { properties = {}, required } = apiDescription.components.schemas[schema] ?? {};
    const fields = Object.entries<FieldType<unknown>>(refusalFields[by]);
    const names = fields.map(([name]) => name);

    expect(Object.keys(properties)).toEqual(names);
    expect(required).toEqual(names);
    for (const [name, type] of fields) {
      expect(resolved(properties[name])).toMatchObject(schemaOf(type));
    }
  });

  it('has the fields of a skipped target, in their order', () => {
    const { properties = {}, required } = apiDescription.components.schemas.SkippedTarget ?? {};

    expect(Object.keys(properties)).toEqual(Object.keys(skippedTargetFields));
    expect(required).toEqual(Object.keys(skippedTargetFields));
    for (const [name, type] of Object.entries<FieldType<unknown>>(skippedTargetFields)) {
      expect(resolved(properties[name])).toMatchObject(schemaOf(type));
    }
  });

  it('has examples with the fields of a log entry, in their order', () => {
    const examples = resolvePointer(
      '/paths/~1api~1logs~1{id}/get/responses/200/content/application~1json/examples',
    ) as Record<string, { value: object }>;
    const fields = [...Object.keys(listed), 'billed_parts', 'cost_breakdown'];

    expect(Object.values(examples).map(({ value }) => Object.keys(value))).toEqual([
      fields,
      fields,
      fields,
      fields,
    ]);
  });

  it('matches any log entry in a response', () => {
    fc.assert(
      fc.property(randomEntries, (entry) => {
        const response = JSON.parse(JSON.stringify({ ...logEntryJson(entry), cost_breakdown: null }));
        expect(schemaErrors(response, schemaPointer('LogEntryDetails'))).toEqual([]);
      }),
    );
  });

  it('rejects a log entry without its fields', () => {
    const response = { ...listedEntryJson(logEntry()), cost_usd: 0 };

    expect(schemaErrors({}, schemaPointer('LogEntry'))).toContain(" must have required property 'id'");
    expect(schemaErrors(response, schemaPointer('LogEntryDetails'))).toEqual([
      " must have required property 'billed_parts'",
    ]);
    expect(schemaErrors({ ...response, billed_parts: null }, schemaPointer('LogEntryDetails'))).toEqual([
      " must have required property 'cost_breakdown'",
    ]);
  });

  it('has the types of charges of a cost breakdown', () => {
    const type = resolvePointer(`${schemaPointer('ChargeCost')}/properties/type`);

    expect(type).toMatchObject({ enum: Object.values(chargeTypes) });
  });

  it('has examples whose cost breakdown is the one that the endpoint computes', async () => {
    const examples = resolvePointer(
      '/paths/~1api~1logs~1{id}/get/responses/200/content/application~1json/examples',
    ) as Record<string, { value: LogEntry & { cost_breakdown: unknown } }>;
    for (const { value } of Object.values(examples)) {
      const { cost_breakdown, ...fields } = value;
      const entry = { ...fields, organization_id: 'org_1', cost_usd: String(fields.cost_usd) };
      const endpoint = createLogEntryEndpoint({
        logEntries: { find: async () => entry },
        loadCostExplainer: async () => (each) =>
          costBreakdownOf(each, { customPrices: emptyPriceTable, settings: {} }),
      });
      const body = await endpoint({
        apiKey: requestKey(),
        organizationId: 'org_1',
        headers: {},
        query: {},
        pathId: entry.id,
      });
      expect(JSON.parse(JSON.stringify(body))).toMatchObject({ cost_breakdown });
    }
  });
});

function schemaOf({ json, nullable, values, element }: FieldType<unknown>): object {
  if (values !== undefined) return { enum: nullable ? [...values, null] : values };
  return {
    type: nullable ? [json, 'null'] : json,
    ...(element && element.json !== 'object' && { items: schemaOf(element) }),
  };
}

/** Resolves a property that refers to a schema. */
function resolved(property: unknown): unknown {
  const { $ref } = property as { $ref?: string };
  return $ref === undefined ? property : resolvePointer($ref.slice(1));
}

/** The fields of an object and of the schemas that it extends, and whether they are required. */
function documentedFields(schema: string): Record<string, boolean> {
  const { properties = {}, required = [], allOf = [] } = apiDescription.components.schemas[schema] ?? {};
  const extended = allOf.map(({ $ref }) => documentedFields($ref.replace(/.*\//, '')));
  const own = Object.keys(properties).map((name) => [name, required.includes(name)]);
  return Object.assign({}, ...extended, Object.fromEntries(own));
}

describe('Schema CostSummary', () => {
  it('has the fields of the cost summary, and marks the required ones', () => {
    const details = {
      cached_input_tokens: true,
      cache_write_input_tokens: true,
      reasoning_tokens: true,
      unpriced_requests: true,
      assumed_requests: true,
      assumed_cost_usd: true,
      estimated_requests: true,
      estimated_cost_usd: true,
      uncertain_cost_share: true,
      error_requests: true,
      provider_error_requests: true,
      timeout_requests: true,
      interrupted_requests: true,
      client_closed_requests: true,
      rejected_requests: true,
      fallback_attempts: true,
      mean_latency_ms: true,
      mean_overhead_ms: true,
      latency_ms: true,
      time_to_first_token_ms: true,
    };
    const costs = {
      requests: true,
      cost_usd: true,
      input_tokens: true,
      output_tokens: true,
      ...details,
    } satisfies Record<keyof ReturnType<typeof totalsJson>, boolean>;
    const summary = {
      total_requests: true,
      total_cost_usd: true,
      total_input_tokens: true,
      total_output_tokens: true,
      ...details,
      by_model: true,
      window: true,
      time_zone: true,
      complete_until: true,
      max_percentile_error: true,
      group_by: false,
      groups: false,
      other: false,
      interval: false,
      series: false,
      previous: false,
    } satisfies Record<keyof ReturnType<typeof costSummaryJson>, boolean>;

    expect(documentedFields('CostSummary')).toEqual(summary);
    expect(documentedFields('Costs')).toEqual(costs);
  });

  it('lists the grouping dimensions of costs, and the field of each', () => {
    const { properties = {} } = apiDescription.components.schemas.CostGroup ?? {};

    expect(resolvePointer(`${schemaPointer('CostGrouping')}/enum`)).toEqual(Object.keys(groupFields));
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.values(groupFields)));
  });

  it('lists the orders of groups', () => {
    expect(resolvePointer(`${schemaPointer('CostGroupOrder')}/enum`)).toEqual(groupOrders);
  });

  it('rejects a cost that is a string', () => {
    const costs = {
      ...totalsJson(noTotals, { countsRejected: true, usd: usdJson }),
      cost_usd: '0.1',
      assumed_cost_usd: 0,
      estimated_cost_usd: 0,
    };

    expect(schemaErrors(costs, schemaPointer('Costs'))).toEqual(['/cost_usd must be number']);
    expect(schemaErrors(costs, schemaPointer('CostGroup'))).toEqual(['/cost_usd must be number']);
  });
});

describe('Schema ChatCompletionRequest', () => {
  it.each([
    ['without a model', { messages: [] }],
    ['whose model has an empty provider', { model: '/gpt-4o', messages: [] }],
    ['whose messages are a string', { model: 'openai/gpt-4o', messages: 'Hi' }],
    ['whose stream flag is a string', { model: 'openai/gpt-4o', messages: [], stream: 'yes' }],
  ])('rejects a chat request %s', (_case, request) => {
    expect(schemaErrors(request, schemaPointer('ChatCompletionRequest'))).toHaveLength(1);
  });

  it('accepts a chat request with unknown fields', () => {
    const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', name: 'x' }], top_a: [1, { b: 2 }] };

    expect(schemaErrors(request, schemaPointer('ChatCompletionRequest'))).toEqual([]);
  });
});

/** Whether the gateway parses the request. */
function accepts(parse: (text: string) => unknown, request: object): boolean {
  try {
    parse(JSON.stringify(request));
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

describe('Schema EmbeddingsRequest', () => {
  const model = 'openai/text-embedding-3-small';
  const isAccepted = (request: object) => accepts(parseEmbeddingsRequest, request);

  it.each([
    { model, input: 'Hello!' },
    { model, input: '' },
    { model, input: ['Hello!', ''] },
    { model, input: [1, 2] },
    { model, input: [[1, 2], [3]] },
    { model, input: 'x', encoding_format: 'base64', dimensions: 256, input_type: 'search_query', user: 'u' },
    { model, input: 'x', encoding_format: null, dimensions: null, input_type: null, user: null },
    { model, input: 'x', truncate: 'END', future: { field: [1] } },
  ])('accepts %j, as the gateway does', (request) => {
    expect(schemaErrors(request, schemaPointer('EmbeddingsRequest'))).toEqual([]);
    expect(isAccepted(request)).toBe(true);
  });

  it.each([
    { input: 'x' },
    { model },
    { model, input: null },
    { model, input: [] },
    { model, input: [[]] },
    { model, input: ['x', 1] },
    { model, input: [1.5] },
    { model, input: [1, [2]] },
    { model, input: 'x', encoding_format: 'int8' },
    { model, input: 'x', dimensions: 0 },
    { model, input: 'x', dimensions: 1.5 },
    { model, input: 'x', dimensions: '256' },
    { model, input: 'x', input_type: 1 },
  ])('rejects %j, as the gateway does', (request) => {
    expect(schemaErrors(request, schemaPointer('EmbeddingsRequest'))).not.toEqual([]);
    expect(isAccepted(request)).toBe(false);
  });
});

describe('Schema EmbeddingList', () => {
  const errorsOf = (response: object) => schemaErrors(response, schemaPointer('EmbeddingList'));

  it('matches the lists that the gateway writes, with and without usage', () => {
    const parts = (['float', 'base64'] as const).map((encoding, index) =>
      Buffer.from(
        `{"object":"embedding","index":${index},"embedding":${encodeVector([0.5, -0.25], encoding)}}`,
      ),
    );
    const facts = [noFacts, { ...noFacts, usage: { ...noUsage, freshInputTokens: 7 } }];
    const lists = facts.map((each) => JSON.parse(joinList(parts, 'm', each).toString()));

    expect(lists.map(errorsOf)).toEqual([[], []]);
    expect(lists.map(({ usage }) => usage)).toEqual([undefined, { prompt_tokens: 7, total_tokens: 7 }]);
  });

  it('rejects a vector that is none, and a list without vectors', () => {
    const item = { object: 'embedding', index: 0, embedding: ['0.5'] };

    expect(errorsOf({ object: 'list', data: [item], model: 'm' })).not.toEqual([]);
    expect(errorsOf({ object: 'list', model: 'm' })).toEqual([" must have required property 'data'"]);
  });

  it('has examples of vectors in base64 that hold floats', () => {
    const { base64 } = resolvePointer(
      '/paths/~1ai~1embeddings/post/responses/200/content/application~1json/examples',
    ) as Record<string, { value: { data: { embedding: string }[] } }>;
    const vectors = base64?.value.data.map(({ embedding }) => Buffer.from(embedding, 'base64'));

    expect(vectors?.map((bytes) => [bytes.readFloatLE(0), bytes.readFloatLE(4)])).toEqual([
      [-0.98, 0.66].map(Math.fround),
      [-0.99, 0.84].map(Math.fround),
    ]);
  });
});

describe('Schemas Model and ModelList', () => {
  it('matches the models that the gateway lists', async () => {
    const endpoint = createModelsEndpoint({
      settings: {},
      credentials: { providerNames: async () => Object.keys(providerCatalog) },
      region: 'eu-central-1',
      routes: { list: async () => [] },
      now: () => new Date('2026-11-20T00:00:00Z'),
    });

    const request = { apiKey: requestKey(), headers: {}, query: {} };
    const list = await endpoint({ ...request, pathId: '' });
    expect(schemaErrors(list, schemaPointer('ModelList'))).toEqual([]);
    const model = await endpoint({ ...request, pathId: 'openai/gpt-6-sol' });
    expect(schemaErrors(model, schemaPointer('Model'))).toEqual([]);
  });

  it("match the models that the gateway lists for Anthropic's clients", async () => {
    const endpoint = createModelsEndpoint({
      settings: {},
      credentials: { providerNames: async () => Object.keys(providerCatalog) },
      region: 'eu-central-1',
      routes: { list: async () => [] },
      now: () => new Date('2026-11-20T00:00:00Z'),
    });
    const request = { apiKey: requestKey(), headers: { 'anthropic-version': '2023-06-01' }, query: {} };

    const page = await endpoint({ ...request, pathId: '' });
    expect(schemaErrors(page, schemaPointer('AnthropicModelPage'))).toEqual([]);
    const model = await endpoint({ ...request, pathId: 'anthropic/claude-opus-5' });
    expect(schemaErrors(model, schemaPointer('AnthropicModel'))).toEqual([]);
    expect(schemaErrors(page, schemaPointer('ModelList'))).not.toEqual([]);
  });

  it('rejects a model id without its provider', () => {
    const model = {
      id: 'gpt-6-sol',
      object: 'model',
      created: 0,
      owned_by: 'openai',
      operations: ['chat.completions'],
    };

    expect(schemaErrors(model, schemaPointer('Model'))).toEqual(['/id must match pattern "^[^/]+/.+$"']);
  });
});

describe('Requests of the Responses API', () => {
  const model = 'openai/gpt-4o-mini';
  const isAccepted = (request: object) => accepts(parseResponsesRequest, request);

  it.each([
    { model, input: 'Hello!' },
    { model: 'gpt-4o-mini', input: [{ role: 'user', content: 'Hi' }], max_output_tokens: 1024 },
    { model, input: [1], stream: true, store: false, new_field: [1] },
    { model, prompt: { id: 'greeting' }, input: null, stream: null, background: null },
    { model, previous_response_id: 'resp_1', background: false },
  ])('accept %j, as the gateway does', (request) => {
    expect(schemaErrors(request, schemaPointer('ResponsesRequest'))).toEqual([]);
    expect(isAccepted(request)).toBe(true);
  });

  it.each([
    { input: 'Hello!' },
    { model: 7, input: 'Hello!' },
    { model, input: 7 },
    { model, input: {} },
    { model, input: 'Hello!', stream: 'yes' },
    { model, input: 'Hello!', background: true },
  ])('reject %j, as the gateway does', (request) => {
    expect(schemaErrors(request, schemaPointer('ResponsesRequest'))).not.toEqual([]);
    expect(isAccepted(request)).toBe(false);
  });
});

describe('Schemas MessagesRequest and AnthropicError', () => {
  const model = 'anthropic/claude-opus-5';
  const isAccepted = (request: object) => accepts(parseMessagesRequest, request);

  it.each([
    { model, messages: [] },
    { model: 'claude-opus-5', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1024 },
    { model, messages: [1], stream: true, thinking: { type: 'adaptive' }, new_field: [1] },
    { model, messages: [], stream: null, max_tokens: 'many' },
  ])('accept %j, as the gateway does', (request) => {
    expect(schemaErrors(request, schemaPointer('MessagesRequest'))).toEqual([]);
    expect(isAccepted(request)).toBe(true);
  });

  it.each([
    { messages: [] },
    { model },
    { model, messages: 'Hi' },
    { model, messages: null },
    { model: 7, messages: [] },
    { model, messages: [], stream: 'yes' },
  ])('reject %j, as the gateway does', (request) => {
    expect(schemaErrors(request, schemaPointer('MessagesRequest'))).not.toEqual([]);
    expect(isAccepted(request)).toBe(false);
  });

  it("match the gateway's errors", () => {
    const error = new GatewayError('model_not_found', { message: 'No such model' });
    for (const requestId of ['01990000-0000-7000-8000-000000000001', null]) {
      const { body } = messagesErrors.renderError({ error, original: null, requestId });
      expect(schemaErrors(JSON.parse(body), schemaPointer('AnthropicError'))).toEqual([]);
    }
    expect(schemaErrors(error.toBody(), schemaPointer('AnthropicError'))).not.toEqual([]);
  });
});

describe('Schema Error', () => {
  it('has the error types of the gateway', () => {
    const types = {
      invalid_request_error: true,
      authentication_error: true,
      rate_limit_error: true,
      api_error: true,
    } satisfies Record<ErrorType, true>;

    expect(resolvePointer(`${schemaPointer('Error')}/properties/error/properties/type/enum`)).toEqual(
      Object.keys(types),
    );
  });

  it('matches an error response of the gateway', () => {
    const error = new GatewayError('rate_limit_exceeded', { message: 'Slow down', providerCode: 'tokens' });

    expect(schemaErrors(error.toBody(), schemaPointer('Error'))).toEqual([]);
  });
});
