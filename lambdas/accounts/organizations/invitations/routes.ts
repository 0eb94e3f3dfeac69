import type { Route } from '../call.ts';

export const invitationRoutes: readonly Route[] = [];
