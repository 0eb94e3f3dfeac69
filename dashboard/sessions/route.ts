import { getRouteApi } from '@tanstack/react-router';

/** Of the callers' sessions; those of the account are another view. */
export const sessionsRoute = getRouteApi('/shell/organizations/$organizationId/sessions');
