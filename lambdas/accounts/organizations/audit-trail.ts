import { type AuditRecord, auditActions } from '#lambdas/audit/record.ts';
import { searchAuditTrail } from '#lambdas/audit/search.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { readChoice, readInteger, readQueryParameters, readText } from '#lambdas/platform/http/query.ts';
import { parseTimeWindow } from '#lambdas/platform/time-window.ts';
import { isUuid } from '#lambdas/platform/uuid.ts';
import { jsonResponse } from '../http/response.ts';
import { type OrganizationHandler, organizationRoute, type Route } from './call.ts';
import type { AuditRecordList, AuditRecordSummary } from './responses.ts';

const defaultLimit = 50;
const maxLimit = 100;

const names = ['limit', 'cursor', 'action', 'actor', 'target', 'start', 'end'] as const;

/** `GET /dashboard/api/organizations/{organization}/audit-records`. The cursor is the id of the last record that was read. */
const listAuditRecords: OrganizationHandler<AuditRecordList> = async (
  { organization, query },
  { auditTable },
) => {
  const { limit, cursor, action, actor, target, start, end } = readQueryParameters(query, names);
  const { records, next } = await searchAuditTrail(auditTable, {
    organizationId: organization.id,
    limit: limit === undefined ? defaultLimit : readInteger('limit', limit, { min: 1, max: maxLimit }),
    beforeId: cursor === undefined ? undefined : readCursor(cursor),
    filter: {
      action: action === undefined ? undefined : readChoice('action', action, auditActions),
      actor: actor === undefined ? undefined : readPart('actor', actor),
      target: target === undefined ? undefined : readPart('target', target),
    },
    window: parseTimeWindow({ start, end }),
  });
  return jsonResponse({ object: 'list', data: records.map(toSummary), next_cursor: next });
};

function readPart(param: string, value: string): string {
  const text = readText(param, value).trim();
  if (text === '') throw invalidRequestError(param, `${param} must not be blank`);
  return text;
}

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
