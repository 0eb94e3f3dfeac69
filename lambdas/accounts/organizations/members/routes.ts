import type { Route } from '../call.ts';

export const memberRoutes: readonly Route[] = [];
