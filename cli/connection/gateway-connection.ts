/** The stores of a gateway, local or deployed: the commands do not see which. */

import type { CloudWatchLogsClient, CloudWatchLogsClientConfig } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient, type SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import type { SQSClientConfig } from '@aws-sdk/client-sqs';
import type { Directory } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/organizations.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { createProviderSecret, type ProviderSecret } from '#lambdas/inference/providers/credential-store.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import type { MessageQueue } from '#lambdas/platform/aws/message-queue.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/sdk-writer.ts';
import { AdminError } from '../admin-error.ts';
import { createServerClock } from './server-clock.ts';

export interface GatewayConnection {
  directory: Directory;
  providerSecret: ProviderSecret;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  /** What the operator says of the providers; no credentials. */
  providerSettings: ProviderSettingsByName;
  /** How long the operator has entries kept. */
  retentionDays(): number;
  openQueue(output: QueueOutput): Promise<MessageQueue>;
  openChatLog(): Promise<ChatLog>;
  /** The time by the clock of the tables, whatever this machine's says. */
  now(): Date;
}

/** Outputs that are URLs of queues. */
export type QueueOutput =
  | 'LostEntriesQueueUrl'
  | 'LostEntriesDeadLetterQueueUrl'
  | 'RollupDeadLetterQueueUrl';

/** The lines of the chat function. */
export interface ChatLog {
  client: CloudWatchLogsClient;
  logGroupName: string;
}

interface ConnectionOptions {
  /** The stack's outputs by name. */
  outputs: Readonly<Record<string, string>>;
  /** What the outputs are of, for messages: `the stack "AiGateway"`. */
  source: string;
  dynamodb: DynamoDBClientConfig;
  secretsManager: SecretsManagerClientConfig;
  sqs: SQSClientConfig;
  /** `null` where lines are kept elsewhere. */
  cloudWatchLogs: CloudWatchLogsClientConfig | null;
}

export function openGateway(options: ConnectionOptions): GatewayConnection {
  const dynamodb = new DynamoDBClient(options.dynamodb);
  const client = createDocumentClient(dynamodb);
  const now = createServerClock(dynamodb, Date.now);
  const table = (output: string) => ({ client, tableName: outputOf(options, output), now });
  return {
    directory: createDirectoryStore(table('DirectoryTableName')),
    providerSecret: createProviderSecret({
      client: new SecretsManagerClient(options.secretsManager),
      secretId: outputOf(options, 'ProviderSecretArn'),
    }),
    logEntries: table('LogEntriesTableName'),
    costRollups: table('CostRollupsTableName'),
    providerSettings: JSON.parse(outputOf(options, 'ProviderSettings')) as ProviderSettingsByName,
    retentionDays: () => Number(outputOf(options, 'EntryRetentionDays')),
    async openQueue(output) {
      // Few commands need its client.
      const { openMessageQueue } = await import('#lambdas/platform/aws/message-queue.ts');
      return openMessageQueue(options.sqs, outputOf(options, output));
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
  return { client, logGroupName: outputOf(options, 'ChatLogGroupName') };
}

function outputOf({ outputs, source }: ConnectionOptions, name: string): string {
  const value = outputs[name];
  if (value !== undefined) return value;
  throw new AdminError(`${source} has no output "${name}": is it a gateway, and of this version?`);
}
