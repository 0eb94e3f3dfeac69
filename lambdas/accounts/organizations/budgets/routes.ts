import type { Route } from '../call.ts';

export const budgetRoutes: readonly Route[] = [];
