import { type AnalyticsRoute, analyticsRoute } from '../call.ts';
import { getProjection, getStatement } from './endpoints.ts';

export const billingRoutes: readonly AnalyticsRoute[] = [
  analyticsRoute('/projection', getProjection),
  analyticsRoute('/statements/{month}', getStatement),
];
