import { getRouteApi } from '@tanstack/react-router';

export const usageRoute = getRouteApi('/shell/organizations/$organizationId/usage');
