import type { Route } from '../call.ts';

export const organizationRoutes: readonly Route[] = [];
