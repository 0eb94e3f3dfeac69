import type { AuditTable } from '#lambdas/audit/audit-trail.ts';
import { type AuditPage, type AuditQuery, readAuditTrail } from '#lambdas/audit/read.ts';
import type { AuditRecord } from '#lambdas/audit/record.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';

type ReadableTable = Pick<AuditTable, 'client' | 'tableName'>;

interface RecordQuery extends Pick<AuditQuery, 'limit' | 'beforeId'> {
  /** `null` for what concerns no single organization. */
  organizationIds: readonly (string | null)[];
}

const maxConcurrentOrganizations = 25;

/** The newest records of the organizations together, newest first. */
export async function readNewestRecords(
  table: ReadableTable,
  { organizationIds, ...query }: RecordQuery,
): Promise<AuditPage> {
  let newest: AuditPage = { records: [], hasMore: false };
  await forEachConcurrently(organizationIds, maxConcurrentOrganizations, async (organizationId) => {
    const found = await readPages(table, { organizationId, ...query });
    const records = [...newest.records, ...found.records].sort(newestFirst);
    newest = {
      records: records.slice(0, query.limit),
      hasMore: newest.hasMore || found.hasMore || records.length > query.limit,
    };
  });
  return newest;
}

/** Records of this number are read at once, since DynamoDB ends a page after 1 MB. */
const pageSize = 100;

async function readPages(table: ReadableTable, { limit, ...query }: AuditQuery): Promise<AuditPage> {
  const found: AuditPage = { records: [], hasMore: true };
  while (found.hasMore && found.records.length < limit) {
    const page = await readAuditTrail(table, {
      ...query,
      limit: Math.min(pageSize, limit - found.records.length),
      beforeId: found.records.at(-1)?.id ?? query.beforeId,
    });
    found.records.push(...page.records);
    found.hasMore = page.hasMore;
  }
  return found;
}

/** The ids are UUIDv7, so that they sort by time. */
function newestFirst(left: AuditRecord, right: AuditRecord): number {
  return left.id < right.id ? 1 : -1;
}
