import { apiPath } from '#lambdas/accounts/http/router.ts';
import { organizationRoute, type Route } from '../call.ts';
import { acceptOffer, createInvitation, deleteInvitation, listInvitations, showOffer } from './endpoints.ts';

export const invitationRoutes: readonly Route[] = [
  organizationRoute('GET', '/invitations', 'manage_members', listInvitations),
  organizationRoute('POST', '/invitations', 'manage_members', createInvitation),
  organizationRoute('DELETE', '/invitations/{invitation}', 'manage_members', deleteInvitation),
  { method: 'POST', path: `${apiPath}/invitations/offer`, kind: 'public call', handle: showOffer },
  { method: 'POST', path: `${apiPath}/invitations/acceptance`, kind: 'user call', handle: acceptOffer },
];
