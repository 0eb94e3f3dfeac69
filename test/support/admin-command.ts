/** Runs the admin command line, in this process or in a separate one, which adds half a second. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { runAdmin } from '#cli/program.ts';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey, Directory } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { newOrganizationId } from '#lambdas/access/id.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { compileCacheVariable } from '#lib/cache-directory.mjs';
import { type FakeSes, startFakeSes } from './accounts/fake-ses.ts';
import { apiKeyRecord } from './api-keys.ts';
import { createTestAuditTrail, type TestAuditTrail } from './audit/test-audit-trail.ts';
import { type FakeSecretsManager, startFakeSecretsManager } from './aws/fake-secrets-manager.ts';
import type { FakeAwsService } from './aws/fake-service.ts';
import { startFakeSts } from './aws/fake-sts.ts';
import { type GatewayQueues, startGatewayQueues } from './aws/gateway-queues.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from './dynamodb/embedded.ts';
import { createTables, type TestTables } from './dynamodb/tables.ts';
import { type CommandOptions, type CommandResult, runInTerminal } from './run-in-terminal.ts';

const entryPoint = resolve(import.meta.dirname, '../../bin/admin.ts');

export function runAdminCommand(commandLine: string[], options: CommandOptions = {}): Promise<CommandResult> {
  return runInTerminal((terminal) => runAdmin(commandLine, terminal), options);
}

/** For settings that the AWS SDK reads from the environment of the process. */
export async function runAdminProcess(
  commandLine: string[],
  { environment = {}, input = '' }: CommandOptions = {},
): Promise<CommandResult> {
  const { child, result } = startAdminCommand(commandLine, environment);
  // A command that reads no input may exit before the input is written.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return result;
}

interface StartedAdminCommand {
  child: ChildProcess;
  /** The exit code of a killed process is 128 plus the signal's number, as in a shell. */
  result: Promise<CommandResult>;
}

function startAdminCommand(commandLine: string[], environment: Record<string, string>): StartedAdminCommand {
  const child = spawn(process.execPath, [entryPoint, ...commandLine], {
    env: { PATH: process.env.PATH, ...compileCacheVariable(), ...environment },
  });
  const waitForEnd = async () => {
    const [stdout, stderr, [exitCode, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { exitCode: exitCode ?? 128 + constants.signals[signal as NodeJS.Signals], stdout, stderr };
  };
  return { child, result: waitForEnd() };
}

export interface AdminFixture {
  database: EmbeddedDynamoDB;
  secretsManager: FakeSecretsManager;
  queues: GatewayQueues;
  sts: FakeAwsService;
  ses: FakeSes;
  directory: Directory;
  audit: TestAuditTrail;
  tables: TestTables;
  outputs: Record<string, string>;
  dataDirectory: string;
  /** Resolves to the id. */
  createOrganization(logShards?: number): Promise<string>;
  /** A key of which only the record is known. */
  storeKey(fields: Partial<ApiKey> & Pick<ApiKey, 'organization_id'>): Promise<ApiKey>;
  run(commandLine: string[], input?: string): Promise<CommandResult>;
  start(commandLine: string[]): StartedAdminCommand;
  stop(): Promise<void>;
}

export async function startAdminFixture(
  providerSettings: ProviderSettingsByName = {},
): Promise<AdminFixture> {
  const database = await startEmbeddedDynamoDB();
  const gateway = await createAdminFixture({
    database,
    tables: await createTables(database),
    providerSettings,
  });
  return {
    ...gateway,
    async stop() {
      await Promise.all([gateway.stop(), database.stop()]);
    },
  };
}

interface AdministerOptions {
  database: EmbeddedDynamoDB;
  tables: TestTables;
  providerSettings?: ProviderSettingsByName;
  hasDashboard?: boolean;
  mailFrom?: string;
}

/** Makes existing tables available to the admin command line. `stop` does not stop the database. */
export async function createAdminFixture({
  database,
  tables,
  providerSettings = {},
  hasDashboard = true,
  mailFrom,
}: AdministerOptions): Promise<AdminFixture> {
  const secretsManager = await startFakeSecretsManager('{}');
  const queues = await startGatewayQueues();
  const sts = await startFakeSts();
  const ses = await startFakeSes();
  const outputs = {
    DirectoryTableName: tables.directory,
    LogEntriesTableName: tables.logEntries,
    CostRollupsTableName: tables.costRollups,
    PricesTableName: tables.prices,
    BudgetCountersTableName: tables.budgetCounters,
    AuditTrailTableName: tables.auditTrail,
    ...(hasDashboard && { AccountsTableName: tables.accounts, DashboardUrl: 'https://gateway.example.com' }),
    ...(mailFrom !== undefined && { MailFrom: mailFrom }),
    ProviderSecretArn: secretsManager.secretId,
    ProviderSettings: JSON.stringify(providerSettings),
    EntryRetentionDays: '90',
    AuditRetentionDays: '400',
    ChatLogGroupName: '/aws/lambda/chat',
    LostEntriesQueueUrl: queues.lostEntries.url,
    LostEntriesDeadLetterQueueUrl: queues.lostEntriesDeadLetters.url,
    RollupDeadLetterQueueUrl: queues.rollupDeadLetters.url,
    BudgetChangesDeadLetterQueueUrl: queues.budgetChangesDeadLetters.url,
  };
  const dataDirectory = await mkdtemp(join(tmpdir(), 'gateway-admin-'));
  const facts = {
    dynamodb_endpoint: database.endpoint,
    secretsmanager_endpoint: secretsManager.endpoint,
    sqs_endpoint: queues.endpoint,
    sts_endpoint: sts.endpoint,
    ses_endpoint: ses.endpoint,
    region: 'us-east-1',
    outputs,
  };
  await writeFile(join(dataDirectory, 'local.json'), JSON.stringify(facts));
  const environment = { GATEWAY_DATA_DIRECTORY: dataDirectory };
  const directory = createDirectoryStore({ client: database.documentClient, tableName: tables.directory });
  const audit = createTestAuditTrail(database, tables);
  return {
    database,
    secretsManager,
    queues,
    sts,
    ses,
    directory,
    audit,
    tables,
    outputs,
    dataDirectory,
    async createOrganization(log_shards = 1) {
      const id = newOrganizationId();
      const created_at = '2026-01-01T00:00:00.000Z';
      await directory.createOrganization({ id, name: 'Acme', created_at, log_shards }, audit);
      return id;
    },
    async storeKey(fields) {
      const apiKey = apiKeyRecord(fields);
      await directory.createApiKey(apiKey, hashApiKey(apiKey.id), audit);
      return apiKey;
    },
    run: (commandLine, input) => runAdminCommand(commandLine, { environment, input }),
    start: (commandLine) => startAdminCommand(commandLine, environment),
    async stop() {
      await Promise.all([secretsManager.stop(), queues.stop(), sts.stop(), ses.stop()]);
      await rm(dataDirectory, { recursive: true });
    },
  };
}
