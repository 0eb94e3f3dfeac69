import type { Route } from '../call.ts';

export const auditTrailRoutes: readonly Route[] = [];
