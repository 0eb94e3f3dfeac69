/** The stores of a gateway, whether it is local or deployed. */

import type { CloudWatchLogsClient, CloudWatchLogsClientConfig } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient, type SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import type { SQSClientConfig } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import type { Directory } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { createProviderSecret, type ProviderSecret } from '#lambdas/inference/providers/credential-store.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import type { MessageQueue } from '#lambdas/platform/aws/message-queue.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { providersSchema } from '#lib/settings/providers.ts';
import { AdminError } from '../errors.ts';
import { createCheckedDirectory } from './checked-directory.ts';
import { createServerClock } from './server-clock.ts';

export interface GatewayConnection {
  directory: Directory;
  providerSecret: ProviderSecret;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  /** The setting "providers", which has no credentials. */
  providerSettings: ProviderSettingsByName;
  /** The setting "entryRetentionDays". */
  retentionDays(): number;
  openQueue(output: QueueOutput): Promise<MessageQueue>;
  openChatLog(): Promise<ChatLog>;
  /** By the clock of the tables, which this machine's may differ from. */
  now(): Date;
}

/** The outputs of the stack that are URLs of queues. */
export type QueueOutput =
  | 'LostEntriesQueueUrl'
  | 'LostEntriesDeadLetterQueueUrl'
  | 'RollupDeadLetterQueueUrl';

/** The log of the chat function. */
export interface ChatLog {
  client: CloudWatchLogsClient;
  logGroupName: string;
}

interface ConnectionOptions {
  /** The stack's outputs by name. */
  outputs: Readonly<Record<string, string>>;
  /** The owner of the outputs, for messages: `The stack "AiGateway"`. */
  source: string;
  dynamodb: DynamoDBClientConfig;
  secretsManager: SecretsManagerClientConfig;
  sqs: SQSClientConfig;
  /** `null` where log lines are kept elsewhere. */
  cloudWatchLogs: CloudWatchLogsClientConfig | null;
}

const retentionDays = z.coerce.number().int().positive();
const providerSettings = z.string().transform(parseJson).pipe(providersSchema);

export function openGateway(options: ConnectionOptions): GatewayConnection {
  const dynamodb = new DynamoDBClient(options.dynamodb);
  const client = createDocumentClient(dynamodb);
  const now = createServerClock(dynamodb, Date.now);
  const table = (output: string) => ({ client, tableName: requireOutput(options, output), now });
  return {
    directory: createCheckedDirectory(createDirectoryStore(table('DirectoryTableName'))),
    providerSecret: createProviderSecret({
      client: new SecretsManagerClient(options.secretsManager),
      secretId: requireOutput(options, 'ProviderSecretArn'),
    }),
    logEntries: table('LogEntriesTableName'),
    costRollups: table('CostRollupsTableName'),
    providerSettings: readOutput(options, 'ProviderSettings', providerSettings),
    retentionDays: () => readOutput(options, 'EntryRetentionDays', retentionDays),
    async openQueue(output) {
      // Only few commands need its client.
      const { openMessageQueue } = await import('#lambdas/platform/aws/message-queue.ts');
      return openMessageQueue(options.sqs, requireOutput(options, output));
    },
    openChatLog: () => openChatLog(options),
    now,
  };
}

async function openChatLog(options: ConnectionOptions): Promise<ChatLog> {
  if (options.cloudWatchLogs === null) {
    throw new AdminError(`${options.source} keeps no log lines: give them with --file FILE`, 2);
  }
  const { CloudWatchLogsClient } = await import('@aws-sdk/client-cloudwatch-logs');
  const client = new CloudWatchLogsClient(options.cloudWatchLogs);
  return { client, logGroupName: requireOutput(options, 'ChatLogGroupName') };
}

function readOutput<Schema extends z.ZodType>(
  options: ConnectionOptions,
  name: string,
  schema: Schema,
): z.output<Schema> {
  const { success, data } = schema.safeParse(requireOutput(options, name));
  if (success) return data;
  throw new AdminError(
    `${options.source} has an output "${name}" that cannot be read: use the version of the command line that it was deployed with`,
  );
}

function requireOutput({ outputs, source }: ConnectionOptions, name: string): string {
  const value = outputs[name];
  if (value !== undefined) return value;
  throw new AdminError(`${source} has no output "${name}": is it a gateway, and of this version?`);
}
