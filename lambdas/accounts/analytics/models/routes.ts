import { type AnalyticsRoute, analyticsRoute } from '../call.ts';
import { listModels, listProviders } from './endpoints.ts';

export const modelRoutes: readonly AnalyticsRoute[] = [
  analyticsRoute('/providers', listProviders),
  analyticsRoute('/models', listModels),
];
