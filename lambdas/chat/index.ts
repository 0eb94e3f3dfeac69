/** Entry of the chat function: environment, clients, handler. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { parseChatLimits } from '../shared/domain/chat-limits.ts';
import { parseProviderSettings } from '../shared/domain/provider-settings.ts';
import { readEnvironment } from '../shared/environment.ts';
import { createAuthenticate } from '../shared/http/authenticate.ts';
import { asGatewayError } from '../shared/http/error-response.ts';
import { createCredentialSource } from '../shared/providers/credential-source.ts';
import { createHttpTransport } from '../shared/providers/http/http-transport.ts';
import { createProviderRegistry } from '../shared/providers/registry.ts';
import { tableClientSettings } from '../shared/stores/client-settings.ts';
import { createDirectoryStore } from '../shared/stores/directory-store.ts';
import { createDocumentClient } from '../shared/stores/document-client.ts';
import { createLogEntryQueue } from '../shared/stores/log-entry-queue.ts';
import { createLogEntryWriter } from '../shared/stores/log-entry-writer.ts';
import { createProviderSecret } from '../shared/stores/provider-secret.ts';
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
const client = createDocumentClient(new DynamoDBClient(tableClientSettings));
const secret = createProviderSecret({
  client: new SecretsManagerClient(tableClientSettings),
  secretId: environment.PROVIDER_SECRET_ARN,
});
const now = () => new Date();
const settings = parseProviderSettings(JSON.parse(environment.PROVIDERS));
const credentials = createCredentialSource({ read: secret.read, now, onFailure: asGatewayError });

export const handler = awslambda.streamifyResponse(
  createChatHandler({
    authenticate: createAuthenticate({
      directory: createDirectoryStore({ client, tableName: environment.DIRECTORY_TABLE }),
      now,
    }),
    credentials,
    providers: createProviderRegistry(settings),
    transport: createHttpTransport(),
    logEntries: createLogEntryWriter(
      { client, tableName: environment.LOG_ENTRIES_TABLE, now },
      Number(environment.ENTRY_RETENTION_DAYS),
    ),
    lostEntries: createLogEntryQueue({
      queueUrl: environment.LOST_ENTRIES_QUEUE_URL,
      loadSender: async () => (await import('../shared/stores/message-sender.ts')).createMessageSender(),
    }),
    output: console,
    loadPriceTable: async () => (await import('../shared/pricing/price-table.ts')).priceTable,
    loadModelsEndpoint: async () => {
      const { createModelsEndpoint } = await import('../shared/models-endpoint.ts');
      return createModelsEndpoint({ settings, credentials, region: environment.AWS_REGION, now });
    },
    withMetadata: awslambda.HttpResponseStream.from,
    now,
    limits: chatLimits(parseChatLimits(JSON.parse(environment.CHAT_LIMITS))),
  }),
);
