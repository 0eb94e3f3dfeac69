/** Reads the audit trail, newest records first. */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { toAuditRecord } from './audit-trail.ts';
import type { AuditRecord } from './record.ts';
import { auditTrailSchema, gatewayPartition } from './schema.ts';

export interface AuditQuery {
  /** `null` for what concerns no single organization. */
  organizationId: string | null;
  limit: number;
  /** Only records older than this one, whose id the last page ended with. */
  beforeId?: string;
}

export interface AuditPage {
  records: AuditRecord[];
  hasMore: boolean;
}

/** Sorts after every UUID. */
const afterAllIds = 'g';

export async function readAuditTrail(
  { client, tableName }: { client: DynamoDBDocumentClient; tableName: string },
  { organizationId, limit, beforeId }: AuditQuery,
): Promise<AuditPage> {
  const { partitionKey, sortKey } = auditTrailSchema;
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      ScanIndexForward: false,
      KeyConditionExpression: `${partitionKey} = :partition AND ${sortKey} < :before`,
      ExpressionAttributeValues: {
        ':partition': organizationId ?? gatewayPartition,
        ':before': beforeId ?? afterAllIds,
      },
      Limit: limit + 1,
    }),
  );
  return { records: Items.slice(0, limit).map(toAuditRecord), hasMore: Items.length > limit };
}
