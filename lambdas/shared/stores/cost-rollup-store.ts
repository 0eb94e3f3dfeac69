/**
 * Cost rollups in their table, each entry counted once however often its stream record is delivered.
 *
 * A stream shard delivers its records in order, and delivers some again: after an error, a time-out, a batch that
 * was cut in two. So each row keeps, for each shard, the sequence number of the last record that it has counted
 * (its watermark), and moves it in the same conditional write as the sums. A record at or below the watermark
 * is in the sums already; a write whose condition fails has changed nothing. No order between shards is needed.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  NumberValue,
  paginateQuery,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import {
  addTotals,
  type CostRollup,
  type CostRollupReader,
  type CostRollupWriter,
  contributionOf,
  noTotals,
  type Period,
  periodText,
  type RollupKey,
  type RollupRecord,
  type Totals,
} from '../domain/rollup.ts';

export interface CostRollupsTable {
  client: DynamoDBDocumentClient;
  tableName: string;
}

/** What a batch adds to one row, in the shard's order. */
interface RowContributions {
  key: RollupKey;
  contributions: Contribution[];
}

interface Contribution {
  sequenceNumber: string;
  totals: Totals;
}

const rowsAtOnce = 25;

export function createCostRollupWriter(table: CostRollupsTable): CostRollupWriter {
  return {
    async add(shardId, records) {
      const rows = groupByRow(records);
      for (let from = 0; from < rows.length; from += rowsAtOnce) {
        await Promise.all(rows.slice(from, from + rowsAtOnce).map((row) => addToRow(table, shardId, row)));
      }
    },
  };
}

export function createCostRollupReader(table: CostRollupsTable): CostRollupReader {
  return {
    async *read(organizationId, period, { startMs, endMs }) {
      const pages = paginateQuery(
        { client: table.client },
        {
          TableName: table.tableName,
          // A row's sort key goes on after its period's start, so the row at `end` sorts behind `end` itself.
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :start AND :end',
          ExpressionAttributeValues: {
            ':pk': partitionOf(organizationId, period),
            ':start': periodText(period, startMs),
            ':end': periodText(period, endMs),
          },
        },
      );
      for await (const { Items = [] } of pages) yield* Items.map(rollupFromItem);
    },
  };
}

function groupByRow(records: RollupRecord[]): RowContributions[] {
  const rows = new Map<string, RowContributions>();
  for (const { sequenceNumber, entry } of records) {
    const contribution = contributionOf(entry);
    if (contribution === null) continue;
    const { keys, totals } = contribution;
    for (const key of keys) {
      const name = JSON.stringify(rowKey(key));
      const row = rows.get(name) ?? { key, contributions: [] };
      row.contributions.push({ sequenceNumber: sortableSequenceNumber(sequenceNumber), totals });
      rows.set(name, row);
    }
  }
  return [...rows.values()];
}

async function addToRow(table: CostRollupsTable, shardId: string, row: RowContributions): Promise<void> {
  let { contributions } = row;
  while (contributions.length > 0) {
    const watermark = await tryAdd(table, shardId, { ...row, contributions });
    if (watermark === null) return;
    contributions = contributions.filter(({ sequenceNumber }) => sequenceNumber > watermark);
  }
}

/** Adds all or nothing. Returns `null` when it did, else the watermark that was in the way. */
async function tryAdd(
  table: CostRollupsTable,
  shardId: string,
  { key, contributions }: RowContributions,
): Promise<string | null> {
  const totals = contributions.map((contribution) => contribution.totals).reduce(addTotals, noTotals);
  const watermarkName = `watermark#${shardId}`;
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.tableName,
        Key: rowKey(key),
        UpdateExpression:
          'ADD #requests :requests, #cost :cost, #input :input, #output :output, #unpriced :unpriced ' +
          'SET #watermark = :last, #provider = :provider, #model = :model',
        ConditionExpression: 'attribute_not_exists(#watermark) OR #watermark < :first',
        ExpressionAttributeNames: { ...attributeNames, '#watermark': watermarkName },
        ExpressionAttributeValues: {
          ...totalValues(totals),
          ':provider': key.provider,
          ':model': key.model,
          ':first': contributions.at(0)?.sequenceNumber,
          ':last': contributions.at(-1)?.sequenceNumber,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return null;
  } catch (error) {
    const watermark = watermarkInTheWay(error, watermarkName);
    if (watermark === null) throw error;
    return watermark;
  }
}

const attributeNames = {
  '#requests': 'requests',
  '#cost': 'cost_usd',
  '#input': 'input_tokens',
  '#output': 'output_tokens',
  '#unpriced': 'unpriced_requests',
  '#provider': 'provider',
  '#model': 'model',
};

function totalValues(totals: Totals) {
  return {
    ':requests': totals.requests,
    ':cost': NumberValue.from(totals.cost_usd),
    ':input': totals.input_tokens,
    ':output': totals.output_tokens,
    ':unpriced': totals.unpriced_requests,
  };
}

function watermarkInTheWay(error: unknown, watermarkName: string): string | null {
  if (!(error instanceof ConditionalCheckFailedException)) return null;
  const attribute = error.Item?.[watermarkName];
  return attribute?.S ?? null;
}

function rowKey({ organizationId, period, periodStart, provider, model }: RollupKey) {
  return { pk: partitionOf(organizationId, period), sk: `${periodStart}#${provider}/${model}` };
}

function partitionOf(organizationId: string, period: Period): string {
  return `${organizationId}#${period}`;
}

/** Sequence numbers are whole numbers of up to 40 digits; padded, they sort as text. */
function sortableSequenceNumber(sequenceNumber: string): string {
  return sequenceNumber.padStart(40, '0');
}

function rollupFromItem(item: Record<string, unknown>): CostRollup {
  return {
    provider: String(item.provider),
    model: String(item.model),
    totals: {
      requests: Number(item.requests),
      cost_usd: String(item.cost_usd),
      input_tokens: Number(item.input_tokens),
      output_tokens: Number(item.output_tokens),
      unpriced_requests: Number(item.unpriced_requests),
    },
  };
}
