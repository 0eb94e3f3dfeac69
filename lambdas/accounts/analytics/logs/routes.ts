import { type AnalyticsRoute, analyticsRoute } from '../call.ts';
import { getLogEntry, listLogEntries } from './endpoints.ts';
import { getSession } from './session.ts';

export const logRoutes: readonly AnalyticsRoute[] = [
  analyticsRoute('/logs', listLogEntries),
  analyticsRoute('/logs/{id}', getLogEntry),
  analyticsRoute('/session', getSession),
];
