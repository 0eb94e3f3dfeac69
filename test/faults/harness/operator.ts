/** What the operator of a gateway under test does and looks at, past all faults. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { hashApiKey, issueApiKey, newId } from '#lambdas/access/api-key.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { verifyOrganization } from '#lambdas/costs/repair/verify.ts';
import type { Totals } from '#lambdas/costs/rollups/totals.ts';
import { createProviderSecret } from '#lambdas/inference/providers/credential-store.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import type { LocalGateway } from '#local/local-gateway.ts';

export interface Customer {
  organizationId: string;
  apiKey: string;
}

export interface Operator {
  newCustomer(): Promise<Customer>;
  setProviderKey(apiKey: string): Promise<void>;
  entriesOf(customer: Customer): Promise<LogEntry[]>;
  /** As the gateway answers, with the key of the customer. */
  costsOf(customer: Customer): Promise<Totals>;
  /** How many rows of sums, of any span and by whatever value, are not what the entries come to. */
  wrongRowsOf(customer: Customer): Promise<number>;
  /** Messages in the queue, those included that somebody has in hand. */
  queueLength(queueUrl: string): Promise<number>;
  stop(): void;
}

export function createOperator({ facts }: LocalGateway): Operator {
  const account = {
    region: facts.region,
    endpoint: facts.dynamodb_endpoint,
    credentials: { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey },
  };
  const {
    CostRollupsTableName = '',
    DirectoryTableName = '',
    LogEntriesTableName = '',
    ProviderSecretArn = '',
  } = facts.outputs;
  const dynamoDb = new DynamoDBClient(account);
  const secretsManager = new SecretsManagerClient(account);
  const sqs = new SQSClient(account);
  const client = createDocumentClient(dynamoDb);
  const directory = createDirectoryStore({ client, tableName: DirectoryTableName });
  const logEntries = { client, tableName: LogEntriesTableName, now: () => new Date() };
  const secret = createProviderSecret({ client: secretsManager, secretId: ProviderSecretArn });
  return {
    async newCustomer() {
      const [organizationId, createdAt] = [newId('org'), new Date()];
      const created_at = createdAt.toISOString();
      await directory.createOrganization({ id: organizationId, name: 'Faults', created_at, log_shards: 1 });
      const { key, apiKey } = issueApiKey({ organizationId, name: 'Faults', createdAt, logShards: 1 });
      await directory.createApiKey(apiKey, hashApiKey(key));
      return { organizationId, apiKey: key };
    },
    setProviderKey: (apiKey) => secret.write({ openai: { api_key: apiKey } }),
    async entriesOf({ organizationId }) {
      const range = { organizationId, shard: 0, window: allTime };
      const pages = await Array.fromAsync(readLogEntryPages(logEntries, range));
      return pages.flat().map(({ entry }) => entry);
    },
    async wrongRowsOf({ organizationId }) {
      const costRollups = { client, tableName: CostRollupsTableName };
      // Who finds rows that are wrong looks again later: it need not wait for what is under way.
      const job = { signal: new AbortController().signal, report() {}, async wait() {} };
      const parts = { directory, logEntries, costRollups, job, now: () => new Date() };
      const request = { organizationId, fromMs: 0, settleMs: 0, onDay() {} };
      return (await verifyOrganization(parts, request)).differences.length;
    },
    costsOf: ({ apiKey }) => askForCosts(facts.base_url, apiKey),
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
      for (const each of [dynamoDb, secretsManager, sqs]) each.destroy();
    },
  };
}

interface CostsAnswer {
  total_requests: string;
  total_cost_usd: string;
  total_input_tokens: string;
  total_output_tokens: string;
  unpriced_requests: string;
}

async function askForCosts(baseUrl: string, apiKey: string): Promise<Totals> {
  const response = await fetch(`${baseUrl}/api/costs`, { headers: { authorization: `Bearer ${apiKey}` } });
  // Numbers as they are written: `number` would round a cost.
  const answer = JSON.parse(await response.text(), (_name, value, context?: { source?: string }) =>
    typeof value === 'number' ? context?.source : value,
  ) as CostsAnswer;
  return {
    requests: Number(answer.total_requests),
    cost_usd: answer.total_cost_usd,
    input_tokens: Number(answer.total_input_tokens),
    output_tokens: Number(answer.total_output_tokens),
    unpriced_requests: Number(answer.unpriced_requests),
  };
}
