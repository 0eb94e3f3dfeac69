import type { AuditAction, AuditEvent, AuditValues } from '#lambdas/audit/record.ts';
import type { ApiKey } from '../directory.ts';

export function apiKeyEvent(
  action: AuditAction,
  { id, name, organization_id: organizationId }: ApiKey,
  values: { before: AuditValues | null; after: AuditValues | null },
): AuditEvent {
  return { action, organizationId, target: { type: 'api_key', id, name }, ...values };
}
