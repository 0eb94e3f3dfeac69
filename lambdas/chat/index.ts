/** Entry of the chat function: environment, clients, handler. */
import { createJsonService } from '../shared/aws/json-service.ts';
import { parseChatLimits } from '../shared/domain/chat-limits.ts';
import { parseProviderSettings } from '../shared/domain/provider-settings.ts';
import { readAwsAccess, readEnvironment } from '../shared/environment.ts';
import { createAuthenticate } from '../shared/http/authenticate.ts';
import { asGatewayError } from '../shared/http/error-response.ts';
import { once } from '../shared/once.ts';
import { createCredentialSource } from '../shared/providers/credential-source.ts';
import { createHttpTransport } from '../shared/providers/http/http-transport.ts';
import { createProviderRegistry } from '../shared/providers/registry.ts';
import { createApiKeyFinder } from '../shared/stores/api-key-finder.ts';
import { createJsonTableCalls } from '../shared/stores/json-table-calls.ts';
import { createLogEntryQueue } from '../shared/stores/log-entry-queue.ts';
import { createLogEntryWriter } from '../shared/stores/log-entry-writer.ts';
import { createMessageSender } from '../shared/stores/message-sender.ts';
import { createProviderSecretReader } from '../shared/stores/provider-secret-reader.ts';
import { createChatHandler } from './chat-handler.ts';
import { chatLimits } from './limits.ts';

const environment = readEnvironment(
  'DIRECTORY_TABLE',
  'LOG_ENTRIES_TABLE',
  'ENTRY_RETENTION_DAYS',
  'LOST_ENTRIES_QUEUE_URL',
  'PROVIDER_SECRET_ARN',
  'PROVIDERS',
  'CHAT_LIMITS',
  'AWS_REGION',
);
const now = () => new Date();
const aws = { access: readAwsAccess(), now };
const calls = createJsonTableCalls(createJsonService({ service: 'dynamodb', ...aws }));
const secretsManager = createJsonService({ service: 'secretsmanager', ...aws });
const settings = parseProviderSettings(JSON.parse(environment.PROVIDERS));
const credentials = createCredentialSource({
  read: createProviderSecretReader(secretsManager, environment.PROVIDER_SECRET_ARN),
  now,
  onFailure: asGatewayError,
});

const loadPriceTable = once(async () => (await import('../shared/pricing/price-table.ts')).priceTable);

// Lambda gives a function a whole processor until it asks for its first event, and only its share from then on. So what
// the first request needs in any case is begun right after this file is read, and nothing waits for it.
setImmediate(() => {
  credentials.prefetchEarly();
  loadPriceTable().catch(() => {});
});

export const handler = awslambda.streamifyResponse(
  createChatHandler({
    authenticate: createAuthenticate({
      directory: createApiKeyFinder({ calls, tableName: environment.DIRECTORY_TABLE }),
      now,
    }),
    credentials,
    providers: createProviderRegistry(settings, aws),
    transport: createHttpTransport(),
    logEntries: createLogEntryWriter(
      { calls, tableName: environment.LOG_ENTRIES_TABLE, now },
      Number(environment.ENTRY_RETENTION_DAYS),
    ),
    lostEntries: createLogEntryQueue({
      queueUrl: environment.LOST_ENTRIES_QUEUE_URL,
      sender: createMessageSender(createJsonService({ service: 'sqs', ...aws })),
    }),
    output: console,
    loadPriceTable,
    loadModelsEndpoint: once(async () => {
      const { createModelsEndpoint } = await import('../shared/models-endpoint.ts');
      return createModelsEndpoint({ settings, credentials, region: environment.AWS_REGION, now });
    }),
    withMetadata: awslambda.HttpResponseStream.from,
    now,
    limits: chatLimits(parseChatLimits(JSON.parse(environment.CHAT_LIMITS))),
  }),
);
