/** Audit records as text and JSON. */
import { isDeepStrictEqual } from 'node:util';
import type { AuditRecordSummary } from '#lambdas/accounts/organizations/responses.ts';
import type { Actor, AuditRecord, AuditTarget, AuditValue } from '#lambdas/audit/record.ts';
import { textTable } from '../text-table.ts';

/** The fields of the dashboard's API, and the organization. */
export function recordJson(record: AuditRecord): AuditRecordSummary & { organization_id: string | null } {
  const { id, at, organizationId, actor, action, target, before, after, stage, operationId } = record;
  return {
    id,
    at,
    organization_id: organizationId,
    actor,
    action,
    target,
    before,
    after,
    stage,
    operation_id: operationId,
  };
}

export function recordTable(records: readonly AuditRecord[]): string {
  return textTable(
    ['TIME', 'WHO', 'ORGANIZATION', 'ACTION', 'TARGET', 'CHANGE', 'STAGE'],
    records.map((record) => [
      record.at,
      actorText(record.actor),
      record.organizationId ?? '-',
      record.action,
      targetText(record.target),
      changeText(record),
      record.stage,
    ]),
  );
}

/** An ARN is shortened to its resource, such as `assumed-role/Administrator/jane`. */
function actorText({ type, id, name, email }: Actor): string {
  if (type === 'operator') return id.split(':').slice(5).join(':') || id;
  return [name, email].filter((text) => text !== null).join(', ') || id;
}

function targetText({ id, name }: AuditTarget): string {
  return name === null ? id : `${name} (${id})`;
}

const maxChangeLength = 120;

/** The fields that differ, in the order of their names, such as `name: Acme → Acme Ltd`. */
function changeText({ before, after }: AuditRecord): string {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  const changes = fields.flatMap((field) => {
    const [former, latter] = [before?.[field], after?.[field]];
    if (isDeepStrictEqual(former, latter)) return [];
    const values = [former, latter].filter((value) => value !== undefined).map(valueText);
    return `${field}: ${values.join(' → ')}${after === null ? ' → -' : ''}`;
  });
  const text = changes.join(', ') || '-';
  return text.length > maxChangeLength ? `${text.slice(0, maxChangeLength - 1)}…` : text;
}

function valueText(value: AuditValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
