/**
 * Fakes DynamoDB and Secrets Manager: one API key, its organization, one credential, no custom prices, and writes that succeed
 * immediately. With `CHECK_ENTRIES=yes` every API key exists, each in a separate organization, and written log entries
 * are checked. In the tables `directoryTables` the API key has hard budgets or rate limits.
 */
import { directoryTables } from './limited-keys.ts';
import { callerSuffix } from './load.ts';
import { serve } from './serve.ts';

/** Calls by action, reads of custom prices under `priceReads`, and the results of the entry check. */
const counts: Record<string, number> = {};
const checkEntry = process.env.CHECK_ENTRIES === 'yes' ? createEntryCheck(counts) : null;

const string = (S: string) => ({ S });
const budget = (id: string) => ({
  M: { id: string(id), shards: { N: '1' }, allows_unpriced: { BOOL: false } },
});
const keyRecord = (suffix: string, attributes: object = {}) =>
  JSON.stringify({
    Item: {
      ...attributes,
      pk: string('key#bench'),
      sk: string('key'),
      id: string(`key_${suffix}`),
      organization_id: string(`org_${suffix}`),
      expires_at: { NULL: true },
      rotation: { NULL: true },
      revoked_at: { NULL: true },
    },
  });
const organizationRecord = (attributes: object = {}) =>
  JSON.stringify({
    Item: {
      ...attributes,
      pk: string('organization#bench'),
      sk: string('organization'),
      id: string('bench'),
      name: string('bench'),
      created_at: string('2026-01-01T00:00:00.000Z'),
      log_shards: { N: '1' },
    },
  });

const suffix = 'bench00000000000';
const recordWithBudget = keyRecord(suffix, { key_budget: budget('key') });
const rateLimits = {
  requests_per_minute: { N: '600000' },
  tokens_per_minute: { N: '1000000000' },
  concurrent: { N: '1000' },
};
const limitedKeyRecords = [
  [directoryTables.oneHardBudget, recordWithBudget],
  [directoryTables.twoHardBudgets, recordWithBudget],
  [directoryTables.rateLimits, keyRecord(suffix, { key_rate_limits: { M: rateLimits } })],
] as const;

/** Returned by a write of a request with rate limits. */
const changedAttributes = JSON.stringify({
  Attributes: {
    requests_full_us: { N: '1795435440000100' },
    tokens_full_us: { N: '1795435440000100' },
    active: { N: '1' },
    active_59847850: { N: '1' },
  },
});

const responses: Record<string, string> = {
  'DynamoDB_20120810.GetItem': keyRecord(suffix),
  'DynamoDB_20120810.PutItem': '{}',
  'DynamoDB_20120810.UpdateItem': '{}',
  'secretsmanager.GetSecretValue': JSON.stringify({
    Name: 'providers',
    SecretString: JSON.stringify({ openai: { api_key: 'sk-bench' }, google: { api_key: 'sk-bench' } }),
  }),
};

serve((request, response) => {
  const action = String(request.headers['x-amz-target']);
  const chunks: Buffer[] = [];
  if (checkEntry === null && !isRead(action) && !isUpdate(action)) request.resume();
  else request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    const isPrice = isPriceRead(action, chunks);
    const count = isPrice ? 'priceReads' : action;
    counts[count] = (counts[count] ?? 0) + 1;
    const record = isRead(action) ? (findOrganization(chunks) ?? findLimitedKey(chunks)) : null;
    const changes = isUpdate(action) ? findChanges(chunks) : null;
    const body = isPrice
      ? '{}'
      : (record ?? changes ?? checkRequest(action, chunks) ?? responses[action] ?? '{}');
    response.writeHead(action in responses ? 200 : 400, {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': body.length,
    });
    response.end(body);
  });
}, counts);

function isRead(action: string): boolean {
  return action.endsWith('.GetItem');
}

function isUpdate(action: string): boolean {
  return action.endsWith('.UpdateItem');
}

function findChanges(chunks: readonly Buffer[]): string | null {
  return Buffer.concat(chunks).toString().includes('"ReturnValues"') ? changedAttributes : null;
}

function isPriceRead(action: string, chunks: readonly Buffer[]): boolean {
  return isRead(action) && Buffer.concat(chunks).toString().startsWith('{"TableName":"prices"');
}

/** Checks a written entry. Returns the response to a key lookup, `null` for other actions. */
function checkRequest(action: string, chunks: readonly Buffer[]): string | null {
  if (checkEntry === null) return null;
  const request = Buffer.concat(chunks).toString();
  if (action.endsWith('.PutItem')) checkEntry(request);
  if (!isRead(action)) return null;
  const keyHash = /"key#([0-9a-f]+)"/.exec(request)?.[1] ?? '';
  return keyRecord(callerSuffix(keyHash));
}

function findOrganization(chunks: readonly Buffer[]): string | null {
  const request = Buffer.concat(chunks).toString();
  if (!request.includes('"organization#')) return null;
  const hasBudget = isReadOf(request, directoryTables.twoHardBudgets);
  return organizationRecord(hasBudget ? { budget: budget('organization') } : {});
}

function isReadOf(request: string, table: string): boolean {
  return request.startsWith(`{"TableName":"${table}"`);
}

function findLimitedKey(chunks: readonly Buffer[]): string | null {
  const request = Buffer.concat(chunks).toString();
  return limitedKeyRecords.find(([table]) => isReadOf(request, table))?.[1] ?? null;
}

interface WrittenEntry {
  Item: {
    id: { S: string };
    organization_id: { S: string };
    api_key_id: { S: string };
    /** `<organization>#<shard>#<user>` */
    user_key?: { S: string };
    output_tokens?: { N: string };
  };
}

/** Counts `entries`, `duplicates`, `misattributed` entries, and the sum of `outputTokens`. */
function createEntryCheck(counts: Record<string, number>): (putItem: string) => void {
  const seen = new Set<string>();
  const add = (name: string, amount: number) => {
    counts[name] = (counts[name] ?? 0) + amount;
  };
  return (putItem) => {
    const { Item }: WrittenEntry = JSON.parse(putItem);
    add(seen.has(Item.id.S) ? 'duplicates' : 'entries', 1);
    seen.add(Item.id.S);
    const suffix = Item.user_key?.S.split('#').at(-1);
    const isConsistent = Item.organization_id.S === `org_${suffix}` && Item.api_key_id.S === `key_${suffix}`;
    if (!isConsistent) add('misattributed', 1);
    add('outputTokens', Number(Item.output_tokens?.N ?? 0));
  };
}
