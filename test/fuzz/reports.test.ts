import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { createJsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createModelsEndpoint } from '#lambdas/inference/models/endpoint.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { createCostsEndpoint } from '#lambdas/reports/costs/report.ts';
import { costBreakdownOf } from '#lambdas/reports/logs/cost-breakdown.ts';
import { createLogEntryEndpoint, createLogListEndpoint } from '#lambdas/reports/logs/endpoints.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { fc } from '#test/support/fast-check.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import { createInMemoryCosts } from '../lambdas/reports/costs/support/in-memory-costs.ts';
import { proxyEvent } from '../support/http/proxy-event.ts';
import { logEntry } from '../support/log-entries.ts';
import { errorProblems } from '../support/openai-schema/validate.ts';
import { recordLogLines } from '../support/record-log-lines.ts';
import { memoryLogEntries } from '../support/reports/memory-log-entries.ts';
import { memoryRollups } from '../support/reports/memory-rollups.ts';
import { anyName, anyText } from './arbitraries/json.ts';
import { caseCount, withTimeout } from './cases.ts';
import { createFuzzGateway } from './gateway.ts';

const numRuns = caseCount('reports');
const gateway = createFuzzGateway();
const noon = Date.UTC(2026, 0, 31, 12);
const entries = Array.from({ length: 40 }, (_, index) =>
  logEntry({
    id: createLogId(noon - index * 3_600_000, index % 3),
    model: `m${index % 4}`,
    user_id: index % 2 === 0 ? 'ada' : null,
    ...(index % 5 === 0 && { outcome: 'provider_error', status: 429, error_code: 'rate_limit_exceeded' }),
  }),
);
const { reader } = memoryLogEntries(entries);
const { dependencies } = createInMemoryCosts({ entries, logShards: 3, now: new Date(noon) });
const endpoints = {
  logs: createLogListEndpoint({
    logEntries: reader,
    logAccessOf: async () => ({ shards: 3, cursorKey: 'a2V5' }),
    ...memoryRollups({ entries, nowMs: noon }).dependencies,
  }),
  log: createLogEntryEndpoint({
    logEntries: { find: async (_, id) => entries.find((entry) => entry.id === id) ?? null },
    loadCostExplainer: async () => (entry) =>
      costBreakdownOf(entry, { customPrices: emptyPriceTable, settings: {} }),
  }),
  costs: createCostsEndpoint(dependencies),
  models: createModelsEndpoint({
    settings: {},
    credentials: { providerNames: async () => ['openai', 'constructor'] },
    region: 'us-east-1',
    routes: { list: async () => [] },
    now: () => new Date(noon),
  }),
};
const endpointDependencies = {
  authenticate: gateway.authenticate,
  cors: createCors([]),
  now: () => new Date(noon),
};
const handlers = {
  logs: createJsonEndpoint(endpointDependencies, endpoints.logs),
  log: createJsonEndpoint(endpointDependencies, endpoints.log),
  costs: createJsonEndpoint(endpointDependencies, endpoints.costs),
  models: createJsonEndpoint(endpointDependencies, endpoints.models),
};

const name = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(
      'start',
      'end',
      'model',
      'provider',
      'prompt_id',
      'session_id',
      'user_id',
      'route',
      'api_key_id',
      'outcome',
      'error_code',
      'status',
      'limit',
      'offset',
      'cursor',
      'group_by',
      'interval',
      'api_key_id',
      'error_code',
      'outcome',
      'time_zone',
      'compare',
    ),
  },
  { weight: 1, arbitrary: anyName },
);
const time = fc.oneof(
  fc
    .date({ min: new Date('2025-12-01'), max: new Date('2026-03-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    '2026-01-31',
    '2026-01-31T12:00:00Z',
    '2026-01-31T12:00:00+23:59',
    '9999-12-31T23:59:60Z',
    '+275760-09-13T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
  ),
);
const value = fc.oneof(
  time,
  fc.constantFrom(
    '1',
    '0',
    '-1',
    '100',
    '1000',
    '1e3',
    '10001',
    '200',
    '599',
    'm1',
    'openai/m1',
    'openai',
    'ada',
    'minute',
    'hour',
    'day',
    'month',
    'previous',
    'Europe/Berlin',
    'Asia/Kolkata',
    'rate_limit_exceeded',
    'model',
    'user_id',
    'route',
    'api_key',
    'key_AAAAAAAAAAAAAAAA',
    'completed',
    'provider_error',
    'rate_limit_exceeded',
    'provider:429',
    '',
    'a'.repeat(257),
    '%',
    '__proto__',
  ),
  fc.base64String({ maxLength: 60 }),
  anyText,
);
const query = fc.option(fc.array(fc.tuple(name, fc.array(value, { maxLength: 2 })), { maxLength: 4 }), {
  freq: 10,
});
const id = fc.oneof(
  fc.constantFrom(...entries.map((entry) => entry.id)),
  fc.uuid(),
  anyText,
  fc.constant(undefined),
);

it('returns a report of the right shape or a 4xx error, whatever the request', async () => {
  recordLogLines();
  const statuses = new Map<number, number>();
  const anyRequest = fc.record({
    endpoint: fc.constantFrom('logs', 'log', 'costs', 'models'),
    query,
    id,
    hasKey: fc.integer({ min: 0, max: 19 }),
  });
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const event = proxyEvent({
        headers: request.hasKey > 0 ? { Authorization: `Bearer ${gateway.apiKey}` } : {},
        multiValueQueryStringParameters: request.query && Object.fromEntries(request.query),
        pathParameters: request.id === undefined ? null : { id: request.id },
      });
      const handling = handlers[request.endpoint](event, {} as Context & never);
      const result = await withTimeout(handling);
      statuses.set(result.statusCode, (statuses.get(result.statusCode) ?? 0) + 1);
      expect(reportProblems(request.endpoint, result)).toEqual([]);
    }),
    { numRuns },
  );
  for (const status of [200, 400, 401, 404]) {
    expect(statuses.get(status) ?? 0).toBeGreaterThan(numRuns / 100);
  }
});

function reportProblems(endpoint: string, { statusCode, headers, body }: APIGatewayProxyResult): string[] {
  const report = parseJson(body);
  if (headers?.['content-type'] !== 'application/json') return ['no JSON'];
  if ([400, 401, 404].includes(statusCode)) return errorProblems(report);
  const field = { logs: 'data', log: 'id', costs: 'by_model', models: 'object' }[endpoint] ?? '';
  return statusCode === 200 && isJsonObject(report) && field in report ? [] : [`${statusCode}: ${body}`];
}
