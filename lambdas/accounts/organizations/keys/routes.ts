import type { Route } from '../call.ts';

export const keyRoutes: readonly Route[] = [];
