/** An operator of the gateway under test, with direct access to AWS that no injected fault affects. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import type { RequestKey } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { verifyOrganization } from '#lambdas/costs/repair/verify.ts';
import { createProviderSecret } from '#lambdas/inference/providers/credential-store.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import { setRoute } from '#lambdas/routing/changes.ts';
import type { Route, RouteOwner } from '#lambdas/routing/route.ts';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import type { LocalGateway } from '#local/local-gateway.ts';
import { createTestAuditTrail, testCreator } from '#test/support/audit/test-audit-trail.ts';
import { type AppliedLimits, applyLimits } from '../limits/applied-limits.ts';
import type { Observations } from './invariants.ts';

export interface TestOrganization {
  organizationId: string;
  apiKey: string;
}

export interface Operator {
  /** Without limits by default. */
  createOrganization(limits?: AppliedLimits): Promise<TestOrganization>;
  /** The key as requests find it, with its limits. */
  findKey(organization: TestOrganization): Promise<RequestKey>;
  /** `owner` is the id of an organization; `null` for all. */
  setRoute(owner: RouteOwner, name: string, route: Route): Promise<void>;
  setProviderKey(apiKey: string): Promise<void>;
  readEntries(organization: TestOrganization): Promise<LogEntry[]>;
  readCosts(organization: TestOrganization): Promise<Observations['costs']>;
  /** Returns the number of rollups, of any window and dimension, that differ from the sum of their entries. */
  countRollupDifferences(organization: TestOrganization): Promise<number>;
  /** Returns the number of messages, those in flight and delayed included. */
  queueLength(queueUrl: string): Promise<number>;
  stop(): void;
}

export function createOperator({ connection }: LocalGateway): Operator {
  const account = {
    region: connection.region,
    endpoint: connection.dynamodb_endpoint,
    credentials: { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey },
  };
  const {
    AuditTrailTableName = '',
    BudgetCountersTableName = '',
    CostRollupsTableName = '',
    DirectoryTableName = '',
    LogEntriesTableName = '',
    ProviderSecretArn = '',
  } = connection.outputs;
  const dynamoDb = new DynamoDBClient(account);
  const secretsManager = new SecretsManagerClient(account);
  const sqs = new SQSClient(account);
  const client = createDocumentClient(dynamoDb);
  const directoryTable = { client, tableName: DirectoryTableName };
  const directory = createDirectoryStore(directoryTable);
  const costRollups = { client, tableName: CostRollupsTableName };
  const audit = createTestAuditTrail({ documentClient: client }, { auditTrail: AuditTrailTableName });
  const logEntries = { client, tableName: LogEntriesTableName, now: () => new Date() };
  const secret = createProviderSecret({ client: secretsManager, secretId: ProviderSecretArn });
  return {
    async createOrganization(limits) {
      const [organizationId, createdAt] = [newOrganizationId(), new Date()];
      const created_at = createdAt.toISOString();
      await directory.createOrganization(
        { id: organizationId, name: 'Faults', created_at, log_shards: 1 },
        audit,
      );
      const createdBy = testCreator;
      const { key, apiKey } = issueApiKey({
        organizationId,
        name: 'Faults',
        createdAt,
        createdBy,
      });
      await directory.createApiKey(apiKey, hashApiKey(key), audit);
      if (limits !== undefined) {
        const budgetCounters = { client, tableName: BudgetCountersTableName };
        await applyLimits({ directory: directoryTable, budgetCounters, costRollups, audit }, apiKey, limits);
      }
      return { organizationId, apiKey: key };
    },
    async findKey({ apiKey }) {
      const found = await directory.findApiKeyByHash(hashApiKey(apiKey));
      if (found === null) throw new Error('The key is missing');
      return found;
    },
    async setRoute(owner, name, route) {
      await setRoute(directoryTable, { owner, name }, route, audit);
    },
    setProviderKey: (apiKey) => secret.write({ openai: { api_key: apiKey } }),
    async readEntries({ organizationId }) {
      const range = { organizationId, shard: 0, window: allTime };
      const pages = await Array.fromAsync(readLogEntryPages(logEntries, range));
      return pages.flat().map(({ entry }) => entry);
    },
    async countRollupDifferences({ organizationId }) {
      // The caller polls, so the verification need not wait for writes in flight.
      const job = { signal: new AbortController().signal, report() {}, async wait() {} };
      const dependencies = { directory, logEntries, costRollups, job, now: () => new Date() };
      const request = { organizationId, fromMs: 0, settleMs: 0, onDay() {} };
      return (await verifyOrganization(dependencies, request)).differences.length;
    },
    readCosts: ({ apiKey }) => fetchCosts(connection.base_url, apiKey),
    async queueLength(queueUrl) {
      const names = [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ] as const;
      const request = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...names] });
      const { Attributes = {} } = await sqs.send(request);
      return names.reduce((sum, name) => sum + Number(Attributes[name]), 0);
    },
    stop() {
      for (const client of [dynamoDb, secretsManager, sqs]) client.destroy();
    },
  };
}

interface CostsResponse {
  total_requests: string;
  total_cost_usd: string;
  total_input_tokens: string;
  total_output_tokens: string;
  unpriced_requests: string;
  assumed_requests: string;
  assumed_cost_usd: string;
}

async function fetchCosts(baseUrl: string, apiKey: string): Promise<Observations['costs']> {
  const response = await fetch(`${baseUrl}/api/costs`, { headers: { authorization: `Bearer ${apiKey}` } });
  // Keeps the digits of numbers: `number` would round a cost.
  const costs = JSON.parse(await response.text(), (_name, value, context?: { source?: string }) =>
    typeof value === 'number' ? context?.source : value,
  ) as CostsResponse;
  return {
    requests: Number(costs.total_requests),
    cost_usd: costs.total_cost_usd,
    input_tokens: Number(costs.total_input_tokens),
    output_tokens: Number(costs.total_output_tokens),
    unpriced_requests: Number(costs.unpriced_requests),
    assumed_requests: Number(costs.assumed_requests),
    assumed_cost_usd: costs.assumed_cost_usd,
  };
}
