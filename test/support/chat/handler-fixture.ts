/** The chat handler with an embedded DynamoDB and a fake provider, invoked with the events that AWS sends. */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { storeBudgetRef } from '#lambdas/access/budget-refs.ts';
import type { ApiKey, BudgetCounterRef } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { createApiKeyFinder } from '#lambdas/access/key-lookup.ts';
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import { createConversationState } from '#lambdas/inference/conversation-state/state.ts';
import { createEndpoints } from '#lambdas/inference/endpoints.ts';
import { createAdmitRequest } from '#lambdas/inference/exchange/admit-request.ts';
import {
  type ChatLimits,
  chatLimits,
  defaultChatLimits,
  responseDeadlineMs,
} from '#lambdas/inference/exchange/limits.ts';
import {
  createInferenceHandler,
  type InferenceDependencies,
  type InferenceHandler,
} from '#lambdas/inference/handler.ts';
import { operations } from '#lambdas/inference/operations.ts';
import {
  createCredentialSource,
  type ProviderCredentials,
} from '#lambdas/inference/providers/credentials.ts';
import { createHttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { createServeRoute } from '#lambdas/inference/routing/serve-route.ts';
import { changeRateLimits } from '#lambdas/limits/rates/changes.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createJsonTableCalls } from '#lambdas/platform/dynamodb/json-table.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { readHttpRequest } from '#lambdas/platform/http/lambda-event.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import type { LogEntry, LostEntries } from '#lambdas/request-log/entry.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import { createLogEntryWriter } from '#lambdas/request-log/table/writer.ts';
import { createRouteLookup } from '#lambdas/routing/lookup.ts';
import { collectLogLines } from '#test/support/log-lines.ts';
import { createTestAuditTrail, testCreator } from '../audit/test-audit-trail.ts';
import { exampleClientOptions } from '../aws/client-options.ts';
import { awsAccessAt } from '../aws/scripted-service.ts';
import type { EmbeddedDynamoDB } from '../dynamodb/embedded.ts';
import { tableCallsAt } from '../dynamodb/table-calls-at.ts';
import { createTables, type TestTables } from '../dynamodb/tables.ts';
import { recordContent } from '../planted-secrets/output-recorder.ts';
import {
  type BudgetOwner,
  budgetOwners,
  createHardBudgets,
  type HardBudgets,
  type HardLimitsByOwner,
} from './hard-budgets.ts';

export interface ChatHandlerFixtureOptions {
  /** The path of the operation. Default: chat completions. */
  path?: string;
  database: EmbeddedDynamoDB;
  settings: ProviderSettingsByName;
  /** A function is called for each read. */
  credentials?: ProviderCredentials | (() => ProviderCredentials | Promise<ProviderCredentials>);
  dependencies?: Partial<InferenceDependencies>;
  hardLimits?: HardLimitsByOwner;
  rateLimits?: Partial<Record<BudgetOwner, RateLimits>>;
  /** Fields of the key's record, which replace those of a new key. */
  apiKeyFields?: Partial<ApiKey>;
  /** The counter that the key has, in place of its own. */
  keyBudget?: BudgetCounterRef;
  /** The address of the BudgetCounters table, if it is not in the database. */
  budgetsEndpoint?: string;
  signal?: AbortSignal;
  limits?: Partial<ChatLimits>;
  remainingMs?: number;
}

export interface ChatCall {
  status: number;
  headers: Record<string, string>;
  body: PassThrough;
  invocation: Promise<void>;
}

export interface ChatHandlerFixture {
  apiKey: string;
  organizationId: string;
  apiKeyId: string;
  hardBudgets: HardBudgets;
  tables: TestTables;
  /** Invokes the handler, and resolves when status and headers are sent. */
  call(event: Partial<APIGatewayProxyEventV2>, body?: PassThrough): Promise<ChatCall>;
  post(
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Record<string, string>; text: string }>;
  event(body: unknown, headers?: Record<string, string>): Partial<APIGatewayProxyEventV2>;
  /** For entry points other than Lambda. */
  handle: InferenceHandler;
  lines: LogLine[];
  lostEntries: LogEntry[];
  /** Oldest first, without those that have expired by the clock of the handler; all of them by default. */
  entries(window?: TimeWindow): Promise<LogEntry[]>;
}

interface LogLine {
  level: string;
  event: string;
  entry?: Partial<LogEntry>;
}

export async function createChatHandlerFixture(
  options: ChatHandlerFixtureOptions,
): Promise<ChatHandlerFixture> {
  const {
    database,
    settings,
    credentials = {},
    dependencies: services = {},
    limits = {},
    remainingMs = 60_000,
    path = '/ai/chat/completions',
  } = options;
  const { signal = new AbortController().signal } = options;
  const client = database.documentClient;
  const tables = await createTables(database);
  const directoryTable = { client, tableName: tables.directory };
  const directory = createDirectoryStore(directoryTable);
  const organizationId = newOrganizationId();
  const audit = createTestAuditTrail(database, tables);
  const [createdAt, createdBy] = [new Date(), testCreator];
  await directory.createOrganization(
    { id: organizationId, name: 'test', created_at: createdAt.toISOString(), log_shards: 1 },
    audit,
  );
  const issued = issueApiKey({ organizationId, name: 'test', createdAt, createdBy });
  const { key } = issued;
  const apiKey = { ...issued.apiKey, ...options.apiKeyFields };
  const budgetCounters = { client, tableName: tables.budgetCounters };
  const hardBudgets = await createHardBudgets(budgetCounters, apiKey, options.hardLimits ?? {});
  await directory.createApiKey(apiKey, hashApiKey(key), audit);
  const { organization_budget, key_budget } = hardBudgets.refs;
  const storeRef = (keyId: string | null, ref?: BudgetCounterRef) =>
    ref && storeBudgetRef(directoryTable, { organizationId, keyId }, ref);
  await storeRef(null, organization_budget);
  await storeRef(apiKey.id, options.keyBudget ?? key_budget);
  for (const owner of budgetOwners) {
    const limits = options.rateLimits?.[owner];
    const scope = { organizationId, keyId: owner === 'key' ? apiKey.id : null };
    if (limits !== undefined) await changeRateLimits(directoryTable, scope, () => limits, audit);
  }
  const now = () => new Date();
  const tableCalls = tableCallsAt(database.endpoint, now);
  const credentialSource = createCredentialSource({
    read: async () => (typeof credentials === 'function' ? credentials() : credentials),
    now,
    onFailure: () => {},
  });
  const pricing = createPricing({ calls: tableCalls, tableName: tables.prices, now });
  const { now: chatNow = now, loadPricing = async () => pricing } = services;
  const routes = createRouteLookup({ calls: tableCalls, tableName: tables.directory, now: chatNow });
  const lines: LogLine[] = [];
  const lostEntries: LogEntry[] = [];
  const queue: LostEntries = { send: async (entry) => void lostEntries.push(entry) };
  const connections = {
    providers: createProviderRegistry(settings, exampleClientOptions),
    transport: createHttpTransport(),
    limits: { ...chatLimits(defaultChatLimits, { flushMs: 0 }), ...limits },
  };
  const handler = createInferenceHandler({
    operations,
    authenticate: createAuthenticate({
      apiKeys: createApiKeyFinder({ calls: tableCalls, tableName: tables.directory }),
      now,
    }),
    credentials: credentialSource,
    ...connections,
    agentSessions: true,
    logEntries: createLogEntryWriter({ calls: tableCalls, tableName: tables.logEntries, now }, 90),
    lostEntries: queue,
    log: collectLogLines((line) => lines.push(JSON.parse(line))),
    loadPricing,
    loadAdmitRequest: lazy(async () => {
      const access = awsAccessAt(options.budgetsEndpoint ?? database.endpoint);
      const dynamodb = createJsonService({ service: 'dynamodb', access, now });
      const calls = createJsonTableCalls(dynamodb);
      const tableName = tables.budgetCounters;
      return createAdmitRequest({ dynamodb, calls, tableName, loadPricing, now: chatNow });
    }),
    loadServeRoute: lazy(async () => createServeRoute({ routes, random: Math.random })),
    loadConversationState: async () => {
      const dynamodb = createJsonService({
        service: 'dynamodb',
        access: awsAccessAt(database.endpoint),
        now,
      });
      return createConversationState({ dynamodb, tableName: tables.conversationState, now: chatNow });
    },
    cors: createCors([]),
    loadEndpoints: async () =>
      createEndpoints({
        ...connections,
        settings,
        region: 'us-east-1',
        credentials: credentialSource,
        loadRoutes: async () => routes,
        log: collectLogLines(() => {}),
        now: chatNow,
        wait: async () => {},
      }),
    now,
    ...services,
  });

  const fixture: ChatHandlerFixture = {
    apiKey: key,
    handle: handler,
    lines,
    lostEntries,
    organizationId,
    apiKeyId: apiKey.id,
    hardBudgets,
    tables,
    event: (body, headers = {}) => ({
      rawPath: path,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      isBase64Encoded: false,
    }),
    async call(event, body = new PassThrough()) {
      recordContent(event.body);
      const responseHead = Promise.withResolvers<Pick<ChatCall, 'status' | 'headers'>>();
      const invocation = handler({
        request: readHttpRequest({ ...functionUrlEvent, ...event }),
        response: createResponseSink(body, (status, headers) => {
          responseHead.resolve({ status, headers });
          return body;
        }),
        deadlineMs: responseDeadlineMs(chatNow().getTime(), remainingMs),
        signal,
      });
      const { status, headers } = await Promise.race([
        responseHead.promise,
        invocation.then(() => noResponse),
      ]);
      return { status, headers, body, invocation };
    },
    async post(body, headers) {
      const call = await fixture.call(fixture.event(body, headers));
      const text = call.status === 0 ? '' : (await buffer(call.body)).toString();
      await call.invocation;
      return { status: call.status, headers: call.headers, text };
    },
    async entries(window = allTime) {
      const range = { organizationId, shard: 0, window };
      const logEntries = { client, tableName: tables.logEntries, now: chatNow };
      const pages = await Array.fromAsync(readLogEntryPages(logEntries, range));
      return pages.flat().map(({ entry }) => entry);
    },
  };
  return fixture;
}

const noResponse = { status: 0, headers: {} };

/** A complete event of a function URL, as AWS documents it. */
export const functionUrlEvent: APIGatewayProxyEventV2 = {
  version: '2.0',
  routeKey: '$default',
  rawPath: '/',
  rawQueryString: '',
  headers: {},
  requestContext: {
    accountId: 'anonymous',
    apiId: 'url-id',
    domainName: 'url-id.lambda-url.us-east-1.on.aws',
    domainPrefix: 'url-id',
    http: { method: 'POST', path: '/', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
    requestId: 'request-id',
    routeKey: '$default',
    stage: '$default',
    time: '20/Nov/2026:00:00:00 +0000',
    timeEpoch: 1795132800000,
  },
  isBase64Encoded: false,
};
