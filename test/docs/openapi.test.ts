import { describe, expect, it } from 'vitest';
import type { costSummaryJson } from '#lambdas/costs/report/endpoint.ts';
import { groupFields } from '#lambdas/costs/report/query.ts';
import { createModelsEndpoint } from '#lambdas/inference/models/endpoint.ts';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { logEntryFields } from '#lambdas/request-log/entry.ts';
import { logEntryJson } from '#lambdas/request-log/entry-json.ts';
import { metadataHeaders } from '#lambdas/request-log/metadata.ts';
import { parseLogQuery } from '#lambdas/request-log/report/query.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { at, compiles, description, problems, schemaPlace } from '#test/support/openapi.ts';

const schemaNames = Object.keys(description.components.schemas);

interface Node {
  place: string;
  value: Record<string, unknown>;
}

/** Every object in the description, with the JSON pointer that leads to it. */
function* objectsIn(value: unknown, place = ''): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  yield { place, value: value as Record<string, unknown> };
  for (const [key, child] of Object.entries(value)) {
    yield* objectsIn(child, `${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

describe('the OpenAPI description', () => {
  it('has the six endpoints and nothing else', () => {
    const operations = Object.entries(description.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => method !== 'servers')
        .map((method) => `${method.toUpperCase()} ${path}`),
    );

    expect(description.openapi).toBe('3.1.0');
    expect(operations).toEqual([
      'POST /ai/chat/completions',
      'GET /ai/models',
      'GET /ai/models/{id}',
      'GET /api/logs',
      'GET /api/logs/{id}',
      'GET /api/costs',
    ]);
  });

  it('refers to nothing that is not there', () => {
    const references = [...objectsIn(description)].flatMap(({ value }) =>
      typeof value.$ref === 'string' ? [value.$ref] : [],
    );

    const dangling = references.filter((reference) => at(reference.slice(1)) === undefined);

    expect(references.length).toBeGreaterThan(50);
    expect(dangling).toEqual([]);
  });

  it('defines nothing that nobody refers to', () => {
    const used = new Set([...objectsIn(description)].map(({ value }) => value.$ref));
    const defined = Object.entries(description.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, entries]) => Object.keys(entries).map((name) => `#/components/${kind}/${name}`));

    expect(defined.filter((reference) => !used.has(reference))).toEqual([]);
  });

  it.each(schemaNames)('has a schema %s that compiles', (name) => {
    expect(compiles(schemaPlace(name))).toBe(true);
  });

  it('has examples that its schemas accept', () => {
    const found = [...objectsIn(description)].flatMap(({ place, value }) => {
      if (value.schema === undefined) return [];
      const named = (value.examples ?? {}) as Record<string, { value: unknown }>;
      const examples = Object.values(named).map((example) => example.value);
      if (value.example !== undefined) examples.push(value.example);
      return examples.map((example) => ({ place, wrong: problems(example, `${place}/schema`) }));
    });

    expect(found.length).toBeGreaterThan(25);
    expect(found.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
  });

  it('names the metadata headers that the gateway reads', () => {
    const { PromptId, SessionId, UserId } = description.components.parameters;

    expect([PromptId?.name, SessionId?.name, UserId?.name]).toEqual(Object.values(metadataHeaders));
  });
});

describe('the parameters of the logs', () => {
  it('are those that the endpoint takes', () => {
    const parameters = at('/paths/~1api~1logs/get/parameters') as { name?: string; $ref?: string }[];
    const names = parameters.map(
      ({ name, $ref = '' }) => name ?? (at($ref.slice(1)) as { name: string }).name,
    );
    expect(() => parseLogQuery('org_1', { nosuch: ['x'] })).toThrow(`; known are ${names.join(', ')}`);
  });
});

describe('the schema of a log entry', () => {
  const { organization_id: _, ...shown } = logEntryFields;

  it('has the fields that the endpoints show, in their order and all of them always there', () => {
    const { properties = {}, required } = description.components.schemas.LogEntry ?? {};

    expect(Object.keys(logEntryJson(logEntry()))).toEqual(Object.keys(shown));
    expect(Object.keys(properties)).toEqual(Object.keys(shown));
    expect(required).toEqual(Object.keys(shown));
  });

  it.each(Object.entries(shown))('knows what %s can hold', (name, { json, nullable, values }) => {
    const property = at(`${schemaPlace('LogEntry')}/properties/${name}`) as { $ref?: string };
    const schema = property.$ref === undefined ? property : at(property.$ref.slice(1));
    const type = nullable ? [json, 'null'] : json;

    expect(schema).toMatchObject(values ? { enum: nullable ? [...values, null] : values } : { type });
  });

  it('refuses an entry without its cost', () => {
    expect(problems({}, schemaPlace('LogEntry'))).toContain(" must have required property 'id'");
  });
});

describe('the schema of the costs', () => {
  it('has the fields of the summary, and knows which of them are always there', () => {
    const fields = {
      total_requests: true,
      total_cost_usd: true,
      total_input_tokens: true,
      total_output_tokens: true,
      unpriced_requests: true,
      by_model: true,
      window: true,
      group_by: false,
      groups: false,
      other: false,
      interval: false,
      series: false,
    } satisfies Record<keyof ReturnType<typeof costSummaryJson>, boolean>;
    const always = Object.entries(fields).filter(([, isAlways]) => isAlways);

    const { properties = {}, required } = description.components.schemas.CostSummary ?? {};

    expect(Object.keys(properties)).toEqual(Object.keys(fields));
    expect(required).toEqual(always.map(([name]) => name));
  });

  it('names what costs can be grouped by, and the field of each', () => {
    const { properties = {} } = description.components.schemas.CostGroup ?? {};

    expect(at(`${schemaPlace('CostGrouping')}/enum`)).toEqual(Object.keys(groupFields));
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.values(groupFields)));
  });

  it('wants money as a number', () => {
    const costs = { requests: 1, cost_usd: '0.1', input_tokens: 1, output_tokens: 1, unpriced_requests: 0 };

    expect(problems(costs, schemaPlace('Costs'))).toEqual(['/cost_usd must be number']);
    expect(problems(costs, schemaPlace('CostGroup'))).toEqual(['/cost_usd must be number']);
  });
});

describe('the schema of a chat request', () => {
  it.each([
    ['no model', { messages: [] }],
    ['a model without a provider', { model: 'gpt-4o', messages: [] }],
    ['messages that are text', { model: 'openai/gpt-4o', messages: 'Hi' }],
    ['a stream that is text', { model: 'openai/gpt-4o', messages: [], stream: 'yes' }],
  ])('refuses %s', (_case, request) => {
    expect(problems(request, schemaPlace('ChatCompletionRequest'))).toHaveLength(1);
  });

  it('lets unknown fields be', () => {
    const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', name: 'x' }], top_a: [1, { b: 2 }] };

    expect(problems(request, schemaPlace('ChatCompletionRequest'))).toEqual([]);
  });
});

describe('the schema of the models', () => {
  it('fits what the gateway lists', async () => {
    const endpoint = createModelsEndpoint({
      settings: {},
      credentials: { names: async () => Object.keys(providerCatalog) },
      region: 'eu-central-1',
      now: () => new Date('2026-11-20T00:00:00Z'),
    });

    expect(problems(await endpoint({ id: '' }), schemaPlace('ModelList'))).toEqual([]);
    expect(problems(await endpoint({ id: 'openai/gpt-6-sol' }), schemaPlace('Model'))).toEqual([]);
  });

  it('refuses a model without its provider', () => {
    const model = { id: 'gpt-6-sol', object: 'model', created: 0, owned_by: 'openai' };

    expect(problems(model, schemaPlace('Model'))).toEqual(['/id must match pattern "^[^/]+/.+$"']);
  });
});

describe('the schema of an error', () => {
  it('fits what the gateway answers', () => {
    const error = new GatewayError('rate_limit_exceeded', { message: 'Slow down', providerCode: 'tokens' });

    expect(problems(error.toBody(), schemaPlace('Error'))).toEqual([]);
  });
});
