/** Measures the data that one chat writes: produced by the gateway's code, counted by AWS's billing rules. */
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { createEntryMetrics } from '#lambdas/costs/rollups/entry-metrics.ts';
import { additionsOf } from '#lambdas/costs/rollups/rollup.ts';
import { completionLine } from '#lambdas/inference/exchange/completion-line.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { createLog, type Log, withRequestId } from '#lambdas/platform/telemetry/log.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntriesSchema } from '#lambdas/request-log/table/schema.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { chat, type Footprint } from './chat.ts';

const uuid = '01a1fa57-81ee-798e-89ae-413ad5140b00';

/** As long as those of OpenAI. */
const response_id = 'chatcmpl-CmPq4Zt8LxW1nB7sKd0EyRf5HuVoJ';

/** Metadata headers of the caller, and the entry fields that they set. */
export const metadataByHeaders = {
  'no header': { prompt_id: null, session_id: null, user_id: null },
  'three headers': { prompt_id: uuid, session_id: uuid, user_id: uuid },
} as const;

export type MetadataHeaders = keyof typeof metadataByHeaders;

export function measureFootprint(headers: MetadataHeaders): Footprint {
  const entry = logEntry({ ...metadataByHeaders[headers], response_id, latency_ms: chat.seconds * 1000 });
  const writtenAtMs = Date.parse(entry.created_at) + entry.latency_ms;
  const item = toItem(entry, { writtenAtMs, expiresAtSeconds: Math.round(writtenAtMs / 1000) });
  return {
    entryWriteUnits: writeUnits(item),
    entryStoredBytes: storedBytes(item),
    entryCopies: countCopies(item),
    logBytes: Buffer.byteLength(requestLogLines(entry).join('')),
    metricLineBytes: Buffer.byteLength(metricLines(entry).join('')),
    platformLogBytes: Buffer.byteLength(platformLines.join('')),
  };
}

/** DynamoDB adds this to the billed size of each stored item, in tables and indexes. */
const itemOverheadBytes = 100;

/** DynamoDB bills one unit per started kilobyte, in the table and in each index that has the item. */
export function writeUnits(item: Item): number {
  return Math.ceil(itemBytes(item) / 1024) * countCopies(item);
}

function storedBytes(item: Item): number {
  return itemBytes(item) + itemOverheadBytes;
}

function countCopies(item: Item): number {
  const indexes = Object.values(logEntriesSchema.indexes);
  return 1 + indexes.filter(({ partitionKey }) => Object.hasOwn(item, partitionKey)).length;
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html */
function itemBytes(item: Item): number {
  const attributes = Object.entries(item);
  return attributes.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'boolean') return 1;
  if (typeof value === 'number' || value instanceof NumberValue) {
    // One byte per two significant digits, plus one.
    const digits = value
      .toString()
      .replace(/[-.]/g, '')
      .replace(/^0+|0+$/g, '').length;
    return Math.ceil(digits / 2) + 1;
  }
  throw new Error(`The cost model has no item size for values of type ${typeof value}`);
}

const requestId = '01a1fa57-81ee-498e-89ae-413ad5140b00';
const time = '2026-01-31T09:30:00.000Z';
const metrics = { level: 'alarms', stackName: 'AiGateway' } as const;

/** Returns the lines that `print` logs, without their line breaks, which CloudWatch does not bill. */
function printedLines(print: (log: Log) => void): string[] {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line.trimEnd());
  const log = createLog({ write, metrics, functionVersion: '12', now: () => Date.parse(time) });
  withRequestId(requestId, () => print(log));
  return lines;
}

/**
 * The lines of the chat function: one before it calls the provider, with the entry of a request that is never completed, and
 * one before it writes the entry.
 */
export function requestLogLines(entry: LogEntry): string[] {
  const placeholder: LogEntry = {
    ...entry,
    response_model: null,
    service_tier: null,
    status: 502,
    outcome: 'interrupted',
    input_tokens: null,
    output_tokens: null,
    total_tokens: null,
    cached_input_tokens: null,
    cache_write_input_tokens: null,
    reasoning_tokens: null,
    cost_usd: '0',
    pricing: null,
    pricing_version: null,
    usage_source: 'missing',
    finish_reason: null,
    latency_ms: 0,
    time_to_first_token_ms: null,
    overhead_ms: 0,
    provider_request_id: null,
    response_id: null,
    error_code: 'interrupted',
  };
  return printedLines((log) => {
    log.info('request_forwarded', { log_id: entry.id, entry: serializeLogEntry(placeholder) });
    log.info('request_completed', completionLine(serializeLogEntry(entry), null));
  });
}

/** The line of the rollup function with the metrics of a batch, whose entries ended in the same minute. */
function metricLines(entry: LogEntry): string[] {
  const writtenAtMs = Date.parse(entry.created_at);
  const now = () => new Date(writtenAtMs);
  return printedLines((log) =>
    createEntryMetrics({ metrics, models: [], log, now })([
      { sequenceNumber: '1', entry, before: null, writtenAtMs },
    ]),
  );
}

/** Lambda's system log lines at level INFO, one at the start and one at the end of an invocation. */
const platformLines = [
  {
    time,
    type: 'platform.start',
    record: {
      requestId,
      functionArn:
        'arn:aws:lambda:us-east-1:123456789012:function:AiGateway-ChatFunction1234ABCD-AbCdEfGhIjKl:live',
      version: '12',
    },
  },
  {
    time,
    type: 'platform.report',
    record: {
      requestId,
      metrics: { durationMs: 5012.345, billedDurationMs: 5013, memorySizeMB: 128, maxMemoryUsedMB: 101 },
      status: 'success',
    },
  },
].map((line) => JSON.stringify(line));

/** Traffic of one organization, evenly distributed over all pairs of key and model. */
export interface TrafficMix {
  models: number;
  keys: number;
  headers: MetadataHeaders;
}

/** Counts the rollup rows that a batch writes, at one write unit each. Entries with the same dimensions share rows. */
export function countRollupRows(batchSize: number, { models, keys, headers }: TrafficMix): number {
  const rows = new Set<string>();
  for (let index = 0; index < batchSize; index += 1) {
    const entry = logEntry({
      ...metadataByHeaders[headers],
      model: `model-${index % models}`,
      api_key_id: `key-${Math.floor(index / models) % keys}`,
    });
    for (const { key } of additionsOf(entry)) rows.add(JSON.stringify(key));
  }
  return rows.size;
}
