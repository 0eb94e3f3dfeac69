/** Opens the tables, queues, secret, log and audit trail of a local or deployed gateway. */

import type { CloudWatchLogsClient, CloudWatchLogsClientConfig } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient, type SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import type { SESv2ClientConfig } from '@aws-sdk/client-sesv2';
import type { SQSClientConfig } from '@aws-sdk/client-sqs';
import type { STSClientConfig } from '@aws-sdk/client-sts';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import type { Directory } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { AccountsTable } from '#lambdas/accounts/accounts-table.ts';
import type { SendMail } from '#lambdas/accounts/mail.ts';
import { type AuditTable, type AuditTrail, createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { createProviderSecret, type ProviderSecret } from '#lambdas/inference/providers/credential-store.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import type { BudgetChangesTable } from '#lambdas/limits/budgets/pending-changes.ts';
import type { BudgetCountersTable } from '#lambdas/limits/counters/table.ts';
import type { MessageQueue } from '#lambdas/platform/aws/message-queue.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { CustomPricesTable } from '#lambdas/pricing/custom/store.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { providersSchema } from '#lib/settings/providers.ts';
import { AdminError } from '../errors.ts';
import { createCheckedDirectory } from './checked-directory.ts';
import { type GatewayOutputs, readOutput, requireOutput } from './gateway-outputs.ts';
import { readOperator } from './operator.ts';
import { createServerClock } from './server-clock.ts';

export interface GatewayConnection {
  directory: Directory;
  /** The table of the directory, which also has the budgets. */
  directoryTable: BudgetChangesTable;
  /** The counters of the budgets. */
  budgetCounters: BudgetCountersTable;
  providerSecret: ProviderSecret;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  prices: CustomPricesTable;
  /** The setting `providers`, which contains no credentials. */
  providerSettings: ProviderSettingsByName;
  retentionDays(): number;
  /** For a command that changes something: asks AWS once who runs it. */
  openAuditTrail(): Promise<AuditTrail>;
  auditTable: Pick<AuditTable, 'client' | 'tableName'>;
  /** Throws an `AdminError` for a gateway without a dashboard. */
  dashboard(): DashboardConnection;
  openQueue(output: QueueOutput): Promise<MessageQueue>;
  openChatLog(): Promise<ChatLog>;
  /** The time by DynamoDB's clock, which can differ from this machine's. */
  now(): Date;
}

interface DashboardConnection {
  accounts: AccountsTable;
  /** Without a trailing slash. */
  origin: string;
  /** Sends from the address of the setting `mailFrom`. `null` without the setting. */
  sendMail: SendMail | null;
}

type QueueOutput =
  | 'LostEntriesQueueUrl'
  | 'LostEntriesDeadLetterQueueUrl'
  | 'RollupDeadLetterQueueUrl'
  | 'BudgetChangesDeadLetterQueueUrl';

export interface ChatLog {
  client: CloudWatchLogsClient;
  logGroupName: string;
}

interface ConnectionOptions extends GatewayOutputs {
  dynamodb: DynamoDBClientConfig;
  secretsManager: SecretsManagerClientConfig;
  sqs: SQSClientConfig;
  sts: STSClientConfig;
  ses: SESv2ClientConfig;
  cloudWatchLogs: CloudWatchLogsClientConfig | null;
}

const days = z.coerce.number().int().positive();
const providerSettings = z.string().transform(parseJson).pipe(providersSchema);

export function openGateway(options: ConnectionOptions): GatewayConnection {
  const dynamodb = new DynamoDBClient(options.dynamodb);
  const client = createDocumentClient(dynamodb);
  const now = createServerClock(dynamodb, Date.now);
  const table = (output: string) => ({ client, tableName: requireOutput(options, output), now });
  const directoryTable = table('DirectoryTableName');
  const auditTable = table('AuditTrailTableName');
  return {
    directory: createCheckedDirectory(createDirectoryStore(directoryTable)),
    directoryTable,
    budgetCounters: table('BudgetCountersTableName'),
    providerSecret: createProviderSecret({
      client: new SecretsManagerClient(options.secretsManager),
      secretId: requireOutput(options, 'ProviderSecretArn'),
    }),
    logEntries: table('LogEntriesTableName'),
    costRollups: table('CostRollupsTableName'),
    prices: table('PricesTableName'),
    providerSettings: readOutput(options, 'ProviderSettings', providerSettings),
    retentionDays: () => readOutput(options, 'EntryRetentionDays', days),
    openAuditTrail: lazy(async () => {
      const retentionDays = readOutput(options, 'AuditRetentionDays', days);
      return createAuditTrail({ ...auditTable, retentionDays }, await readOperator(options.sts), now);
    }),
    auditTable,
    dashboard: () => openDashboard(options, client),
    async openQueue(output) {
      // Imported on demand: only a few commands need the SQS client.
      const { openMessageQueue } = await import('#lambdas/platform/aws/message-queue.ts');
      return openMessageQueue(options.sqs, requireOutput(options, output));
    },
    openChatLog: () => openChatLog(options),
    now,
  };
}

function openDashboard(
  { outputs, source, ses }: ConnectionOptions,
  client: DynamoDBDocumentClient,
): DashboardConnection {
  const { AccountsTableName: tableName, DashboardUrl: origin, MailFrom: from } = outputs;
  if (tableName !== undefined && origin !== undefined) {
    return {
      accounts: { client, tableName },
      origin,
      sendMail: from === undefined ? null : createMailSender(from, ses),
    };
  }
  throw new AdminError(
    `${source} has no dashboard, in which members sign in: set "dashboard: true" in gateway.config.ts and deploy it`,
  );
}

function createMailSender(from: string, ses: SESv2ClientConfig): SendMail {
  return async (mail) => {
    // Imported on demand: only invitations are sent.
    const { createSesMail } = await import('#lambdas/accounts/ses-mail.ts');
    await createSesMail(from, ses)(mail);
  };
}

async function openChatLog(options: ConnectionOptions): Promise<ChatLog> {
  if (options.cloudWatchLogs === null) {
    throw new AdminError(
      `${options.source} does not log to CloudWatch: pass its log file with --file FILE`,
      2,
    );
  }
  const { CloudWatchLogsClient } = await import('@aws-sdk/client-cloudwatch-logs');
  const client = new CloudWatchLogsClient(options.cloudWatchLogs);
  return { client, logGroupName: requireOutput(options, 'ChatLogGroupName') };
}
