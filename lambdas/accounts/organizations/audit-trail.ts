import { readAuditTrail } from '#lambdas/audit/read.ts';
import type { AuditRecord } from '#lambdas/audit/record.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { readInteger, readQueryParameters } from '#lambdas/platform/http/query.ts';
import { isUuid } from '#lambdas/platform/uuid.ts';
import { jsonResponse } from '../http/response.ts';
import { type OrganizationHandler, organizationRoute, type Route } from './call.ts';
import type { AuditRecordList, AuditRecordSummary } from './responses.ts';

const defaultLimit = 50;
const maxLimit = 100;

/** `GET /dashboard/api/organizations/{organization}/audit-records`. The cursor is the id of the last record. */
const listAuditRecords: OrganizationHandler<AuditRecordList> = async (
  { organization, query },
  { auditTable },
) => {
  const { limit: limitText, cursor } = readQueryParameters(query, ['limit', 'cursor']);
  const limit =
    limitText === undefined ? defaultLimit : readInteger('limit', limitText, { min: 1, max: maxLimit });
  const { records, hasMore } = await readAuditTrail(auditTable, {
    organizationId: organization.id,
    limit,
    beforeId: cursor === undefined ? undefined : readCursor(cursor),
  });
  return jsonResponse({
    object: 'list',
    data: records.map(toSummary),
    next_cursor: hasMore ? (records.at(-1)?.id ?? null) : null,
  });
};

function readCursor(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  throw invalidRequestError('cursor', 'cursor must be the next_cursor of an earlier response');
}

function toSummary({ operationId, organizationId: _, ...record }: AuditRecord): AuditRecordSummary {
  const { id, at, actor, action, target, before, after, stage } = record;
  return { id, at, actor, action, target, before, after, stage, operation_id: operationId };
}

export const auditTrailRoutes: readonly Route[] = [
  organizationRoute('GET', '/audit-records', 'view_audit_trail', listAuditRecords),
];
