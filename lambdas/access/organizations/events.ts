import type { AuditAction, AuditEvent, AuditValues } from '#lambdas/audit/record.ts';
import type { Organization } from '../directory.ts';

export function organizationEvent(
  action: AuditAction,
  { id, name }: Organization,
  values: { before: AuditValues | null; after: AuditValues | null },
): AuditEvent {
  return { action, organizationId: id, target: { type: 'organization', id, name }, ...values };
}
