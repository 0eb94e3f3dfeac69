/** The report endpoints and the rollup function with an embedded DynamoDB, invoked with the events that AWS sends. */

import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context, DynamoDBRecord } from 'aws-lambda';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { createJsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import type { RollupHandler } from '#lambdas/costs/rollups/handler.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import type { CostDependencies } from '#lambdas/reports/costs/read.ts';
import { createCostsEndpoint } from '#lambdas/reports/costs/report.ts';
import { costBreakdownOf } from '#lambdas/reports/logs/cost-breakdown.ts';
import { createLogEntryEndpoint, createLogListEndpoint } from '#lambdas/reports/logs/endpoints.ts';
import { createLogEntryReader } from '#lambdas/reports/logs/read.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { findOldestEntryMs } from '#lambdas/request-log/table/extent.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { createLogEntryWriter } from '#lambdas/request-log/table/writer.ts';
import { createTestAuditTrail, testCreator } from '../audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '../dynamodb/embedded.ts';
import { createTables, type TestTables } from '../dynamodb/tables.ts';
import { proxyEvent } from '../http/proxy-event.ts';
import { costDependencies } from './cost-dependencies.ts';
import { rollupFunction } from './rollup-function.ts';

export interface Caller {
  organizationId: string;
  apiKey: string;
}

type Endpoint = 'logs' | 'log' | 'costs';

interface ReportRequest {
  caller?: Caller;
  /** A query string, without the question mark. */
  query?: string;
  id?: string;
  headers?: Record<string, string>;
}

export interface ReportFixture {
  database: EmbeddedDynamoDB;
  tables: TestTables;
  newCaller(options?: { logShards?: number }): Promise<Caller>;
  /** Stops the endpoints' clock at this time. Before the first call, it is the real time. */
  setTime(now: Date): void;
  /** Writes the items that the gateway writes, in batches, which are four times as fast. No entry may exist. */
  write(...entries: LogEntry[]): Promise<void>;
  /** Invokes the rollup function with the entries' stream records. */
  rollUp: (entries: LogEntry[], firstSequenceNumber?: number) => ReturnType<RollupHandler>;
  rollupHandler: RollupHandler;
  get(endpoint: Endpoint, request: ReportRequest): Promise<{ status: number; text: string; body: unknown }>;
  stop(): Promise<void>;
}

interface ReportFixtureOptions {
  /** Wraps the dependencies of the costs endpoint, for example to count reads. */
  wrapCostDependencies?: (sources: CostDependencies) => CostDependencies;
}

export async function startReportFixture({
  wrapCostDependencies: watchCosts = (sources) => sources,
}: ReportFixtureOptions = {}): Promise<ReportFixture> {
  const database: EmbeddedDynamoDB = await startEmbeddedDynamoDB();
  const tables = await createTables(database);
  const client = database.documentClient;
  let time: Date | undefined;
  const now = () => time ?? new Date();
  const logEntries = { client, tableName: tables.logEntries, now };
  const customPrices = { calls: createSdkTableCalls(client), tableName: tables.prices, now };
  const rollups = { client, tableName: tables.costRollups };
  const directory = createDirectoryStore({ client, tableName: tables.directory });
  const audit = createTestAuditTrail(database, tables);
  const endpointDependencies = {
    authenticate: createAuthenticate({ apiKeys: directory, now: () => new Date() }),
    cors: createCors([]),
    now: () => new Date(),
  };
  const rollupHandler = rollupFunction({ table: rollups, now });
  const handlers = {
    logs: createJsonEndpoint(
      endpointDependencies,
      createLogListEndpoint({
        logAccessOf: directory.logAccessOf,
        logEntries: createLogEntryReader(logEntries),
        ...costDependencies({ ...tables, client }, { logShardsOf: directory.logShardsOf, now }),
        findOldestEntryMs: (shard) => findOldestEntryMs(logEntries, shard),
      }),
    ),
    log: createJsonEndpoint(
      endpointDependencies,
      createLogEntryEndpoint({
        logEntries: createLogEntryReader(logEntries),
        loadCostExplainer: async () => (entry) => costBreakdownOf(entry, { customPrices, settings: {} }),
      }),
    ),
    costs: createJsonEndpoint(
      endpointDependencies,
      createCostsEndpoint(
        watchCosts(costDependencies({ ...tables, client }, { logShardsOf: directory.logShardsOf, now })),
      ),
    ),
  };
  return {
    database,
    tables,
    setTime(to) {
      time = to;
    },
    async newCaller({ logShards = 1 } = {}) {
      const organizationId = newOrganizationId();
      const createdAt = new Date();
      await directory.createOrganization(
        { id: organizationId, name: 'test', created_at: createdAt.toISOString(), log_shards: logShards },
        audit,
      );
      const createdBy = testCreator;
      const { key, apiKey } = issueApiKey({ organizationId, name: 'test', createdAt, createdBy });
      await directory.createApiKey(apiKey, hashApiKey(key), audit);
      return { organizationId, apiKey: key };
    },
    async write(...entries) {
      const requests: { PutRequest: { Item: Record<string, unknown> } }[] = [];
      const put = async (_: string, Item: Record<string, unknown>) => {
        requests.push({ PutRequest: { Item } });
      };
      const writer = createLogEntryWriter({ ...logEntries, calls: { put } }, 90);
      for (const entry of entries) await writer.put(entry);
      for (let from = 0; from < requests.length; from += 25) {
        const RequestItems = { [tables.logEntries]: requests.slice(from, from + 25) };
        await client.send(new BatchWriteCommand({ RequestItems }));
      }
    },
    rollUp: (entries, first = 1) =>
      rollupHandler({
        shardId: 'shardId-1',
        Records: entries.map((entry, index) => streamRecord(entry, first + index, now().getTime())),
      }),
    rollupHandler,
    async get(endpoint, request) {
      const result: APIGatewayProxyResult = await handlers[endpoint](
        reportEvent(request),
        {} as Context & never,
      );
      return { status: result.statusCode, text: result.body, body: JSON.parse(result.body) };
    },
    stop: () => database.stop(),
  };
}

export function streamRecord(
  entry: LogEntry,
  sequenceNumber: number,
  writtenAtMs = Date.parse(entry.created_at),
): DynamoDBRecord {
  const NewImage = marshall(toItem(entry, { writtenAtMs, expiresAtSeconds: 0 })) as NonNullable<
    DynamoDBRecord['dynamodb']
  >['NewImage'];
  return {
    eventID: `event-${sequenceNumber}`,
    eventName: 'INSERT',
    dynamodb: { SequenceNumber: String(sequenceNumber), ...(NewImage !== undefined && { NewImage }) },
  };
}

function reportEvent({ caller, query = '', id, headers }: ReportRequest): APIGatewayProxyEvent {
  const parameters: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    parameters[name] = [...(parameters[name] ?? []), value];
  }
  return proxyEvent({
    headers: { ...(caller && { Authorization: `Bearer ${caller.apiKey}` }), ...headers },
    multiValueQueryStringParameters: query === '' ? null : parameters,
    pathParameters: id === undefined ? null : { id },
  });
}
