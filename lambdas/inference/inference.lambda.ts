/** Entry point of the inference function: creates the clients, and adapts Lambda's event, stream and timeout to the handler. */

import { setTimeout as wait } from 'node:timers/promises';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createApiKeyFinder } from '#lambdas/access/key-lookup.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createMessageSender } from '#lambdas/platform/aws/sqs.ts';
import { createJsonTableCalls } from '#lambdas/platform/dynamodb/json-table.ts';
import { readAwsAccess, readEnvironment } from '#lambdas/platform/environment.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import { type HttpEvent, readHttpRequest } from '#lambdas/platform/http/lambda-event.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { log, withRequestId } from '#lambdas/platform/telemetry/log.ts';
import { createLogEntryQueue } from '#lambdas/request-log/lost-entries.ts';
import { createLogEntryWriter } from '#lambdas/request-log/table/writer.ts';
import { chatLimits, customPriceTimeoutMs, responseDeadlineMs } from './exchange/limits.ts';
import { createInferenceHandler } from './handler.ts';
import { operations } from './operations.ts';
import { createCredentialSource, createProviderSecretReader } from './providers/credentials.ts';
import { createHttpTransport } from './providers/http/client.ts';
import { createProviderRegistry } from './providers/registry.ts';
import type { ProviderSettingsByName } from './providers/settings.ts';

const environment = readEnvironment(
  'DIRECTORY_TABLE',
  'LOG_ENTRIES_TABLE',
  'PRICES_TABLE',
  'BUDGET_COUNTERS_TABLE',
  'CONVERSATION_STATE_TABLE',
  'ENTRY_RETENTION_DAYS',
  'LOST_ENTRIES_QUEUE_URL',
  'PROVIDER_SECRET_ARN',
  'PROVIDERS',
  'DEFAULT_PROVIDER',
  'AGENT_SESSIONS',
  'CHAT_LIMITS',
  'STREAM_FLUSH_MS',
  'ALLOWED_ORIGINS',
  'AWS_REGION',
);
const now = () => new Date();
const aws = { access: readAwsAccess(), now };
const dynamodb = createJsonService({ service: 'dynamodb', ...aws });
const calls = createJsonTableCalls(dynamodb);
const secretsManager = createJsonService({ service: 'secretsmanager', ...aws });
const settings: ProviderSettingsByName = JSON.parse(environment.PROVIDERS);
const credentials = createCredentialSource({
  read: createProviderSecretReader(secretsManager, environment.PROVIDER_SECRET_ARN),
  now,
  onFailure: logUnexpected,
});

const loadPricing = lazy(async () => {
  const { createPricing } = await import('#lambdas/pricing/pricing.ts');
  return createPricing({ calls, tableName: environment.PRICES_TABLE, now, timeoutMs: customPriceTimeoutMs });
});

const loadRoutes = lazy(async () => {
  const { createRouteLookup } = await import('#lambdas/routing/lookup.ts');
  return createRouteLookup({ calls, tableName: environment.DIRECTORY_TABLE, now });
});

// Lambda grants a full vCPU during the init phase and only the function's share of one afterwards. Work that the first
// request needs in any case therefore starts as soon as this module is loaded, without being awaited.
setImmediate(() => {
  credentials.prefetchEarly();
  loadPricing().catch(() => {});
});

const providers = createProviderRegistry(settings, aws, JSON.parse(environment.DEFAULT_PROVIDER));
const transport = createHttpTransport();
const limits = chatLimits(JSON.parse(environment.CHAT_LIMITS), {
  flushMs: Number(environment.STREAM_FLUSH_MS),
});

const handle = createInferenceHandler({
  operations,
  cors: createCors(JSON.parse(environment.ALLOWED_ORIGINS)),
  authenticate: createAuthenticate({
    apiKeys: createApiKeyFinder({ calls, tableName: environment.DIRECTORY_TABLE }),
    now,
  }),
  credentials,
  providers,
  agentSessions: environment.AGENT_SESSIONS === 'true',
  transport,
  logEntries: createLogEntryWriter(
    { calls, tableName: environment.LOG_ENTRIES_TABLE, now },
    Number(environment.ENTRY_RETENTION_DAYS),
  ),
  lostEntries: createLogEntryQueue({
    queueUrl: environment.LOST_ENTRIES_QUEUE_URL,
    sender: createMessageSender(createJsonService({ service: 'sqs', ...aws })),
  }),
  log,
  loadPricing,
  loadAdmitRequest: lazy(async () => {
    const { createAdmitRequest } = await import('./exchange/admit-request.ts');
    const tableName = environment.BUDGET_COUNTERS_TABLE;
    return createAdmitRequest({ dynamodb, calls, tableName, loadPricing, now });
  }),
  loadConversationState: lazy(async () => {
    const { createConversationState } = await import('./conversation-state/state.ts');
    return createConversationState({ dynamodb, tableName: environment.CONVERSATION_STATE_TABLE, now });
  }),
  loadServeRoute: lazy(async () => {
    const [{ createServeRoute }, routes] = await Promise.all([
      import('./routing/serve-route.ts'),
      loadRoutes(),
    ]);
    return createServeRoute({ routes, random: Math.random });
  }),
  loadEndpoints: lazy(async () => {
    const { createEndpoints } = await import('./endpoints.ts');
    return createEndpoints({
      settings,
      region: environment.AWS_REGION,
      providers,
      credentials,
      loadRoutes,
      transport,
      limits,
      log,
      now,
      wait,
    });
  }),
  now,
  limits,
});

/** Never aborted: Lambda does not shut down an execution environment while it handles an event. */
const { signal } = new AbortController();

export const handler = awslambda.streamifyResponse((event: HttpEvent, stream, context) =>
  withRequestId(context.awsRequestId, () =>
    handle({
      request: readHttpRequest(event),
      response: createResponseSink(stream, (statusCode, headers) =>
        awslambda.HttpResponseStream.from(stream, { statusCode, headers }),
      ),
      deadlineMs: responseDeadlineMs(now().getTime(), context.getRemainingTimeInMillis()),
      signal,
    }),
  ),
);
