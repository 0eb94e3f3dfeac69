import { organizationRoute, type Route } from '../call.ts';
import { listAuditRecords } from './endpoint.ts';

export const auditTrailRoutes: readonly Route[] = [
  organizationRoute('GET', '/audit-records', 'view_audit_trail', listAuditRecords),
];
