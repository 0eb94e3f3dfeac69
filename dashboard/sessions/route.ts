import { getRouteApi } from '@tanstack/react-router';

/** The route of the callers' sessions; the account's sign-in sessions are another view. */
export const sessionsRoute = getRouteApi('/shell/organizations/$organizationId/sessions');
