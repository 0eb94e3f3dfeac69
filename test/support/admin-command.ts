/** Runs the admin command line as a person does: a process, its arguments, standard input and environment. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Directory } from '../../lambdas/shared/domain/directory.ts';
import type { ProviderSettingsByName } from '../../lambdas/shared/domain/provider-settings.ts';
import { createDirectoryStore } from '../../lambdas/shared/stores/directory-store.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from './embedded-dynamodb.ts';
import { type FakeSecretsManager, startFakeSecretsManager } from './fake-secrets-manager.ts';
import { createTables, type TestTables } from './tables.ts';

export interface AdminResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

interface AdminRun {
  environment?: Record<string, string>;
  /** What is piped to it. */
  input?: string;
}

const entryPoint = resolve(import.meta.dirname, '../../bin/admin.ts');

export async function runAdminCommand(
  commandLine: string[],
  { environment = {}, input = '' }: AdminRun = {},
): Promise<AdminResult> {
  const child = spawn(process.execPath, [entryPoint, ...commandLine], {
    env: { PATH: process.env.PATH, ...environment },
  });
  // A command that reads no input may be gone before it is written.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { exitCode, stdout, stderr };
}

export interface AdministeredGateway {
  database: EmbeddedDynamoDB;
  secretsManager: FakeSecretsManager;
  directory: Directory;
  tables: TestTables;
  /** What the stack of this gateway would have as its outputs. */
  outputs: Record<string, string>;
  dataDirectory: string;
  run(commandLine: string[], input?: string): Promise<AdminResult>;
  stop(): Promise<void>;
}

/** What the admin command line sees of a local gateway: its facts, its tables and its secret. */
export async function startAdministeredGateway(
  providerSettings: ProviderSettingsByName = {},
): Promise<AdministeredGateway> {
  const database = await startEmbeddedDynamoDB();
  const secretsManager = await startFakeSecretsManager('{}');
  const tables = await createTables(database);
  const outputs = {
    DirectoryTableName: tables.directory,
    LogEntriesTableName: tables.logEntries,
    CostRollupsTableName: tables.costRollups,
    ProviderSecretArn: secretsManager.secretId,
    ProviderSettings: JSON.stringify(providerSettings),
  };
  const dataDirectory = await mkdtemp(join(tmpdir(), 'gateway-admin-'));
  const facts = {
    dynamodb_endpoint: database.endpoint,
    secretsmanager_endpoint: secretsManager.endpoint,
    region: 'us-east-1',
    outputs,
  };
  await writeFile(join(dataDirectory, 'local.json'), JSON.stringify(facts));
  return {
    database,
    secretsManager,
    directory: createDirectoryStore({ client: database.documentClient, tableName: tables.directory }),
    tables,
    outputs,
    dataDirectory,
    run: (commandLine, input) =>
      runAdminCommand(commandLine, { environment: { GATEWAY_DATA_DIRECTORY: dataDirectory }, input }),
    async stop() {
      await Promise.all([database.stop(), secretsManager.stop()]);
      await rm(dataDirectory, { recursive: true });
    },
  };
}
